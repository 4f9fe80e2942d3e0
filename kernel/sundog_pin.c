// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Pinning: allocations that stay where they are, in VRAM while they are shown or the kernel maps
 * them, in heap GUEST while another driver shares them.
 */

#include <linux/dma-resv.h>
#include <linux/workqueue.h>

#include <drm/ttm/ttm_bo.h>

#include "sundog_bo.h"
#include "sundog_guest.h"
#include "sundog_pin.h"
#include "sundog_placement.h"
#include "sundog_room.h"
#include "sundog_wq.h"

/* How long who attaches waits for an allocation that is in use. */
#define SUNDOG_ATTACH_TIMEOUT	(10 * HZ)

/**
 * sundog_pin_vram_locked() - try once to bring an allocation into VRAM and keep it there
 * @bo: allocation, its dma_resv is locked
 *
 * Only VRAM can be shown or mapped, so not while another driver shares the pages.
 *
 * Return: 0, -EINVAL if it was imported, -EBUSY if it is shared, -ENOSPC, -ERESTARTSYS or another
 * negative error code.
 */
int sundog_pin_vram_locked(struct sundog_bo *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int ret;

	if (bo->guest)
		return -EINVAL;
	if (!sundog_bo_needs_vram(bo))
		return -EBUSY;
	ret = sundog_bo_place(bo, &sundog_placement_vram_top, &ctx);
	if (!ret)
		ttm_bo_pin(&bo->tbo);
	return ret;
}

static int sundog_pin_vram_here(struct sundog_bo *bo, bool bounded)
{
	struct dma_resv *resv = bo->tbo.base.resv;
	struct sundog_room room;
	int ret;

	ret = sundog_room_begin(&room, sundog_bo_device(bo), !sundog_bo_is_placed(bo), bounded);
	while (!ret) {
		ret = dma_resv_lock_interruptible(resv, NULL);
		if (ret)
			break;
		if (room.stage == SUNDOG_ROOM_NONE && !sundog_bo_is_ready(bo))
			ret = -ENOSPC;
		else
			ret = sundog_pin_vram_locked(bo);
		dma_resv_unlock(resv);
		if (ret != -ENOSPC)
			break;
		ret = sundog_room_more(&room);
	}
	sundog_room_end(&room);
	return ret;
}

struct sundog_pin_work {
	struct work_struct base;
	struct sundog_bo *bo;
	int ret;
};

static void sundog_pin_work(struct work_struct *base)
{
	struct sundog_pin_work *work = container_of(base, struct sundog_pin_work, base);

	work->ret = sundog_pin_vram_here(work->bo, true);
}

/**
 * sundog_pin_vram() - bring an allocation into VRAM and keep it there, whatever has to go for that
 * @bo: allocation
 * @starts_over: who is interrupted by a signal comes again
 *
 * Who does not come again must not be interrupted. If he has a signal pending, and a killed process
 * has one to its end, each of his waits fails: another thread waits for him.
 *
 * Return: 0, -ENOSPC, -ERESTARTSYS or another negative error code.
 */
int sundog_pin_vram(struct sundog_bo *bo, bool starts_over)
{
	struct sundog_pin_work work = { .bo = bo };
	int ret = sundog_pin_vram_here(bo, !starts_over);

	if (starts_over || (ret != -ERESTARTSYS && ret != -EINTR))
		return ret;
	INIT_WORK_ONSTACK(&work.base, sundog_pin_work);
	queue_work(sundog_flip_wq, &work.base);
	flush_work(&work.base);
	destroy_work_on_stack(&work.base);
	return work.ret;
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
 * Waits for jobs that use it, but not for long: importers call this with locks of their own.
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
		ret = dma_resv_lock_interruptible(resv, NULL);
		if (ret)
			return ret;
		ret = sundog_pin_guest_locked(bo);
		dma_resv_unlock(resv);
		if (ret != -EAGAIN)
			return ret;
		left = dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, true, left);
	}
	return left ?: -EBUSY;
}

/**
 * sundog_unpin() - undo one of sundog_pin_vram() and sundog_pin_guest()
 * @bo: allocation
 */
void sundog_unpin(struct sundog_bo *bo)
{
	struct dma_resv *resv = bo->tbo.base.resv;

	dma_resv_lock(resv, NULL);
	ttm_bo_unpin(&bo->tbo);
	dma_resv_unlock(resv);
}
