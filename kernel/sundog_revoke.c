// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Revokes: VRAM that a foreign worker may map is reused only after the device has revoked it.
 *
 * Two kinds of VRAM need a revoke: extents that leave their owner, and ranges on the list
 * @pending_revoke. These were freed, but the worker of another file than the owner's may still map
 * them, since that file submitted them. Memory that only the owner's own worker maps needs none.
 *
 * One request is in flight at a time, for all that was collected before it. sundog_revoke_ask()
 * sends it, or lets the next one follow when the one in flight is complete. The driver clears the
 * entries in the extent table or the allocation table before it sends the request. The event
 * REVOKED, or a reset, completes the request.
 *
 * A call that waits for a revoke (sundog_evict.c) holds the dma_resv of BOs that it has evicted at
 * most. No fence depends on the revoke, so a worker may take long to unmap memory. The renderer
 * kills it if that takes too long.
 *
 * sundog_vram.c, sundog_evict.c and the thread of the event interrupt call this file. @lock of
 * struct sundog_extents protects the data.
 */

#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "sundog_device.h"
#include "sundog_extent.h"
#include "sundog_revoke.h"
#include "sundog_wq.h"

/* Ranges that are freed before the lock is dropped for a moment. */
#define SUNDOG_REVOKE_CHUNK	64

/**
 * sundog_revoke_is_under_way() - check whether a revoke request is in flight
 * @ex: VRAM; the caller has the lock
 *
 * Return: true while the device has not completed the last request.
 */
bool sundog_revoke_is_under_way(const struct sundog_extents *ex)
{
	return ex->asked != ex->done;
}

static bool sundog_revoke_has_new(struct sundog_extents *ex)
{
	return !list_empty(&ex->pending_revoke) ||
	       !bitmap_empty(ex->sets[SUNDOG_EXTENT_LEAVING], ex->n);
}

static void sundog_revoke_begin(struct sundog_extents *ex)
{
	unsigned long *leaving = ex->sets[SUNDOG_EXTENT_LEAVING];

	bitmap_or(ex->sets[SUNDOG_EXTENT_ASKED], ex->sets[SUNDOG_EXTENT_ASKED], leaving, ex->n);
	bitmap_zero(leaving, ex->n);
	list_splice_tail_init(&ex->pending_revoke, &ex->asked_revoke);
	ex->urgent = false;
	ex->asked++;
}

/* Frees a batch of revoked ranges into @freed, and returns their number. */
static u32 sundog_revoke_free_some(struct sundog_extents *ex, struct list_head *freed)
{
	struct sundog_range *range;
	u32 n;

	for (n = 0; n < SUNDOG_REVOKE_CHUNK && !list_empty(&ex->asked_revoke); n++) {
		range = list_first_entry(&ex->asked_revoke, struct sundog_range, in_list);
		list_move(&range->in_list, freed);
		ex->pending_revoke_pages -= range->node.size;
		sundog_extents_remove(ex, range);
	}
	return n;
}

/*
 * Each page of VRAM may be a range, so the lock is dropped after each batch. The request stays in
 * flight meanwhile, so no range is added to @asked_revoke. Two threads that do this share the work.
 * The one that finds no more ranges completes the request. The other one must then not touch data
 * of the next request.
 */
static void sundog_revoke_finish(struct sundog_extents *ex) __must_hold(&ex->lock)
{
	struct sundog_range *range, *next;
	LIST_HEAD(freed);
	u32 i, asked = ex->asked;

	for_each_set_bit(i, ex->sets[SUNDOG_EXTENT_ASKED], ex->n)
		sundog_extents_revoked(ex, i);
	bitmap_zero(ex->sets[SUNDOG_EXTENT_ASKED], ex->n);
	while ((s32)(ex->done - asked) < 0 && sundog_revoke_free_some(ex, &freed)) {
		spin_unlock(&ex->lock);
		list_for_each_entry_safe(range, next, &freed, in_list)
			kfree(range);
		INIT_LIST_HEAD(&freed);
		cond_resched();
		spin_lock(&ex->lock);
	}
	if ((s32)(ex->done - asked) >= 0)
		return;
	ex->done = asked;
	wake_up_all(&ex->wait);
}

/**
 * sundog_revoke_ask() - send a revoke request, now or when the one in flight is complete
 * @ex: VRAM; the caller has the lock, which may be dropped and taken again
 */
void sundog_revoke_ask(struct sundog_extents *ex) __must_hold(&ex->lock)
{
	lockdep_assert_held(&ex->lock);
	if (!sundog_revoke_has_new(ex))
		return;
	if (sundog_revoke_is_under_way(ex)) {
		ex->urgent = true;
		return;
	}
	sundog_revoke_begin(ex);
	if (ex->gone)
		sundog_revoke_finish(ex);
	else
		sundog_write(ex->sdev, SUNDOG_REG_REVOKE, 1);
}

