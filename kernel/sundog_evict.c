// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Eviction from VRAM for a call that has BOs elsewhere: SUBMIT, and the pin of a framebuffer.
 *
 * TTM evicts idle BOs that it can lock at once, from the least recently used one on. It is never
 * asked to wait (no_wait_gpu). If that is not enough, the call waits here: for the users of one
 * busy BO, the victim, which it then evicts. It does so as a ww transaction does:
 *
 *	- It locks the victim with its ticket. So the victim gets no new users, and the wait ends
 *	  with the work that was queued before. If the victim has a dma-buf, that is so for
 *	  SUNDOG_EVICT_HOLD only, and the wait goes on without the lock: other drivers and
 *	  DMA_BUF_IOCTL_IMPORT_SYNC_FILE wait for it uninterruptibly. From then on the call spares
 *	  such BOs, if there are other victims.
 *	- It keeps the victim locked until it has placed its own BOs. So the victim's users cannot
 *	  bring it back before; they queue behind the call.
 *	- It unlocks its own BOs before it waits. So nobody else waits for the victim's users.
 *	- If a lock is contended, drm_exec drops all and starts over with the same ticket. The
 *	  oldest ticket never has to.
 *
 * The oldest call therefore goes on with one more BO out of VRAM after each wait. Others can take
 * the space, though, with BOs that are new. So a call that has waited SUNDOG_EVICT_CLAIM times
 * claims what becomes free: other calls that need space give up all their locks, and queue for the
 * claim. Work that is queued needs no more space, so the claim ends, and its call succeeds if its
 * BOs fit into what is not pinned. A long job may have the claim last, though, so a call that has
 * queued for SUNDOG_EVICT_QUEUE goes on in spite of it. In that time a client that always frees BOs
 * and needs new ones gets what one of its calls needs.
 *
 * TTM cannot do this: it keeps the caller's BOs locked while it waits, unlocks a victim that it has
 * evicted before the caller has enough, and turns -EDEADLK into -ENOSPC. Nor does it know that a
 * worker has to unmap memory before anybody gets it (sundog_revoke.c).
 */

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/ttm/ttm_bo.h>

#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_evict.h"
#include "sundog_revoke.h"
#include "sundog_vram.h"

/* Pauses for memory that is freed, or used by the call it was revoked for, in a moment. */
#define SUNDOG_EVICT_PAUSE_MS	10
/*
 * At least so many and for so long; there is a try after each, which may take longer. A host with
 * few CPUs takes seconds to stop a worker.
 */
#define SUNDOG_EVICT_PAUSES	20
#define SUNDOG_EVICT_PAUSES_END	(10 * HZ)
/* Waits until a call claims what becomes free. */
#define SUNDOG_EVICT_CLAIM	8
/* How long a call keeps a shared victim locked. */
#define SUNDOG_EVICT_HOLD	(HZ / 10)
/* How long a call queues for the claim. */
#define SUNDOG_EVICT_QUEUE	HZ

/**
 * sundog_evict_init() - start to bring BOs into VRAM
 * @evict: the call
 * @sdev: device
 * @flags: TTM_PL_FLAG_*
 */
void sundog_evict_init(struct sundog_evict *evict, struct sundog_device *sdev, u32 flags)
{
	*evict = (struct sundog_evict) {
		.sdev = sdev,
		.place = { .mem_type = TTM_PL_VRAM, .flags = flags | SUNDOG_PL_FLAG_EVICT },
		.placement = { .num_placement = 1, .placement = &evict->place },
	};
}

static void sundog_evict_put_victims(struct sundog_evict *evict)
{
	if (evict->victim)
		sundog_bo_put(evict->victim);
	evict->victim = NULL;
	if (evict->zombie)
		ttm_bo_fini(evict->zombie);
	evict->zombie = NULL;
}

static bool sundog_evict_try_claim(struct sundog_evict *evict)
{
	evict->claims = !cmpxchg(&evict->sdev->claim, NULL, evict);
	return evict->claims;
}

static void sundog_evict_end_claim(struct sundog_evict *evict)
{
	if (!evict->claims)
		return;
	evict->claims = false;
	/* Pairs with sundog_evict_try_claim(). */
	smp_store_release(&evict->sdev->claim, NULL);
	wake_up(&evict->sdev->claim_wait);
}

/**
 * sundog_evict_fini() - the BOs are in VRAM, or cannot be
 * @evict: the call
 */
void sundog_evict_fini(struct sundog_evict *evict)
{
	sundog_evict_put_victims(evict);
	sundog_evict_end_claim(evict);
}

