// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Revoking: VRAM that a worker may map is nobody else's before the device says that none does.
 *
 * Two things wait for that. Extents that an owner gave up, or lost; and ranges in pending_revoke: freed ones
 * that the worker of another file than the owner's may map, because that file submitted them. What
 * only the owner's own worker maps need not wait.
 *
 * The device is asked once for all that came together, and one request at a time is under way. What
 * comes meanwhile is asked for when that is done, if somebody waits for it, or later by @work. An
 * entry in the extent table or the allocation table is clear before the device is asked.
 *
 * A call that waits for an answer (sundog_evict.c) holds no dma_resv but those of BOs that it has
 * evicted, and no fence depends on it: a worker may take its time to unmap memory, though it is
 * killed if that is too long.
 */

#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "sundog_device.h"
#include "sundog_extent.h"
#include "sundog_revoke.h"
#include "sundog_wq.h"

/* Ranges that are freed with the lock held. */
#define SUNDOG_REVOKE_CHUNK	64

/**
 * sundog_revoke_is_under_way() - is there something that the device was asked to revoke?
 * @ex: VRAM; the caller has the lock
 *
 * Return: the answer.
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

/* Frees revoked ranges, and returns how many: a batch at most. */
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
 * There can be a range for each page of VRAM, so the lock is dropped after each batch. The request
 * is under way meanwhile, so that nothing is added to @asked_revoke. If two threads do this they
 * share the work. The one that finds no more ends the request, and the other one must not touch
 * what belongs to the next.
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
 * sundog_revoke_ask() - have the device revoke what is leaving, as soon as it can
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
 * sundog_revoke_range() - free a range once nobody maps it
 * @ex: VRAM; the caller has the lock
 * @range: range, which is not in the allocation table any more; freed with it
 */
void sundog_revoke_range(struct sundog_extents *ex, struct sundog_range *range)
{
	lockdep_assert_held(&ex->lock);
	list_add_tail(&range->in_list, &ex->pending_revoke);
	ex->pending_revoke_pages += range->node.size;
}

/**
 * sundog_revoke_look() - see whether the device has revoked what it was asked to
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
 * sundog_revoke_event() - the device has revoked something
 * @sdev: device
 *
 * Called from the event interrupt's thread.
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
 * sundog_revoke_epoch() - how often memory came back
 * @sdev: device
 *
 * Return: a number for sundog_revoke_wait().
 */
u32 sundog_revoke_epoch(struct sundog_device *sdev)
{
	return READ_ONCE(sdev->extents->done);
}

/**
 * sundog_revoke_is_pending() - check for memory that comes back, or did since @epoch
 * @sdev: device
 * @epoch: of sundog_revoke_epoch(), before the caller found no place
 *
 * Return: true if sundog_revoke_wait() is worth a call.
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
 * sundog_revoke_wait() - wait until all memory is back that workers are to unmap
 * @sdev: device; the caller has no BO locked but those that it has evicted
 * @epoch: of sundog_revoke_epoch(), before the caller found no place
 * @timeout: how long, in jiffies
 *
 * Return: positive if some came back since @epoch, 0 if none is to be waited for or the device does
 * not answer, -ERESTARTSYS.
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
	/* One of two answers may have come. */
	return ret ?: READ_ONCE(ex->done) != epoch;
}

/**
 * sundog_revoke_restart() - the device was reset: nobody maps anything, and it counts from 0
 * @sdev: device
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
 * sundog_revoke_gone() - the device was reset for the last time: nobody maps anything
 * @sdev: device, still mapped
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
