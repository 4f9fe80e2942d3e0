// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Room in VRAM: what a call does when TTM finds none for what it needs.
 *
 * TTM evicts by itself, from the least recently used allocation on, but not what somebody else
 * holds locked; and an -EDEADLK from there, which tells an acquisition to back off, is just "no
 * space" by the time that a driver sees it. So a failed try says little while others are at work.
 * room_lock makes it say everything: calls hold it for reading while they hold allocations; one
 * that fails lets go of all its allocations and of room_lock, takes it for writing, and tries
 * again while no other call holds anything. What then still finds no place waits a while for
 * memory that nobody can name any more, but that a job keeps. After that it does not fit: -ENOSPC.
 *
 * A fault of the CPU is not such a call. It takes free VRAM or pages of the guest, evicts nobody,
 * and holds one allocation for a short time only.
 *
 * room_lock is taken inside a context's submit_lock and outside of every dma_resv. Waits under it
 * are for fences, which end, and for the locks of others, who are not waiting for it.
 */

#include <linux/jiffies.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "sundog_device.h"
#include "sundog_room.h"

/* How long a call waits for the memory of allocations that is about to be free. */
#define SUNDOG_ROOM_TIMEOUT	(10 * HZ)
/* The same when no job runs: what is being freed this moment. */
#define SUNDOG_FREE_TIMEOUT	(HZ / 10)

static void sundog_room_note(struct sundog_room *room)
{
	room->n_freed = atomic_read(&room->sdev->n_freed);
}

static int sundog_room_share(struct sundog_room *room)
{
	int ret = down_read_interruptible(&room->sdev->room_lock);

	if (ret)
		return ret;
	room->stage = SUNDOG_ROOM_SHARED;
	sundog_room_note(room);
	return 0;
}

static int sundog_room_seize(struct sundog_room *room, enum sundog_room_stage stage)
{
	struct sundog_device *sdev = room->sdev;
	int ret = down_write_killable(&sdev->room_lock);

	if (ret)
		return ret;
	room->stage = stage;
	WRITE_ONCE(sdev->evict_zombies, stage == SUNDOG_ROOM_ALL);
	sundog_room_note(room);
	return 0;
}

static void sundog_room_leave(struct sundog_room *room)
{
	struct sundog_device *sdev = room->sdev;

	if (room->stage == SUNDOG_ROOM_SHARED) {
		up_read(&sdev->room_lock);
	} else {
		WRITE_ONCE(sdev->evict_zombies, false);
		up_write(&sdev->room_lock);
	}
}

/*
 * Waits until an allocation was freed since the last try, for as long as there are some that nobody
 * can name any more and that jobs keep. Positive: try again; 0: there is none; -ERESTARTSYS.
 */
static int sundog_room_wait(struct sundog_room *room)
{
	struct sundog_device *sdev = room->sdev;
	const bool coming = atomic_read(&sdev->stats.zombie);
	const bool jobs = atomic_read(&sdev->stats.jobs);
	long left;

	if (!room->end)
		room->end = jiffies + SUNDOG_ROOM_TIMEOUT;
	left = (long)(room->end - jiffies);
	smp_rmb();	/* pairs with sundog_bo_destroy() */
	if (left <= 0 || (!coming && atomic_read(&sdev->n_freed) == room->n_freed))
		return 0;
	if (!jobs)
		left = min_t(long, left, SUNDOG_FREE_TIMEOUT);
	return wait_event_interruptible_timeout(sdev->room_wait,
						atomic_read(&sdev->n_freed) != room->n_freed,
						left);
}

/**
 * sundog_room_begin() - start to try
 * @room: the call
 * @sdev: device
 *
 * Return: 0, or -ERESTARTSYS or -EINTR, and then there is nothing to end.
 */
int sundog_room_begin(struct sundog_room *room, struct sundog_device *sdev)
{
	*room = (struct sundog_room) { .sdev = sdev };
	return sundog_room_share(room);
}

/**
 * sundog_room_more() - a try found no place; the caller let go of every allocation
 * @room: the call
 *
 * Return: 0: try again; otherwise it has ended, with -ENOSPC, -ERESTARTSYS or -EINTR.
 */
int sundog_room_more(struct sundog_room *room)
{
	const enum sundog_room_stage stage = room->stage;
	int ret;

	sundog_room_leave(room);
	if (stage == SUNDOG_ROOM_SHARED)
		return sundog_room_seize(room, SUNDOG_ROOM_ALONE);
	if (stage == SUNDOG_ROOM_ALL)
		return -ENOSPC;
	ret = sundog_room_wait(room);
	if (ret < 0)
		return ret;
	return sundog_room_seize(room, ret ? SUNDOG_ROOM_ALONE : SUNDOG_ROOM_ALL);
}

/**
 * sundog_room_end() - there was room, or something else went wrong
 * @room: the call
 */
void sundog_room_end(struct sundog_room *room)
{
	sundog_room_leave(room);
}
