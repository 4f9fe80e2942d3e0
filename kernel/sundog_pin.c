// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Pins of BOs: in VRAM while a head scans them out or the kernel maps them; in heap GUEST (TT)
 * while another driver shares them. The dma_resv of a BO protects its pin count.
 *
 * Commits pin and unpin framebuffers with mode-setting locks held. They must not wait for a
 * dma_resv lock, whose holder may wait for jobs of any client, nor for such jobs. A work item waits
 * instead (struct sundog_pin_work), and the commit restarts.
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

/* Time that sundog_pin_guest() waits for a busy allocation, in jiffies like all that follow. */
#define SUNDOG_ATTACH_TIMEOUT	(10 * HZ)
/* Interval at which sundog_pin_guest() tries a contended dma_resv lock. */
#define SUNDOG_ATTACH_POLL	max(HZ / 100, 1)
/* Time that the commit of an ioctl waits with mode-setting locks held. */
#define SUNDOG_PIN_WAIT		(HZ / 50)
/* Same for a commit of the kernel. It then fails, and is repeated when the BO is in VRAM. */
#define SUNDOG_PIN_KERNEL_WAIT	(2 * HZ)
/* Time that a BO stays pinned for a commit that restarts. */
#define SUNDOG_PIN_GRACE	HZ
/* Time that suspend waits for work items. Only an item that waits for a queued job needs longer. */
#define SUNDOG_PIN_SETTLE	(5 * HZ)

/**
 * struct sundog_pin_work - work item that pins a BO in VRAM for a commit, without a time limit
 */
struct sundog_pin_work {
	/** @base: work item on sundog_flip_wq */
	struct work_struct base;
	/** @kref: held by the work item and by commits that wait */
	struct kref kref;
	/** @bo: BO, with a GEM reference and a reference to its DRM device */
	struct sundog_bo *bo;
	/** @done: @ret is valid */
	struct completion done;
	/** @ret: 0 if @bo is pinned, or a negative error code */
	int ret;
	/** @taken: completed when @is_taken is set */
	struct completion taken;
	/** @is_taken: a commit owns the pin, or it has ended; protected by sundog_pin_lock */
	bool is_taken;
	/** @wants_event: a commit of the kernel needs a hot-plug event; under sundog_pin_lock */
	bool wants_event;
};

/* Protects &sundog_bo.pin_work, and @is_taken and @wants_event of the work items. Innermost. */
static DEFINE_SPINLOCK(sundog_pin_lock);

static void sundog_pin_evict_init(struct sundog_evict *evict, struct sundog_bo *bo)
{
	/* Pin at the end of VRAM, where the BO fragments no large free range. */
	sundog_evict_init(evict, sundog_bo_device(bo), TTM_PL_FLAG_TOPDOWN);
	if (bo->file_resv)
		evict->resv = bo->file_resv->base.resv;
}

/* Scanout and kernel mappings need VRAM, so fails while another driver shares the pages. */
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

static int sundog_pin_vram_single(struct sundog_bo *bo, bool no_wait)
{
	struct sundog_evict evict;
	int ret;

	sundog_pin_evict_init(&evict, bo);
	evict.no_wait = no_wait;
	ret = sundog_pin_vram_try(bo, &evict);
	sundog_evict_fini(&evict);
	return ret;
}

/**
 * sundog_pin_vram_locked() - try once to move a BO to VRAM and pin it
 * @bo: BO, its dma_resv is locked
 *
 * Return: 0, -EINVAL if @bo is an import, -EBUSY if another driver shares it, -ENOSPC, -ERESTARTSYS
 * or another negative error code.
 */
int sundog_pin_vram_locked(struct sundog_bo *bo)
{
	return sundog_pin_vram_single(bo, false);
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
				ret = drm_exec_lock_obj(&exec, sundog_bo_lock_obj(bo));
			if (ret)
				break;
			ret = sundog_pin_vram_try(bo, evict);
			if (ret != -ENOSPC)
				break;
			drm_exec_unlock_obj(&exec, sundog_bo_lock_obj(bo));
			ret = sundog_evict_more(evict);
		} while (!ret);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
	}
	drm_exec_fini(&exec);
	return ret;
}

/* Locks a BO and pins it in VRAM. May wait for jobs of any client. */
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

/* Takes over the pin of the BO. Returns true for one caller only, and only if the BO is pinned. */
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

/* Called before the work item drops its reference to the DRM device. */
static void sundog_pin_end_work(struct sundog_device *sdev)
{
	if (atomic_dec_and_test(&sdev->n_pins))
		wake_up_var(&sdev->n_pins);
}

/* Completes @done. Returns true if a commit of the kernel has given up waiting for it. */
static bool sundog_pin_work_done(struct sundog_pin_work *work)
{
	bool wants_event;

	spin_lock(&sundog_pin_lock);
	complete_all(&work->done);
	wants_event = work->wants_event;
	spin_unlock(&sundog_pin_lock);
	return wants_event;
}

/* Requests a hot-plug event from the work item. Returns false if the item is done already. */
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

/* Returns the work item of the BO, with a reference; queues a new one if it has none. */
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
 * A work item that waits for a queued job does not end. The job may wait for a fence of a device
 * that is suspended already. The wait therefore ends after SUNDOG_PIN_SETTLE. The caller finds the
 * number of remaining work items in @sdev->n_pins.
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
	ret = sundog_pin_vram_single(bo, true);
	dma_resv_unlock(bo->tbo.base.resv);
	return ret;
}

/**
 * sundog_pin_vram() - move a BO to VRAM and pin it, evicting other BOs as needed
 * @bo: BO
 * @starts_over: the caller is an ioctl, which user space repeats after EINTR and EAGAIN
 *
 * If there is no space, or the dma_resv is locked, a work item pins @bo. An ioctl waits for it for
 * SUNDOG_PIN_WAIT, since it holds mode-setting locks, and takes the pin then or in its next call.
 * Other callers (the console that returns, a VT switch, a hot-plug, resume) have no next call. They
 * wait for SUNDOG_PIN_KERNEL_WAIT. Signals do not interrupt that, because an exiting process that
 * was killed always has one pending. After a timeout the work item sends a hot-plug event when @bo
 * is in VRAM, so that clients and the console set their modes again.
 *
 * Context: may sleep; mode-setting locks may be held.
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
		/* Another commit has taken the pin, and the work item is about to end. */
		if (ret == -EAGAIN && !starts_over)
			fsleep(USEC_PER_MSEC);
	} while (ret == -EAGAIN && !starts_over);
	return ret;
}

/* Pins in TT, for another driver; the dma_resv is locked. Returns -EAGAIN if the BO is busy. */
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
 * sundog_pin_guest() - move an allocation to heap GUEST (TT) and pin it
 * @bo: allocation that is not an import
 *
 * Waits for jobs that use @bo, and for its dma_resv lock, whose holder may wait for jobs of any
 * client. Importers call this with locks of their own held, so the wait has a limit.
 *
 * Return: 0, -EOPNOTSUPP if the device has no heap GUEST or cannot map these pages, -ENOMEM also if
 * the heap is full, -EBUSY if @bo is pinned in VRAM or stays busy, -ERESTARTSYS or another error
 * code.
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
 * sundog_unpin() - drop one pin of sundog_pin_vram() or sundog_pin_guest()
 * @bo: BO
 *
 * If another thread holds the dma_resv lock, a work item unpins @bo later, if memory permits.
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
