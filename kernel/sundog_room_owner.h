/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_ROOM_OWNER_H_
#define _SUNDOG_ROOM_OWNER_H_

#include <linux/types.h>

struct sundog_device;
struct ttm_buffer_object;

bool sundog_room_is_mine(struct sundog_device *sdev);
void sundog_room_note_busy(struct ttm_buffer_object *tbo);

#endif
