// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Eviction from VRAM for a call that needs BOs in VRAM: SUBMIT, and the pin of a framebuffer.
 *
 * All functions run in the context of that call and work on its struct sundog_evict, which no other
 * thread uses. Only &sundog_device.claim is shared, which is accessed atomically.
 *
 * TTM evicts idle BOs that it can lock at once, least recently used first. It does not
 * wait for fences (no_wait_gpu). If that is not enough, the call selects a busy BO as the victim,
 * waits until it is idle, and evicts it. It does so in a ww transaction (drm_exec):
 *
 *	- The call locks the victim with its ticket. So the victim gets no new users, and the wait
 *	  ends with the jobs that are queued. A victim with a dma-buf is locked for
 *	  SUNDOG_EVICT_HOLD only, then the call waits without the lock: other drivers and
 *	  DMA_BUF_IOCTL_IMPORT_SYNC_FILE wait for it uninterruptibly. From then on the call selects
 *	  such BOs only if there are no other victims.
 *	- The call keeps the victim locked until it has placed its own BOs. So the users of the
 *	  victim cannot bring it back earlier; they queue behind the call. It unlocks a victim that
 *	  did not move at once. If it has to wait again, it first unlocks victims with a dma-buf and
 *	  PRIVATE BOs of its own file.
 *	- PRIVATE BOs of a file share one dma_resv. TTM cannot lock the others while the call has
 *	  that locked. So the call evicts those that have no GEM reference, which cannot be victims
 *	  themselves.
 *	- The call unlocks its own BOs before it waits. So their other users need not wait for the
 *	  users of the victim.
 *	- If a lock is contended, drm_exec drops all locks and starts over with the same ticket. The
 *	  oldest ticket never has to.
 *
 * So the oldest call has one more BO out of VRAM after each wait. Other calls may take the space
 * with new BOs, though. A call that has waited SUNDOG_EVICT_CLAIM times therefore claims all VRAM
 * that becomes free. Other calls that need space drop all their locks, and queue for the claim.
 *
 * Queued jobs need no more space, so the claim ends. Its call succeeds if its BOs fit into the VRAM
 * that is not pinned. A long job may delay that. A call that has queued for SUNDOG_EVICT_QUEUE
 * therefore ignores the claim. So a client that always frees BOs and needs new ones gets the space
 * for one call in that time.
 *
 * TTM's own wait cannot do this. It keeps the BOs of the caller locked while it waits, and unlocks
 * an evicted BO before the caller has enough space. It turns -EDEADLK into -ENOSPC. It does not
 * know that a worker must unmap memory before another owner gets it (sundog_revoke.c).
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

/* Pause for memory that is about to be freed, or about to be used by the call that reserved it. */
#define SUNDOG_EVICT_PAUSE_MS	10
/*
 * A call pauses until both limits are exceeded, and tries again after each pause. A host with few
 * CPUs takes seconds to stop a worker.
 */
#define SUNDOG_EVICT_PAUSES	20
#define SUNDOG_EVICT_PAUSES_END	(10 * HZ)
/* Number of waits after which a call claims the VRAM that becomes free. */
#define SUNDOG_EVICT_CLAIM	8
/* Time for which a call keeps a victim with a dma-buf locked, in jiffies. */
#define SUNDOG_EVICT_HOLD	(HZ / 10)
/* Time for which a call queues for the claim, in jiffies. */
#define SUNDOG_EVICT_QUEUE	HZ

/**
 * sundog_evict_init() - initialize the state of a call that brings BOs into VRAM
 * @evict: state of the call
 * @sdev: device
 * @flags: TTM_PL_FLAG_* for the placement in VRAM
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
 * sundog_evict_fini() - drop the references and the claim of a call
 * @evict: the call
 */
void sundog_evict_fini(struct sundog_evict *evict)
{
	sundog_evict_put_victims(evict);
	sundog_evict_end_claim(evict);
}

/**
 * sundog_evict_claim() - queue for the claim of VRAM, and take it
 * @evict: the call, which holds no dma_resv at all
 *
 * After SUNDOG_EVICT_QUEUE the call goes on without the claim, and ignores those of other calls.
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
	/* This call may have consumed the wakeup of a waiter that can take the claim. */
	if (evict->unclaimed)
		wake_up(&sdev->claim_wait);
	return left < 0 ? left : 0;
}

static bool sundog_evict_is_shared(const struct sundog_bo *bo)
{
	return READ_ONCE(bo->n_dma_bufs);
}

