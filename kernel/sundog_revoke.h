/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_REVOKE_H_
#define _SUNDOG_REVOKE_H_

#include <linux/types.h>

struct sundog_device;
struct sundog_extents;
struct sundog_range;

void sundog_revoke_range(struct sundog_extents *ex, struct sundog_range *range);
void sundog_revoke_ask(struct sundog_extents *ex);
void sundog_revoke_look(struct sundog_extents *ex);
u32 sundog_revoke_epoch(struct sundog_device *sdev);
long sundog_revoke_wait(struct sundog_device *sdev, u32 epoch);
void sundog_revoke_event(struct sundog_device *sdev);
void sundog_revoke_gone(struct sundog_device *sdev);

#endif