/**
 * sundog_evict_claim() - wait until other calls have the VRAM that they claimed, and claim some
 * @evict: the call, which has no BO locked at all
 *
 * After SUNDOG_EVICT_QUEUE the call goes on without a claim and in spite of those of others.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int sundog_evict_claim(struct sundog_evict *evict)
{
	struct sundog_device *sdev = evict->sdev;
	long left = SUNDOG_EVICT_QUEUE;
	DEFINE_WAIT(wait);

	sundog_evict_put_victims(evict);
	evict->refused = false;
	evict->n_waits = 0;
	while (left > 0) {
		prepare_to_wait_exclusive(&sdev->claim_wait, &wait, TASK_INTERRUPTIBLE);
		if (sundog_evict_try_claim(evict))
			break;
		left = signal_pending(current) ? -ERESTARTSYS : schedule_timeout(left);
	}
	finish_wait(&sdev->claim_wait, &wait);
	evict->unclaimed = !evict->claims;
	/* It may have been woken for the claim. */
	if (evict->unclaimed)
		wake_up(&sdev->claim_wait);
	return left < 0 ? left : 0;
}

static bool sundog_evict_is_shared(const struct sundog_bo *bo)
{
	return READ_ONCE(bo->n_dma_bufs);
}

/**
 * sundog_evict_note_busy() - a BO is in the way of a call, and busy
 * @evict: the call
 * @tbo: BO in VRAM or a BO of the call, its dma_resv is locked
 *
 * The call waits for the first such BO. Zombies come last: nobody but the thread that frees them
 * can get to a lock of theirs.
 */
void sundog_evict_note_busy(struct sundog_evict *evict, struct ttm_buffer_object *tbo)
{
	if (evict->victim)
		return;
	if (evict->spares_shared && sundog_evict_is_shared(to_sundog_bo(&tbo->base))) {
		evict->spared = true;
	} else if (kref_get_unless_zero(&tbo->base.refcount)) {
		evict->victim = to_sundog_bo(&tbo->base);
	} else if (!evict->zombie) {
		kref_get(&tbo->kref);
		evict->zombie = tbo;
	}
}

/**
 * sundog_evict_place() - bring an allocation into VRAM, unless it was imported or is shared
 * @bo: allocation, its dma_resv is locked
 * @evict: the call that needs it there
 *
 * Evicts idle BOs for that, and waits for none.
 *
 * Return: 0, -ENOSPC if there is no space or @bo is in use where it cannot stay, -EBUSY if it is
 * pinned there, or another negative error code.
 */
int sundog_evict_place(struct sundog_bo *bo, struct sundog_evict *evict)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int ret;

	dma_resv_assert_held(bo->tbo.base.resv);
	if (sundog_bo_is_ready(bo))
		return 0;
	if (bo->guest)
		return -ENODEV;
	if (bo->tbo.pin_count)
		return -EBUSY;
	if (bo->tbo.resource->mem_type != SUNDOG_PL_UNPOPULATED && !sundog_bo_is_unused(bo)) {
		sundog_evict_note_busy(evict, &bo->tbo);
		return -ENOSPC;
	}
	/* TTM goes by system, and must wait until the device has returned the pages. */
	if (bo->tbo.resource->mem_type == TTM_PL_TT) {
		struct ttm_placement system = sundog_placement_system;

		ret = ttm_bo_validate(&bo->tbo, &system, &ctx);
		if (ret)
			return ret;
	}
	/* BOs of one dma_resv that the call does not list may make space, though it is locked. */
	ctx.resv = evict->resv;
	ctx.allow_res_evict = evict->resv;
	ctx.no_wait_gpu = true;
	ret = ttm_bo_validate(&bo->tbo, &evict->placement, &ctx);
	/*
	 * TTM says ENOMEM also when it finds no place, which it nearly always means. ENOBUFS is
	 * from sundog_vram.c: there will be a place soon.
	 */
	return ret == -ENOMEM || ret == -ENOBUFS ? -ENOSPC : ret;
}

/**
 * sundog_evict_bo() - take an allocation out of VRAM, if it can move
 * @bo: allocation, its dma_resv is locked
 * @evict: the call that needs its place; waits for it next if it is busy
 *
 * A zombie is not worth it, it is free in a moment.
 *
 * Return: 0 or a negative error code.
 */
int sundog_evict_bo(struct sundog_bo *bo, struct sundog_evict *evict)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_placement system = sundog_placement_system;

	dma_resv_assert_held(bo->tbo.base.resv);
	if (!sundog_bo_is_placed(bo) || bo->in_guest || bo->tbo.pin_count ||
	    READ_ONCE(bo->zombie) || !sundog_bo_can_move(sundog_bo_device(bo)))
		return 0;
	if (!sundog_bo_is_idle(bo)) {
		sundog_evict_note_busy(evict, &bo->tbo);
		return 0;
	}
	return ttm_bo_validate(&bo->tbo, &system, &ctx);
}

static long sundog_evict_wait_idle(struct dma_resv *resv, long timeout)
{
	return dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, true, timeout);
}