/**
 * sundog_evict_note_busy() - note a busy BO whose memory a call needs, or that it has to move
 * @evict: the call
 * @tbo: BO in VRAM or a BO of the call, its dma_resv is locked
 *
 * The call waits for the first such BO, and for a zombie last: drm_exec can lock only a BO that
 * still has a GEM reference.
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
 * @evict: the call that needs the allocation in VRAM
 *
 * Evicts idle BOs to make space, and waits for no busy ones.
 *
 * Return: 0, -ENOSPC if VRAM has no space, or if @bo is in TT or busy elsewhere, -EBUSY if it is
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
	/*
	 * A move out of TT waits until the device has returned the pages. sundog_evict_victim()
	 * does that with no other BO of the call locked.
	 */
	if (bo->tbo.resource->mem_type == TTM_PL_TT ||
	    (bo->tbo.resource->mem_type != SUNDOG_PL_UNPOPULATED && !sundog_bo_is_unused(bo))) {
		sundog_evict_note_busy(evict, &bo->tbo);
		return -ENOSPC;
	}
	/* PRIVATE BOs that the call does not list may be evicted, though their lock is held. */
	ctx.resv = evict->resv;
	ctx.allow_res_evict = evict->resv;
	ctx.no_wait_gpu = true;
	ret = ttm_bo_validate(&bo->tbo, &evict->placement, &ctx);
	/*
	 * TTM returns -ENOMEM also if it finds no space, which is nearly always the reason.
	 * -ENOBUFS is from sundog_vram.c: the call must wait for a revoke or for the claim.
	 */
	return ret == -ENOMEM || ret == -ENOBUFS ? -ENOSPC : ret;
}

static int sundog_evict_to_system(struct ttm_buffer_object *tbo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_placement system = sundog_placement_system;

	return ttm_bo_validate(tbo, &system, &ctx);
}

/**
 * sundog_evict_bo() - evict an allocation from VRAM, if it can move
 * @bo: allocation, its dma_resv is locked
 * @evict: the call that needs the space; if @bo is busy, its next wait is for @bo
 *
 * Leaves zombies in place, which are freed soon.
 *
 * Return: 0 or a negative error code.
 */
int sundog_evict_bo(struct sundog_bo *bo, struct sundog_evict *evict)
{
	dma_resv_assert_held(bo->tbo.base.resv);
	if (!sundog_bo_is_placed(bo) || bo->in_guest || bo->tbo.pin_count ||
	    READ_ONCE(bo->zombie) || !sundog_bo_can_move(sundog_bo_device(bo)))
		return 0;
	if (!sundog_bo_is_idle(bo)) {
		sundog_evict_note_busy(evict, &bo->tbo);
		return 0;
	}
	return sundog_evict_to_system(&bo->tbo);
}

static long sundog_evict_wait_idle(struct dma_resv *resv, long timeout)
{
	return dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, true, timeout);
}

/* Unlocks the victims that have a dma-buf, other than @except: other drivers want their locks. */
static void sundog_evict_unlock_shared(struct sundog_evict *evict, struct drm_exec *exec,
				       const struct drm_gem_object *except)
{
	struct drm_gem_object *obj;

	drm_exec_for_each_locked_object_reverse(exec, obj) {
		/* Locks of PRIVATE BOs are other GEM objects, and those BOs are never shared. */
		if (obj != except && obj->funcs == evict->sdev->gem_funcs &&
		    sundog_evict_is_shared(to_sundog_bo(obj)))
			drm_exec_unlock_obj(exec, obj);
	}
}

/*
 * Waits until a locked victim is idle. This and earlier ones may get a dma-buf meanwhile. Returns 0
 * if this one has one and is still busy after SUNDOG_EVICT_HOLD.
 */
static long sundog_evict_wait_locked(struct sundog_evict *evict, struct drm_exec *exec,
				     struct sundog_bo *victim)
{
	bool shared;
	long ret;

	do {
		sundog_evict_unlock_shared(evict, exec, &victim->tbo.base);
		shared = sundog_evict_is_shared(victim);
		ret = sundog_evict_wait_idle(victim->tbo.base.resv, SUNDOG_EVICT_HOLD);
	} while (!ret && !shared);
	return ret;
}

/* Unlocks the victim, and waits for its queued jobs; other calls may queue more meanwhile. */
static int sundog_evict_wait_unlocked(struct sundog_bo *victim, struct drm_exec *exec)
{
	struct dma_fence *fence = NULL;
	long ret;

	ret = dma_resv_get_singleton(victim->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP, &fence);
	drm_exec_unlock_obj(exec, sundog_bo_lock_obj(victim));
	if (fence)
		ret = dma_fence_wait(fence, true);
	dma_fence_put(fence);
	return ret;
}

/* Evicts all PRIVATE BOs of a file that have no GEM reference. They are idle, and locked. */
static int sundog_evict_zombies(struct sundog_device *sdev, struct dma_resv *resv)
{
	struct ttm_buffer_object *tbo;
	int ret = 0;

	dma_resv_assert_held(resv);
	while (!ret && (tbo = sundog_vram_find_zombie(sdev, resv))) {
		/* TTM may have begun to free it since, and has given it a dma_resv of its own. */
		if (tbo->base.resv == resv && !tbo->deleted)
			ret = sundog_evict_to_system(tbo);
		ttm_bo_fini(tbo);
		if (fatal_signal_pending(current))
			ret = -ERESTARTSYS;
		cond_resched();
	}
	return ret;
}

