// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Room in VRAM: what a call does when something that it uses is not there.
 *
 * Who finds everything in its place comes here for nothing. Who has to bring something there holds
 * room_lock for reading meanwhile, and TTM evicts for it what is idle, from the least recently used
 * allocation on. That fails when others hold locked what could go, or when it is in use. So the
 * call lets go of all its allocations, takes room_lock for writing, and tries again while nobody
 * else fills the places that it makes. What it finds in its way and in use it waits for, then
 * evicts, one allocation at a time, and tries again; what others have locked, or are freeing, it
 * looks at again a little later. Last, it takes its own allocations out and packs them anew,
 * because each is one range and they may be in each other's way. After that it does not fit:
 * -ENOSPC.
 *
 * Nobody waits for a fence here with room_lock held, or with allocations of its own locked. Who
 * uses the one that is waited for now is waited for first. Then it is locked, or others would never
 * let it become idle; they are held up, for a second at most. So a job that hangs holds up nobody,
 * or once, if it came meanwhile: who has its memory locked holds up who is alone, and that one
 * everybody.
 *
 * Whenever there is memory that only has to be revoked, a call waits for that first and tries again
 * as it did. It holds nothing meanwhile, except that who is alone stays alone: others would take
 * what was revoked for it, and it would never have all that it needs. It does so as long as answers
 * come within a second, the first time for 15 seconds at most and then for one. A worker that does
 * not unmap what it has to holds up everybody for a second, one that takes its time for the 15.
 *
 * A call gives up when nothing has come back and nobody was done for room_timeout_ms, and after ten
 * times that. A machine on which all of that takes long, because others use its CPUs, is no reason
 * to give up sooner; but a call that cannot be interrupted does after once that.
 *
 * A fault of the CPU is not such a call. It takes free VRAM or pages of the guest, evicts nobody,
 * and holds one allocation for a short time only.
 *
 * room_lock is taken inside a context's submit_lock and outside of every dma_resv.
 */

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include <drm/ttm/ttm_bo.h>

#include "sundog_bo.h"
#include "sundog_compat.h"
#include "sundog_device.h"
#include "sundog_revoke.h"
#include "sundog_room.h"
#include "sundog_room_owner.h"

static unsigned int sundog_room_timeout_ms = 60000;
module_param_named(room_timeout_ms, sundog_room_timeout_ms, uint, 0644);
MODULE_PARM_DESC(room_timeout_ms,
		 "how long a call waits for room in VRAM while none comes back, in milliseconds (default 60000)");

/* How long a call keeps others from an allocation that it waits for. */
#define SUNDOG_BUSY_TIMEOUT	HZ
/*
 * What is freed this moment, or locked: how long it waits for that, how often in vain, and how
 * often at all.
 */
#define SUNDOG_FREE_TIMEOUT	(HZ / 20)
#define SUNDOG_FREE_MISSES	40
#define SUNDOG_FREE_WAITS	1000
/* How often it tries the same again since something was revoked, which may be of no use to it. */
#define SUNDOG_REVOKE_TRIES	4
/* How long who is alone stays so while something is revoked for it; and the first time. */
#define SUNDOG_ALONE_TIMEOUT	HZ
#define SUNDOG_ALONE_TIMEOUT_FIRST	(15 * HZ)
/* How many times its limit it may wait though there is progress. */
#define SUNDOG_PATIENCE		10

static void sundog_room_enter(struct sundog_room *room, enum sundog_room_stage stage)
{
	room->stage = stage;
	room->n_freed = atomic_read(&room->sdev->n_freed);
	room->epoch = sundog_revoke_epoch(room->sdev);
}

static int sundog_room_share(struct sundog_room *room)
{
	int ret = down_read_interruptible(&room->sdev->room_lock);

	if (!ret)
		sundog_room_enter(room, SUNDOG_ROOM_SHARED);
	return ret;
}

static int sundog_room_seize(struct sundog_room *room, enum sundog_room_stage stage)
{
	struct sundog_device *sdev = room->sdev;
	int ret = down_write_killable(&sdev->room_lock);

	if (ret)
		return ret;
	WRITE_ONCE(sdev->room_owner, current);
	room->alone_end = jiffies + (room->was_alone ? SUNDOG_ALONE_TIMEOUT :
							 SUNDOG_ALONE_TIMEOUT_FIRST);
	room->was_alone = true;
	sundog_room_enter(room, stage);
	return 0;
}

