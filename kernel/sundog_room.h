/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_ROOM_H_
#define _SUNDOG_ROOM_H_

#include <linux/types.h>

struct sundog_device;
struct ttm_buffer_object;

/**
 * enum sundog_room_stage - how hard a call tries to get room in VRAM
 */
enum sundog_room_stage {
	/** @SUNDOG_ROOM_NONE: not at all: it needs none, as far as it knows */
	SUNDOG_ROOM_NONE,
	/** @SUNDOG_ROOM_SHARED: beside others: evicts what is idle and not locked */
	SUNDOG_ROOM_SHARED,
	/** @SUNDOG_ROOM_ALONE: nobody else places anything: evicts what is idle */
	SUNDOG_ROOM_ALONE,
	/** @SUNDOG_ROOM_ALL: and packs its own allocations anew */
	SUNDOG_ROOM_ALL,
};

/**
 * struct sundog_room - a call that may need room in VRAM
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
	/** @epoch: of sundog_revoke_epoch(), at the same time */
	u32 epoch;
	/** @alone_end: until when it may stay alone though it waits, in jiffies */
	unsigned long alone_end;
	/** @n_revokes: how often it tried again in this stage because something was revoked */
	unsigned int n_revokes;
	/** @n_waits: how often it waited for nothing in particular */
	unsigned int n_waits;
	/** @n_misses: how often nothing came, the last times that it did */
	unsigned int n_misses;
	/** @progress: sdev->n_freed, when it looked last */
	int progress;
	/** @end: when it gives up unless there is progress, in jiffies */
	unsigned long end;
	/** @last_end: when it gives up in any case, in jiffies */
	unsigned long last_end;
	/** @has_waited: @end and @last_end are set */
	bool has_waited;
	/** @is_bounded: progress does not put off @end */
	bool is_bounded;
	/** @was_alone: it has had room_lock for writing */
	bool was_alone;
	/** @was_busy: what was in its way became idle since it looked last */
	bool was_busy;
	/** @busy: what was in its way and in use, with a TTM reference, or NULL */
	struct ttm_buffer_object *busy;
};

int sundog_room_begin(struct sundog_room *room, struct sundog_device *sdev, bool needed,
		      bool bounded);
int sundog_room_more(struct sundog_room *room);
void sundog_room_end(struct sundog_room *room);

#endif
