/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_ROOM_H_
#define _SUNDOG_ROOM_H_

#include <linux/types.h>

struct sundog_device;

/**
 * enum sundog_room_stage - how hard a call tries to get room in VRAM
 */
enum sundog_room_stage {
	/** @SUNDOG_ROOM_SHARED: beside others: evicts what no older call holds locked */
	SUNDOG_ROOM_SHARED,
	/** @SUNDOG_ROOM_ALONE: nobody else holds allocations for long: evicts what can be */
	SUNDOG_ROOM_ALONE,
	/** @SUNDOG_ROOM_ALL: and also what will be free soon, but does not come */
	SUNDOG_ROOM_ALL,
};

/**
 * struct sundog_room - a call that needs room in VRAM
 *
 * On the caller's stack, from sundog_room_begin() to sundog_room_end().
 */
struct sundog_room {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @stage: what it may do now */
	enum sundog_room_stage stage;
	/** @n_freed: sdev->n_freed when it began to try */
	int n_freed;
	/** @end: when it waits no longer, in jiffies; 0 before its first wait */
	unsigned long end;
};

int sundog_room_begin(struct sundog_room *room, struct sundog_device *sdev);
int sundog_room_more(struct sundog_room *room);
void sundog_room_end(struct sundog_room *room);

#endif