/* It is alone. What it found in its way and in use is its to wait for. */
static void sundog_room_take_busy(struct sundog_room *room)
{
	room->busy = room->sdev->room_busy;
	room->sdev->room_busy = NULL;
}

static void sundog_room_forget_busy(struct sundog_room *room)
{
	if (room->busy)
		ttm_bo_put(room->busy);
	room->busy = NULL;
}

static void sundog_room_leave(struct sundog_room *room)
{
	struct sundog_device *sdev = room->sdev;

	if (room->stage == SUNDOG_ROOM_SHARED) {
		up_read(&sdev->room_lock);
	} else if (room->stage != SUNDOG_ROOM_NONE) {
		WRITE_ONCE(sdev->room_owner, NULL);
		sundog_room_take_busy(room);
		up_write(&sdev->room_lock);
	}
	room->stage = SUNDOG_ROOM_NONE;
}

/*
 * Returns true if the call has waited for as long as it may. Allocations that others free, and
 * users that it waited for, are progress. What was revoked is none, since the call's own evictions
 * are revoked, too: one that can never fit evicts its own allocations at each try.
 */
static bool sundog_room_is_late(struct sundog_room *room)
{
	const unsigned long limit = min(msecs_to_jiffies(READ_ONCE(sundog_room_timeout_ms)),
					MAX_JIFFY_OFFSET / SUNDOG_PATIENCE);
	const int progress = atomic_read(&room->sdev->n_freed);

	if (!room->has_waited) {
		room->end = jiffies + limit;
		room->last_end = jiffies + SUNDOG_PATIENCE * limit;
		room->has_waited = true;
	} else if (progress != room->progress || room->was_busy) {
		room->n_misses = 0;
		if (!room->is_bounded)
			room->end = jiffies + limit;
	}
	room->progress = progress;
	room->was_busy = false;
	return time_after(jiffies, room->end) || time_after(jiffies, room->last_end);
}

/* Its users of now, unlocked. Positive: they are done; 0: not in time; or a negative error code. */
static long sundog_room_wait_users(struct dma_resv *resv)
{
	struct dma_fence *fence;
	long ret;

	ret = dma_resv_get_singleton(resv, DMA_RESV_USAGE_BOOKKEEP, &fence);
	if (ret || !fence)
		return ret ?: 1;
	ret = dma_fence_wait_timeout(fence, true, SUNDOG_BUSY_TIMEOUT);
	dma_fence_put(fence);
	return ret;
}

/* As sundog_room_wait(). If it stays in use, another one's turn is next. */
static int sundog_room_evict_busy(struct sundog_room *room)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_buffer_object *tbo = room->busy;
	struct dma_resv *resv = tbo->base.resv;
	long done, ret;

	done = sundog_room_wait_users(resv);
	if (done < 0)
		return done;
	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return ret;
	if (done)
		done = dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, true,
					     SUNDOG_BUSY_TIMEOUT);
	if (done > 0) {
		room->was_busy = true;
		ret = sundog_bo_evict(to_sundog_bo(&tbo->base), &ctx);
	} else if (!done) {
		spin_lock(&tbo->bdev->lru_lock);
		ttm_bo_move_to_lru_tail(tbo);
		spin_unlock(&tbo->bdev->lru_lock);
	} else {
		ret = done;
	}
	dma_resv_unlock(resv);
	return ret ?: 1;
}

/* As sundog_room_wait(): others may have allocations locked, or be freeing some. */
static int sundog_room_wait_freed(struct sundog_room *room)
{
	struct sundog_device *sdev = room->sdev;
	long ret;

	if (room->n_misses == SUNDOG_FREE_MISSES || room->n_waits == SUNDOG_FREE_WAITS)
		return 0;
	room->n_waits++;
	ret = wait_event_interruptible_timeout(sdev->room_wait,
					       atomic_read(&sdev->n_freed) != room->n_freed,
					       SUNDOG_FREE_TIMEOUT);
	room->n_misses = ret ? 0 : room->n_misses + 1;
	return ret < 0 ? ret : 1;
}

