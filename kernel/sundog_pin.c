// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Pinning: BOs that stay where they are, in VRAM while they are shown or the kernel maps them, in
 * heap GUEST while another driver shares them.
 *
 * A commit pins and unpins framebuffers with mode-setting locks held. Then it must not wait for a
 * BO's lock, whose holder may wait for jobs of any client, nor for such jobs itself. A work item
 * does that instead (struct sundog_pin_work), and the commit starts over.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/ttm/ttm_bo.h>

#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_evict.h"
#include "sundog_guest.h"
#include "sundog_pin.h"
#include "sundog_wq.h"

/* How long who attaches waits for an allocation that is in use. */
#define SUNDOG_ATTACH_TIMEOUT	(10 * HZ)
/* How often it tries the lock of one. */
#define SUNDOG_ATTACH_POLL	max(HZ / 100, 1)
/* How long a commit waits with mode-setting locks held. */
#define SUNDOG_PIN_WAIT		(HZ / 50)
/* The same for a commit of the kernel, which fails then and is repeated when the BO is in VRAM. */
#define SUNDOG_PIN_KERNEL_WAIT	(2 * HZ)
/* How long a BO stays pinned for a commit that starts over. */
#define SUNDOG_PIN_GRACE	HZ
/* How long suspend waits for a work item, which needs that only if it waits for a queued job. */
#define SUNDOG_PIN_SETTLE	(5 * HZ)

/**
 * struct sundog_pin_work - pins a BO in VRAM for a commit, and waits as long as that takes
 */
struct sundog_pin_work {
	/** @base: work item on sundog_flip_wq */
	struct work_struct base;
	/** @kref: held by the work item and by commits that wait */
	struct kref kref;
	/** @bo: BO, with a GEM reference; and its device is held */
	struct sundog_bo *bo;
	/** @done: @ret is valid */
	struct completion done;
	/** @ret: 0 if @bo is pinned, or a negative error code */
	int ret;
	/** @taken: completed with @is_taken */
	struct completion taken;
	/** @is_taken: the pin belongs to a commit, or is gone; protected by sundog_pin_lock */
	bool is_taken;
	/** @wants_event: a commit of the kernel is to be repeated; protected by sundog_pin_lock */
	bool wants_event;
};

/* Protects &sundog_bo.pin_work and two members of struct sundog_pin_work. Innermost. */
static DEFINE_SPINLOCK(sundog_pin_lock);

static void sundog_pin_evict_init(struct sundog_evict *evict, struct sundog_bo *bo)
{
	/* The end of VRAM, where it blocks no large range. */
	sundog_evict_init(evict, sundog_bo_device(bo), TTM_PL_FLAG_TOPDOWN);
	if (bo->file_resv)
		evict->resv = &bo->file_resv->resv;
}

/* Only VRAM can be shown or mapped, so not while another driver shares the pages. */
static int sundog_pin_vram_try(struct sundog_bo *bo, struct sundog_evict *evict)
{
	int ret;

	if (bo->guest)
		return -EINVAL;
	if (!sundog_bo_needs_vram(bo))
		return -EBUSY;
	ret = sundog_evict_place(bo, evict);
	if (!ret)
		ttm_bo_pin(&bo->tbo);
	return ret;
}

/**
 * sundog_pin_vram_locked() - try once to bring a BO into VRAM and keep it there
 * @bo: BO, its dma_resv is locked
 *
 * Return: 0, -EINVAL if it was imported, -EBUSY if it is shared, -ENOSPC, -ERESTARTSYS or another
 * negative error code.
 */
int sundog_pin_vram_locked(struct sundog_bo *bo)
{
	struct sundog_evict evict;
	int ret;

	sundog_pin_evict_init(&evict, bo);
	ret = sundog_pin_vram_try(bo, &evict);
	sundog_evict_fini(&evict);
	return ret;
}