/* Waits for the work that is queued now, while others may queue more. Unlocks the victim. */
static int sundog_evict_wait_unlocked(struct sundog_bo *victim, struct drm_exec *exec)
{
	struct dma_fence *fence = NULL;
	long ret;

	ret = dma_resv_get_singleton(victim->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP, &fence);
	drm_exec_unlock_obj(exec, &victim->tbo.base);
	if (fence)
		ret = dma_fence_wait(fence, true);
	dma_fence_put(fence);
	return ret;
}

static int sundog_evict_victim(struct sundog_evict *evict, struct drm_exec *exec)
{
	struct sundog_bo *victim = evict->victim;
	long ret;

	ret = drm_exec_lock_obj(exec, &victim->tbo.base);
	if (ret)
		return ret;
	ret = sundog_evict_wait_idle(victim->tbo.base.resv, sundog_evict_is_shared(victim) ?
				     SUNDOG_EVICT_HOLD : MAX_SCHEDULE_TIMEOUT);
	if (!ret) {
		evict->spares_shared = true;
		return sundog_evict_wait_unlocked(victim, exec);
	}
	return ret < 0 ? ret : sundog_evict_bo(victim, evict);
}

/**
 * sundog_evict_wait() - wait for what sundog_evict_more() has found
 * @evict: the call, which has no BO of its own locked
 * @exec: its ww transaction
 *
 * If it evicts a BO, that stays locked by @exec.
 *
 * Return: 0, -EDEADLK on contention, -ERESTARTSYS, -EINTR or another negative error code.
 */
int sundog_evict_wait(struct sundog_evict *evict, struct drm_exec *exec)
{
	long ret = 0;

	if (evict->revoke) {
		sundog_evict_put_victims(evict);
		ret = sundog_revoke_wait(evict->sdev, evict->epoch, SUNDOG_REVOKE_TIMEOUT);
		if (ret < 0)
			return ret;
		evict->revoke = false;
		evict->n_revokes = ret ? evict->n_revokes + 1 : SUNDOG_EVICT_REVOKES;
		ret = 0;
	} else if (evict->victim) {
		ret = sundog_evict_victim(evict, exec);
	} else if (evict->zombie) {
		ret = min(sundog_evict_wait_idle(evict->zombie->base.resv,
						 MAX_SCHEDULE_TIMEOUT), 0L);
	}
	/* drm_exec locks it first when it starts over. */
	if (ret == -EDEADLK)
		return ret;
	if (evict->victim || evict->zombie) {
		evict->n_revokes = 0;
		evict->n_pauses = 0;
		evict->n_waits++;
	}
	sundog_evict_put_victims(evict);
	evict->epoch = sundog_revoke_epoch(evict->sdev);
	return ret;
}

static bool sundog_evict_may_pause(struct sundog_evict *evict)
{
	if (!evict->n_pauses++)
		evict->pauses_end = jiffies + SUNDOG_EVICT_PAUSES_END;
	return evict->n_pauses <= SUNDOG_EVICT_PAUSES || time_before(jiffies, evict->pauses_end);
}

/**
 * sundog_evict_more() - the call's BOs did not fit: find what to do about that
 * @evict: the call, which has no BO of its own locked
 * @exec: its ww transaction
 *
 * Cheap steps come first. Steps that wait for nobody are not interrupted, or a call that gets
 * signals would never come to the last of them.
 *
 * Return: 0: call sundog_evict_wait() and try again; -EALREADY: unlock everything, call
 * sundog_evict_claim() and try again; -ENOSPC: they do not fit into what is not pinned;
 * -ERESTARTSYS.
 */
int sundog_evict_more(struct sundog_evict *evict, struct drm_exec *exec)
{
	bool transient = false;

	if (fatal_signal_pending(current))
		return -ERESTARTSYS;
	if (evict->refused)
		return -EALREADY;
	if (!evict->claims && evict->n_waits >= SUNDOG_EVICT_CLAIM &&
	    !sundog_evict_try_claim(evict))
		return -EALREADY;
	if (evict->revoke)
		return 0;
	if (!evict->thorough) {
		evict->thorough = true;
		sundog_evict_put_victims(evict);
		return 0;
	}
	if (evict->victim || evict->zombie)
		return 0;
	if (evict->spared) {
		evict->spared = false;
		evict->spares_shared = false;
		return 0;
	}
	evict->victim = sundog_vram_find_locked(evict->sdev, evict->resv, &transient);
	if (evict->victim)
		return 0;
	if (sundog_revoke_is_pending(evict->sdev, evict->epoch)) {
		evict->revoke = sundog_evict_may_revoke(evict);
		if (evict->revoke)
			return 0;
		transient = true;
	}
	if (transient && sundog_evict_may_pause(evict)) {
		msleep(SUNDOG_EVICT_PAUSE_MS);
		return 0;
	}
	if (evict->repack)
		return -ENOSPC;
	evict->repack = true;
	evict->n_revokes = 0;
	evict->n_pauses = 0;
	return 0;
}