/**
 * sundog_revoke_range() - free a range after the next revoke
 * @ex: VRAM; the caller has the lock
 * @range: range whose entry in the allocation table is clear; it is freed after the revoke
 */
void sundog_revoke_range(struct sundog_extents *ex, struct sundog_range *range)
{
	lockdep_assert_held(&ex->lock);
	list_add_tail(&range->in_list, &ex->pending_revoke);
	ex->pending_revoke_pages += range->node.size;
}

/**
 * sundog_revoke_look() - check whether the device has completed the request in flight
 * @ex: VRAM; the caller has the lock, which may be dropped and taken again
 */
void sundog_revoke_look(struct sundog_extents *ex) __must_hold(&ex->lock)
{
	lockdep_assert_held(&ex->lock);
	if (!sundog_revoke_is_under_way(ex) ||
	    sundog_read(ex->sdev, SUNDOG_REG_REVOKED) != ex->asked - ex->asked_before)
		return;
	sundog_revoke_finish(ex);
	if (ex->urgent)
		sundog_revoke_ask(ex);
}

/**
 * sundog_revoke_event() - handle the event REVOKED
 * @sdev: device
 *
 * Called from the thread of the event interrupt.
 */
void sundog_revoke_event(struct sundog_device *sdev)
{
	struct sundog_extents *ex = sdev->extents;

	spin_lock(&ex->lock);
	sundog_revoke_look(ex);
	spin_unlock(&ex->lock);
	queue_delayed_work(sundog_wq, &ex->work, SUNDOG_EXTENT_DELAY);
}

/**
 * sundog_revoke_epoch() - get the number of completed revoke requests
 * @sdev: device
 *
 * Return: an epoch for sundog_revoke_wait() and sundog_revoke_is_pending().
 */
u32 sundog_revoke_epoch(struct sundog_device *sdev)
{
	return READ_ONCE(sdev->extents->done);
}

/**
 * sundog_revoke_is_pending() - check for memory that waits for a revoke, or was revoked recently
 * @sdev: device
 * @epoch: sundog_revoke_epoch() before the caller found no space
 *
 * Return: true if a revoke is pending, or was completed since @epoch.
 */
bool sundog_revoke_is_pending(struct sundog_device *sdev, u32 epoch)
{
	struct sundog_extents *ex = sdev->extents;
	bool ret;

	spin_lock(&ex->lock);
	ret = ex->asked + sundog_revoke_has_new(ex) != epoch;
	spin_unlock(&ex->lock);
	return ret;
}

/**
 * sundog_revoke_wait() - wait until all pending revokes are complete
 * @sdev: device; the caller holds the dma_resv of BOs that it has evicted at most
 * @epoch: sundog_revoke_epoch() before the caller found no space
 * @timeout: timeout in jiffies
 *
 * Return: positive if a request was completed since @epoch, 0 if none is pending or on timeout,
 * or -ERESTARTSYS.
 */
long sundog_revoke_wait(struct sundog_device *sdev, u32 epoch, long timeout)
{
	struct sundog_extents *ex = sdev->extents;
	u32 until;
	long ret;

	spin_lock(&ex->lock);
	until = ex->asked + sundog_revoke_has_new(ex);
	sundog_revoke_ask(ex);
	spin_unlock(&ex->lock);
	if (until == epoch)
		return 0;
	ret = wait_event_interruptible_timeout(ex->wait, (s32)(READ_ONCE(ex->done) - until) >= 0,
					       timeout);
	/* The wait is for two requests if one was in flight. The first may have been completed. */
	return ret ?: READ_ONCE(ex->done) != epoch;
}

/**
 * sundog_revoke_restart() - complete the request in flight after a reset of the device
 * @sdev: device; no worker maps its VRAM, and its register REVOKED counts from 0
 */
void sundog_revoke_restart(struct sundog_device *sdev)
{
	struct sundog_extents *ex = sdev->extents;

	spin_lock(&ex->lock);
	if (sundog_revoke_is_under_way(ex))
		sundog_revoke_finish(ex);
	ex->asked_before = ex->asked;
	spin_unlock(&ex->lock);
}

/**
 * sundog_revoke_gone() - complete all revokes after the last reset of the device
 * @sdev: device, still mapped: until this call, other functions here may access its registers
 */
void sundog_revoke_gone(struct sundog_device *sdev)
{
	struct sundog_extents *ex = sdev->extents;

	spin_lock(&ex->lock);
	ex->gone = true;
	if (sundog_revoke_is_under_way(ex))
		sundog_revoke_finish(ex);
	sundog_revoke_ask(ex);
	spin_unlock(&ex->lock);
}