static int sundog_pin_vram_once(struct sundog_bo *bo, struct sundog_evict *evict)
{
	struct drm_exec exec;
	int ret = 0;

	drm_exec_init(&exec, DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(&exec) {
		do {
			ret = sundog_evict_wait(evict, &exec);
			if (!ret)
				ret = drm_exec_lock_obj(&exec, &bo->tbo.base);
			if (ret)
				break;
			ret = sundog_pin_vram_try(bo, evict);
			if (ret != -ENOSPC)
				break;
			drm_exec_unlock_obj(&exec, &bo->tbo.base);
			ret = sundog_evict_more(evict, &exec);
		} while (!ret);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
	}
	drm_exec_fini(&exec);
	return ret;
}

/* The same for a caller that may wait for jobs of any client. */
static int sundog_pin_vram_wait(struct sundog_bo *bo)
{
	struct sundog_evict evict;
	int ret;

	sundog_pin_evict_init(&evict, bo);
	do {
		ret = sundog_pin_vram_once(bo, &evict);
	} while (ret == -EALREADY && !(ret = sundog_evict_claim(&evict)));
	sundog_evict_fini(&evict);
	return ret;
}

static void sundog_pin_work_free(struct kref *kref)
{
	struct sundog_pin_work *work = container_of(kref, struct sundog_pin_work, kref);
	struct drm_device *drm = work->bo->tbo.base.dev;

	sundog_bo_put(work->bo);
	drm_dev_put(drm);
	kfree(work);
}

/* Returns true for one caller only, if the BO is pinned. */
static bool sundog_pin_work_take(struct sundog_pin_work *work)
{
	bool mine;

	spin_lock(&sundog_pin_lock);
	mine = !work->ret && !work->is_taken;
	work->is_taken = true;
	spin_unlock(&sundog_pin_lock);
	complete(&work->taken);
	return mine;
}

/* Before the reference to the device is dropped that the work item has. */
static void sundog_pin_end_work(struct sundog_device *sdev)
{
	if (atomic_dec_and_test(&sdev->n_pins))
		wake_up_var(&sdev->n_pins);
}

/* Completes @done. Returns true if a commit has failed that did not wait for that. */
static bool sundog_pin_work_done(struct sundog_pin_work *work)
{
	bool wants_event;

	spin_lock(&sundog_pin_lock);
	complete_all(&work->done);
	wants_event = work->wants_event;
	spin_unlock(&sundog_pin_lock);
	return wants_event;
}

/* Returns false if the work item is done. */
static bool sundog_pin_work_want_event(struct sundog_pin_work *work)
{
	bool wants_event;

	spin_lock(&sundog_pin_lock);
	wants_event = !completion_done(&work->done);
	work->wants_event |= wants_event;
	spin_unlock(&sundog_pin_lock);
	return wants_event;
}

static void sundog_pin_work(struct work_struct *base)
{
	struct sundog_pin_work *work = container_of(base, struct sundog_pin_work, base);

	work->ret = sundog_pin_vram_wait(work->bo);
	if (sundog_pin_work_done(work) && !work->ret)
		sundog_device_raise_hotplug(sundog_bo_device(work->bo));
	if (!work->ret)
		wait_for_completion_timeout(&work->taken, SUNDOG_PIN_GRACE);
	spin_lock(&sundog_pin_lock);
	work->bo->pin_work = NULL;
	spin_unlock(&sundog_pin_lock);
	if (sundog_pin_work_take(work))
		sundog_unpin(work->bo);
	sundog_pin_end_work(sundog_bo_device(work->bo));
	kref_put(&work->kref, sundog_pin_work_free);
}

/* The work item of the BO, started if there is none. */
static struct sundog_pin_work *sundog_pin_work_get(struct sundog_bo *bo)
{
	struct sundog_pin_work *work, *new = kzalloc_obj(*new, GFP_KERNEL);

	if (!new)
		return NULL;
	INIT_WORK(&new->base, sundog_pin_work);
	kref_init(&new->kref);
	init_completion(&new->done);
	init_completion(&new->taken);
	new->bo = bo;
	spin_lock(&sundog_pin_lock);
	work = bo->pin_work ?: new;
	bo->pin_work = work;
	kref_get(&work->kref);
	spin_unlock(&sundog_pin_lock);
	if (work != new) {
		kfree(new);
		return work;
	}
	drm_gem_object_get(&bo->tbo.base);
	drm_dev_get(bo->tbo.base.dev);
	atomic_inc(&sundog_bo_device(bo)->n_pins);
	queue_work(sundog_flip_wq, &work->base);
	return work;
}

/**
 * sundog_pin_settle() - wait until no work item pins or unpins an allocation
 * @sdev: device whose heads are off and whose schedulers are stopped
 *
 * A work item that waits for a queued job does not end, and that job may wait for a fence of a
 * device that is asleep already.
 *
 * Waits for SUNDOG_PIN_SETTLE at most: @sdev->n_pins says whether there is one still.
 */
void sundog_pin_settle(struct sundog_device *sdev)
{
	wait_var_event_timeout(&sdev->n_pins, !atomic_read(&sdev->n_pins), SUNDOG_PIN_SETTLE);
}

static int sundog_pin_work_wait(struct sundog_pin_work *work, bool starts_over)
{
	long left;

	if (starts_over)
		left = wait_for_completion_interruptible_timeout(&work->done, SUNDOG_PIN_WAIT);
	else
		left = wait_for_completion_timeout(&work->done, SUNDOG_PIN_KERNEL_WAIT);
	if (left < 0)
		return left;
	if (!left && starts_over)
		return -EAGAIN;
	if (!left && sundog_pin_work_want_event(work))
		return -EBUSY;
	if (work->ret)
		return work->ret;
	return sundog_pin_work_take(work) ? 0 : -EAGAIN;
}

static int sundog_pin_vram_now(struct sundog_bo *bo)
{
	int ret;

	if (!dma_resv_trylock(bo->tbo.base.resv))
		return -EAGAIN;
	ret = sundog_pin_vram_locked(bo);
	dma_resv_unlock(bo->tbo.base.resv);
	return ret;
}

/**
 * sundog_pin_vram() - bring a BO into VRAM and keep it there, whatever has to leave for that
 * @bo: BO
 * @starts_over: the caller is an ioctl, which user space repeats after EINTR and EAGAIN
 *
 * Holds mode-setting locks for SUNDOG_PIN_WAIT only, if @starts_over: meanwhile or by the next call
 * a work item brings @bo into VRAM. Other callers (the console that comes back, a switch of
 * terminals, a hot-plug, resume) have no next call. They wait for SUNDOG_PIN_KERNEL_WAIT, and
 * signals do not interrupt them: a killed process has one pending to its end. If that is too short,
 * there is a hot-plug event when @bo is in VRAM, and whoever shows something sets his modes again.
 *
 * Return: 0, -ENOSPC, -EAGAIN, -ERESTARTSYS, -EBUSY if a hot-plug event will follow, or another
 * negative error code.
 */
int sundog_pin_vram(struct sundog_bo *bo, bool starts_over)
{
	struct sundog_pin_work *work;
	int ret;

	do {
		ret = sundog_pin_vram_now(bo);
		if (ret != -ENOSPC && ret != -EAGAIN)
			return ret;
		work = sundog_pin_work_get(bo);
		if (!work)
			return -ENOMEM;
		ret = sundog_pin_work_wait(work, starts_over);
		kref_put(&work->kref, sundog_pin_work_free);
		/* Another has taken the pin, and the work item is about to end. */
		if (ret == -EAGAIN && !starts_over)
			fsleep(USEC_PER_MSEC);
	} while (ret == -EAGAIN && !starts_over);
	return ret;
}

/* As sundog_pin_vram_locked(), for another driver; -EAGAIN if it is in use. */
static int sundog_pin_guest_locked(struct sundog_bo *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_placement tt = sundog_placement_tt;
	int ret;

	if (bo->tbo.pin_count && sundog_bo_needs_vram(bo))
		return -EBUSY;
	if (sundog_bo_is_placed(bo) && !bo->in_guest && !sundog_bo_is_idle(bo))
		return -EAGAIN;
	ret = ttm_bo_validate(&bo->tbo, &tt, &ctx);
	if (!ret && !sundog_bo_is_placed(bo))
		ret = -EIO;
	if (!ret)
		ttm_bo_pin(&bo->tbo);
	return ret;
}

/**
 * sundog_pin_guest() - bring an allocation into heap GUEST and keep it there
 * @bo: allocation of our own
 *
 * Waits for jobs that use it and for its lock, whose holder may wait for jobs of anybody. Not for
 * long, though: importers call this with locks of their own.
 *
 * Return: 0, -EOPNOTSUPP if the device has no heap GUEST or cannot have these pages, -ENOMEM also
 * if the heap is full, -EBUSY if @bo is pinned in VRAM or stays in use, -ERESTARTSYS or another
 * error code.
 */
int sundog_pin_guest(struct sundog_bo *bo)
{
	struct sundog_device *sdev = sundog_bo_device(bo);
	struct dma_resv *resv = bo->tbo.base.resv;
	long left = SUNDOG_ATTACH_TIMEOUT;
	int ret;

	if (!sundog_guest_has_heap(sdev) || !sundog_bo_can_move(sdev))
		return -EOPNOTSUPP;
	while (left > 0) {
		if (!dma_resv_trylock(resv)) {
			if (signal_pending(current))
				return -ERESTARTSYS;
			left -= SUNDOG_ATTACH_POLL -
				schedule_timeout_interruptible(SUNDOG_ATTACH_POLL);
			continue;
		}
		ret = sundog_pin_guest_locked(bo);
		dma_resv_unlock(resv);
		if (ret != -EAGAIN)
			return ret;
		left = dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, true, left);
	}
	return left < 0 ? left : -EBUSY;
}