/* Positive: try again; 0: there is nothing more to wait for; or a negative error code. */
static int sundog_room_wait(struct sundog_room *room)
{
	int ret = 0;

	if (!sundog_room_is_late(room))
		ret = room->busy ? sundog_room_evict_busy(room) : sundog_room_wait_freed(room);
	sundog_room_forget_busy(room);
	return ret;
}

/*
 * What others gave up, or lost to this call, is its once no worker maps it. Positive: try again, as
 * before; 0: that does not help; -ERESTARTSYS.
 */
static int sundog_room_revoke(struct sundog_room *room)
{
	long ret;

	if (room->n_revokes == SUNDOG_REVOKE_TRIES || sundog_room_is_late(room))
		return 0;
	ret = sundog_revoke_wait(room->sdev, room->epoch, SUNDOG_REVOKE_TIMEOUT);
	if (ret > 0)
		room->n_revokes++;
	return ret < 0 ? ret : ret > 0;
}

/* The same for who is alone, and stays so. */
static int sundog_room_revoke_alone(struct sundog_room *room)
{
	const long left = room->alone_end - jiffies;
	long ret;

	if (left <= 0)
		return 0;
	ret = sundog_revoke_wait(room->sdev, room->epoch, min_t(long, left, SUNDOG_ALONE_TIMEOUT));
	if (ret <= 0)
		return ret;
	sundog_room_take_busy(room);
	sundog_room_forget_busy(room);
	sundog_room_enter(room, room->stage);
	return 1;
}

static int sundog_room_again(struct sundog_room *room, enum sundog_room_stage stage)
{
	sundog_room_forget_busy(room);
	return stage == SUNDOG_ROOM_SHARED ? sundog_room_share(room) :
					     sundog_room_seize(room, stage);
}

/**
 * sundog_room_begin() - start to try
 * @room: the call
 * @sdev: device
 * @needed: something is to be placed, as far as can be seen without a lock
 * @bounded: it may wait for room_timeout_ms and no longer, even if there is progress
 *
 * Return: 0, or -ERESTARTSYS or -EINTR; sundog_room_end() in any case.
 */
int sundog_room_begin(struct sundog_room *room, struct sundog_device *sdev, bool needed,
		      bool bounded)
{
	*room = (struct sundog_room) { .sdev = sdev, .is_bounded = bounded };
	return needed ? sundog_room_share(room) : 0;
}

/**
 * sundog_room_more() - a try found no place; the caller let go of every allocation
 * @room: the call
 *
 * Return: 0: try again; or -ENOSPC, -ERESTARTSYS, -EINTR or another negative error code.
 */
int sundog_room_more(struct sundog_room *room)
{
	const enum sundog_room_stage stage = room->stage;
	int ret;

	/* Waits that are over at once do not look. */
	if (fatal_signal_pending(current))
		return -ERESTARTSYS;
	if (sundog_room_is_mine(room->sdev)) {
		ret = sundog_room_revoke_alone(room);
		if (ret)
			return ret < 0 ? ret : 0;
	}
	sundog_room_leave(room);
	if (stage == SUNDOG_ROOM_NONE)
		return sundog_room_share(room);
	ret = sundog_room_revoke(room);
	if (ret)
		return ret < 0 ? ret : sundog_room_again(room, stage);
	room->n_revokes = 0;
	if (stage == SUNDOG_ROOM_SHARED)
		return sundog_room_seize(room, SUNDOG_ROOM_ALONE);
	ret = sundog_room_wait(room);
	if (ret < 0)
		return ret;
	if (!ret && stage == SUNDOG_ROOM_ALL)
		return -ENOSPC;
	return sundog_room_seize(room, ret ? SUNDOG_ROOM_ALONE : SUNDOG_ROOM_ALL);
}

/**
 * sundog_room_end() - there was room, or something went wrong; all allocations are unlocked
 * @room: the call
 */
void sundog_room_end(struct sundog_room *room)
{
	sundog_room_leave(room);
	sundog_room_forget_busy(room);
}