/* A BO of the call that is in TT moves to system. In ioctls -EIO means that a context is lost. */
static int sundog_evict_move(struct sundog_evict *evict, struct sundog_bo *victim)
{
	int ret;

	if (victim->tbo.resource->mem_type != TTM_PL_TT || victim->tbo.pin_count)
		return sundog_evict_bo(victim, evict);
	ret = sundog_evict_to_system(&victim->tbo);
	return ret == -EIO ? -EBUSY : ret;
}

/* Waits for the victim and evicts it. It may have been pinned since it was selected. */
static int sundog_evict_victim(struct sundog_evict *evict, struct drm_exec *exec)
{
	struct sundog_bo *victim = evict->victim;
	long ret;

	ret = drm_exec_lock_obj(exec, sundog_bo_lock_obj(victim));
	if (ret)
		return ret;
	ret = 1;
	if (!victim->tbo.pin_count)
		ret = sundog_evict_wait_locked(evict, exec, victim);
	if (!ret) {
		evict->spares_shared = true;
		return sundog_evict_wait_unlocked(victim, exec);
	}
	if (ret < 0)
		return ret;
	ret = sundog_evict_move(evict, victim);
	if (!ret && victim->file_resv)
		ret = sundog_evict_zombies(evict->sdev, victim->tbo.base.resv);
	/* Otherwise there is nothing to keep its users from. */
	if (!ret && (victim->tbo.resource->mem_type != TTM_PL_SYSTEM || victim->tbo.pin_count))
		drm_exec_unlock_obj(exec, sundog_bo_lock_obj(victim));
	return ret;
}

/*
 * A BO that has no GEM reference gets no jobs any more, but other PRIVATE BOs of its file do, whose
 * fences are its own. Waits with the lock of these, and evicts what it would have to wait for. TTM
 * has given a BO that it is about to free fences of its own.
 */
static int sundog_evict_zombie(struct sundog_evict *evict, struct drm_exec *exec)
{
	struct sundog_bo *bo = to_sundog_bo(&evict->zombie->base);
	struct dma_resv *resv = bo->tbo.base.resv;
	long ret;

	if (!bo->file_resv || resv != bo->file_resv->base.resv)
		return min(sundog_evict_wait_idle(resv, MAX_SCHEDULE_TIMEOUT), 0L);
	ret = drm_exec_lock_obj(exec, sundog_bo_lock_obj(bo));
	if (ret)
		return ret;
	ret = sundog_evict_wait_idle(resv, MAX_SCHEDULE_TIMEOUT);
	if (ret < 0)
		return ret;
	ret = sundog_evict_zombies(evict->sdev, resv);
	/* Nobody can bring them back. */
	drm_exec_unlock_obj(exec, sundog_bo_lock_obj(bo));
	return ret;
}

/**
 * sundog_evict_wait() - wait for the victim, zombie or revoke that sundog_evict_more() selected
 * @evict: the call, which has none of its own BOs locked
 * @exec: ww transaction of the call
 *
 * If it evicts a victim, @exec keeps that locked. Does nothing if nothing was selected.
 *
 * Return: 0, -EDEADLK on contention, -ERESTARTSYS, -EINTR or another negative error code.
 */
int sundog_evict_wait(struct sundog_evict *evict, struct drm_exec *exec)
{
	long ret = 0;

	sundog_evict_unlock_shared(evict, exec, NULL);
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
		ret = sundog_evict_zombie(evict, exec);
	}
	/* drm_exec locks the contended victim first when it starts over. */
	if (ret == -EDEADLK)
		return ret;
	if (evict->victim || evict->zombie) {
		evict->n_revokes = 0;
		evict->n_pauses = 0;
		evict->n_waits++;
	}
	sundog_evict_put_victims(evict);
	evict->epoch = sundog_revoke_epoch(evict->sdev);
	evict->transient = false;
	return ret;
}

static bool sundog_evict_may_pause(struct sundog_evict *evict)
{
	if (!evict->n_pauses++)
		evict->pauses_end = jiffies + SUNDOG_EVICT_PAUSES_END;
	return evict->n_pauses <= SUNDOG_EVICT_PAUSES || time_before(jiffies, evict->pauses_end);
}

/**
 * sundog_evict_more() - select the next step of a call whose BOs did not fit
 * @evict: the call, which has none of its own BOs locked
 *
 * Cheap steps come first. Only fatal signals interrupt a step that does not wait. Otherwise a call
 * with frequent signals would never reach the last step.
 *
 * Return: 0: call sundog_evict_wait() and try again; -EALREADY: unlock everything, call
 * sundog_evict_claim() and try again; -ENOSPC: the BOs do not fit into VRAM that is not pinned;
 * -ERESTARTSYS.
 */
int sundog_evict_more(struct sundog_evict *evict)
{
	bool transient = evict->transient;

	if (fatal_signal_pending(current))
		return -ERESTARTSYS;
	if (evict->refused)
		return -EALREADY;
	if (!evict->claims && evict->n_waits >= SUNDOG_EVICT_CLAIM &&
	    !sundog_evict_try_claim(evict) && !evict->unclaimed)
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