struct sundog_unpin_work {
	struct work_struct base;
	struct sundog_bo *bo;
};

static void sundog_unpin_work(struct work_struct *base)
{
	struct sundog_unpin_work *work = container_of(base, struct sundog_unpin_work, base);
	struct drm_device *drm = work->bo->tbo.base.dev;

	dma_resv_lock(work->bo->tbo.base.resv, NULL);
	ttm_bo_unpin(&work->bo->tbo);
	dma_resv_unlock(work->bo->tbo.base.resv);
	sundog_bo_put(work->bo);
	sundog_pin_end_work(to_sundog_device(drm));
	drm_dev_put(drm);
	kfree(work);
}

/**
 * sundog_unpin() - undo one of sundog_pin_vram() and sundog_pin_guest()
 * @bo: BO
 *
 * Does not wait for a lock that another thread holds: then it is done a little later.
 */
void sundog_unpin(struct sundog_bo *bo)
{
	struct sundog_unpin_work *work = NULL;
	struct dma_resv *resv = bo->tbo.base.resv;

	if (!dma_resv_trylock(resv)) {
		work = kmalloc_obj(*work, GFP_KERNEL);
		if (!work)
			dma_resv_lock(resv, NULL);
	}
	if (!work) {
		ttm_bo_unpin(&bo->tbo);
		dma_resv_unlock(resv);
		return;
	}
	INIT_WORK(&work->base, sundog_unpin_work);
	work->bo = bo;
	drm_gem_object_get(&bo->tbo.base);
	drm_dev_get(bo->tbo.base.dev);
	atomic_inc(&sundog_bo_device(bo)->n_pins);
	queue_work(sundog_flip_wq, &work->base);
}
