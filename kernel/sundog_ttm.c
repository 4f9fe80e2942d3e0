// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The hooks of TTM (struct ttm_device_funcs), and the resource managers without code of their own.
 *
 * The move hook is the only place where an allocation gets memory. It clears or copies the memory
 * and updates the allocation table. delete_mem_notify clears the table entry before TTM frees the
 * memory. TTM calls both in process context with the dma_resv of the BO locked, which protects the
 * placement. Only an unused BO moves: the fence of a queued job keeps its BOs in place.
 */

#include <linux/dma-fence.h>
#include <linux/highmem.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_tt.h>

#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_evict.h"
#include "sundog_guest.h"
#include "sundog_ttm.h"
#include "sundog_vram.h"

static struct sundog_device *to_sdev(struct ttm_device *ttm)
{
	return container_of(ttm, struct sundog_device, ttm);
}

/* Pages of an unpopulated BO must read as zero. TTM may allocate them before the move hook. */
static struct ttm_tt *sundog_ttm_tt_create(struct ttm_buffer_object *tbo, u32 page_flags)
{
	struct ttm_tt *tt = kzalloc_obj(*tt, GFP_KERNEL);

	if (tbo->resource->mem_type == SUNDOG_PL_UNPOPULATED)
		page_flags |= TTM_TT_FLAG_ZERO_ALLOC;
	if (tt && ttm_tt_init(tt, tbo, page_flags, ttm_cached, 0)) {
		kfree(tt);
		return NULL;
	}
	return tt;
}

static void sundog_ttm_tt_destroy(struct ttm_device *ttm, struct ttm_tt *tt)
{
	ttm_tt_fini(tt);
	kfree(tt);
}

/*
 * TTM evicts idle BOs only, so it waits for no fence; sundog_evict.c waits for busy BOs. Only a
 * thorough call evicts zombies: they are freed soon, unless a mapping holds them.
 */
static bool sundog_ttm_eviction_valuable(struct ttm_buffer_object *tbo,
					 const struct ttm_place *place)
{
	struct sundog_evict *evict = sundog_evict_of(place);
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);
	struct sundog_device *sdev;
	bool can_move, zombie;

	if (!sundog_bo_is_ours(tbo))
		return false;
	sdev = sundog_bo_device(bo);
	can_move = sundog_bo_can_move(sdev);
	zombie = READ_ONCE(bo->zombie);
	/* A SUBMIT lets TTM evict PRIVATE BOs under its own dma_resv; BOs that it lists stay. */
	if (bo->list_pos != SUNDOG_NOT_LISTED)
		return false;
	if (!sundog_bo_is_idle(bo)) {
		if (evict && (can_move || zombie))
			sundog_evict_note_busy(evict, tbo);
		return false;
	}
	if (tbo->deleted || tbo->resource->mem_type == TTM_PL_SYSTEM)
		return ttm_bo_eviction_valuable(tbo, place);
	if (tbo->resource->mem_type == TTM_PL_TT && sundog_tt_is_lost(sdev, tbo->resource))
		return false;
	if (zombie && !(evict && evict->thorough))
		return false;
	return can_move && ttm_bo_eviction_valuable(tbo, place);
}

static void sundog_ttm_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
{
	*placement = sundog_placement_system;
}

/* An unpopulated BO has no contents to copy. VRAM is cleared, since it may hold data of others. */
static int sundog_ttm_place(struct sundog_bo *bo, struct ttm_resource *new_mem)
{
	int idx;

	if (!drm_dev_enter(bo->tbo.base.dev, &idx))
		return -ENODEV;
	ttm_bo_move_null(&bo->tbo, new_mem);
	WRITE_ONCE(bo->has_memory, true);
	if (new_mem->mem_type == TTM_PL_VRAM)
		sundog_vram_clear(sundog_bo_device(bo), new_mem);
	sundog_bo_publish(bo);
	drm_dev_exit(idx);
	return 0;
}

/*
 * Checks again that the BO may move. Its caller has found it unused, but the driver may have
 * signalled the fence because a worker could not be stopped. The worker may still write then.
 */
static bool sundog_ttm_can_leave(struct sundog_bo *bo)
{
	return sundog_bo_is_unused(bo) &&
	       (!bo->generation || sundog_bo_can_move(sundog_bo_device(bo)));
}

static void sundog_ttm_copy_pages(void *to, const struct ttm_tt *tt)
{
	u32 i;

	for (i = 0; i < tt->num_pages; i++) {
		memcpy_from_page(to + ((size_t)i << PAGE_SHIFT), tt->pages[i], 0, PAGE_SIZE);
		cond_resched();
	}
}

/*
 * Moves a PRIVATE BO from system into VRAM while other PRIVATE BOs of the file are in use. TTM's
 * own copy would wait for their fences before it frees the old pages. ttm_bo_move_accel_cleanup()
 * gives them to a ghost object instead, which is freed with the fence @done, a signalled stub.
 */
static int sundog_ttm_copy_in(struct sundog_bo *bo, struct ttm_operation_ctx *ctx,
			      struct ttm_resource *new_mem)
{
	void *to = sundog_bo_device(bo)->vram + ((size_t)new_mem->start << PAGE_SHIFT);
	struct ttm_buffer_object *tbo = &bo->tbo;
	struct dma_fence *done;
	int ret;

	ret = ttm_bo_populate(tbo, ctx);
	if (ret)
		return ret;
	sundog_ttm_copy_pages(to, tbo->ttm);
	done = dma_fence_get_stub();
	ret = ttm_bo_move_accel_cleanup(tbo, done, false, false, new_mem);
	dma_fence_put(done);
	return ret;
}

static int sundog_ttm_copy(struct sundog_bo *bo, struct ttm_operation_ctx *ctx,
			   struct ttm_resource *new_mem)
{
	struct ttm_operation_ctx now = *ctx;
	int ret, idx;

	if (!sundog_ttm_can_leave(bo))
		return -EBUSY;
	/* TTM may swap out other BOs to get pages, but must not wait for them. */
	now.no_wait_gpu = true;
	if (!drm_dev_enter(bo->tbo.base.dev, &idx))
		return -ENODEV;
	sundog_bo_unpublish(bo);
	ret = sundog_bo_is_idle(bo) ? ttm_bo_move_memcpy(&bo->tbo, &now, new_mem) :
				      sundog_ttm_copy_in(bo, &now, new_mem);
	if (!ret && new_mem->mem_type == TTM_PL_VRAM)
		sundog_vram_claim(sundog_bo_device(bo), new_mem);
	/* On failure the BO is still in its old placement. */
	sundog_bo_publish(bo);
	drm_dev_exit(idx);
	return ret;
}

/* Moves from system into TT. Pages that the device does not return stay in TT, unpublished. */
static int sundog_ttm_bind(struct sundog_bo *bo, struct ttm_resource *new_mem)
{
	struct sundog_device *sdev = sundog_bo_device(bo);
	int ret = sundog_tt_bind(sdev, new_mem, bo->tbo.ttm);

	if (ret && !sundog_tt_is_lost(sdev, new_mem))
		return ret;
	ttm_bo_move_null(&bo->tbo, new_mem);
	if (!ret)
		sundog_bo_publish(bo);
	return 0;
}

/* Moves from TT into system. Waits until the device has returned the pages. */
static int sundog_ttm_unbind(struct sundog_bo *bo, struct ttm_operation_ctx *ctx,
			     struct ttm_resource *new_mem)
{
	int ret;

	if (ctx->no_wait_gpu || !sundog_ttm_can_leave(bo))
		return -EBUSY;
	sundog_bo_unpublish(bo);
	ret = sundog_tt_unbind(sundog_bo_device(bo), bo->tbo.resource);
	if (!ret)
		ttm_bo_move_null(&bo->tbo, new_mem);
	return ret;
}

/*
 * This function waits for the device only outside of its drm_dev_enter() sections, because unplug
 * waits for them. The reset that follows unplug ends the wait in sundog_ttm_unbind().
 */
static int sundog_ttm_move(struct ttm_buffer_object *tbo, bool evict,
			   struct ttm_operation_ctx *ctx, struct ttm_resource *new_mem,
			   struct ttm_place *hop)
{
	const u32 from = tbo->resource->mem_type, to = new_mem->mem_type;
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);

	if (to == TTM_PL_TT && from == TTM_PL_SYSTEM)
		return sundog_ttm_bind(bo, new_mem);
	if (to == TTM_PL_SYSTEM && from == TTM_PL_TT)
		return sundog_ttm_unbind(bo, ctx, new_mem);
	if (to == TTM_PL_TT || from == TTM_PL_TT) {
		*hop = *sundog_placement_system.placement;
		return -EMULTIHOP;
	}
	if (from == SUNDOG_PL_UNPOPULATED)
		return sundog_ttm_place(bo, new_mem);
	return sundog_ttm_copy(bo, ctx, new_mem);
}

/* TTM calls this again after it evicted a BO without references; the resource is NULL then. */
static void sundog_ttm_delete_mem_notify(struct ttm_buffer_object *tbo)
{
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);

	if (!sundog_bo_is_ours(tbo) || !tbo->resource)
		return;
	sundog_bo_unpublish(bo);
	/* TTM frees the pages next. Pages that the device keeps must leak: hide them. */
	if (tbo->resource->mem_type == TTM_PL_TT &&
	    sundog_tt_unbind(sundog_bo_device(bo), tbo->resource))
		tbo->ttm = NULL;
}

static int sundog_ttm_io_mem_reserve(struct ttm_device *ttm, struct ttm_resource *mem)
{
	struct sundog_device *sdev = to_sdev(ttm);
	u64 offset = (u64)mem->start << PAGE_SHIFT;

	if (mem->mem_type != TTM_PL_VRAM)
		return 0;
	mem->bus.addr = sdev->vram + offset;
	mem->bus.offset = sdev->vram_base + offset;
	mem->bus.is_iomem = true;
	mem->bus.caching = ttm_cached;
	return 0;
}

/* For a debugger that reads or writes a mapping of VRAM. */
static int sundog_ttm_access_memory(struct ttm_buffer_object *tbo, unsigned long offset,
				    void *buf, int len, int write)
{
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);
	void *addr;
	int idx;

	if (tbo->resource->mem_type != TTM_PL_VRAM || !drm_dev_enter(tbo->base.dev, &idx))
		return -EIO;
	addr = sundog_bo_device(bo)->vram + sundog_bo_vram_offset(bo) + offset;
	if (write)
		memcpy(addr, buf, len);
	else
		memcpy(buf, addr, len);
	drm_dev_exit(idx);
	return len;
}

static const struct ttm_device_funcs sundog_ttm_funcs = {
	.ttm_tt_create = sundog_ttm_tt_create,
	.ttm_tt_destroy = sundog_ttm_tt_destroy,
	.eviction_valuable = sundog_ttm_eviction_valuable,
	.evict_flags = sundog_ttm_evict_flags,
	.move = sundog_ttm_move,
	.delete_mem_notify = sundog_ttm_delete_mem_notify,
	.io_mem_reserve = sundog_ttm_io_mem_reserve,
	.access_memory = sundog_ttm_access_memory,
};

/* The resource is embedded in struct sundog_bo or struct sundog_guest. */
static void sundog_initial_free(struct ttm_resource_manager *man, struct ttm_resource *res)
{
	ttm_resource_fini(man, res);
}

static const struct ttm_resource_manager_func sundog_initial_func = {
	.free = sundog_initial_free,
};

static void sundog_manager_init(struct sundog_device *sdev, struct ttm_resource_manager *man,
				u32 mem_type, const struct ttm_resource_manager_func *func)
{
	man->func = func;
	ttm_resource_manager_init(man, &sdev->ttm, 0);
	ttm_set_driver_manager(&sdev->ttm, mem_type, man);
	ttm_resource_manager_set_used(man, true);
}

static void sundog_manager_fini(struct sundog_device *sdev, struct ttm_resource_manager *man,
				u32 mem_type)
{
	ttm_resource_manager_set_used(man, false);
	ttm_resource_manager_cleanup(man);
	ttm_set_driver_manager(&sdev->ttm, mem_type, NULL);
}

/* The managers of placements other than VRAM and system. */
static void sundog_ttm_init_managers(struct sundog_device *sdev)
{
	sdev->tt.use_tt = true;
	sundog_manager_init(sdev, &sdev->unpopulated, SUNDOG_PL_UNPOPULATED, &sundog_initial_func);
	sundog_manager_init(sdev, &sdev->imports, SUNDOG_PL_GUEST, &sundog_initial_func);
	sundog_manager_init(sdev, &sdev->tt, TTM_PL_TT, &sundog_tt_func);
}

static void sundog_ttm_fini_managers(struct sundog_device *sdev)
{
	sundog_manager_fini(sdev, &sdev->tt, TTM_PL_TT);
	sundog_manager_fini(sdev, &sdev->imports, SUNDOG_PL_GUEST);
	sundog_manager_fini(sdev, &sdev->unpopulated, SUNDOG_PL_UNPOPULATED);
}

/**
 * sundog_ttm_evict_all() - move all allocations out of VRAM and TT
 * @sdev: idle device whose heads are off
 *
 * Return: 0, -EBUSY if some are imported, pinned or listed by a queued job, or another negative
 * error code.
 */
int sundog_ttm_evict_all(struct sundog_device *sdev)
{
	struct ttm_resource_manager *vram = ttm_manager_type(&sdev->ttm, TTM_PL_VRAM);
	int ret;

	ret = ttm_resource_manager_evict_all(&sdev->ttm, vram);
	if (!ret)
		ret = ttm_resource_manager_evict_all(&sdev->ttm, &sdev->tt);
	if (!ret && (ttm_resource_manager_usage(vram) || sundog_guest_is_used(sdev)))
		ret = -EBUSY;
	return ret;
}

static void sundog_ttm_fini(struct drm_device *drm, void *arg)
{
	struct sundog_device *sdev = to_sundog_device(drm);

	sundog_guest_flush(sdev);
	/*
	 * BOs whose last reference was dropped with the last file may still exist. TTM's workqueue
	 * is about to free them, or a thread that swaps out memory of any TTM device holds them. It
	 * has no reference to this device. ttm_device_fini() waits for both.
	 */
	ttm_device_fini(&sdev->ttm);
	sundog_vram_fini(sdev);
	sundog_guest_fini(sdev);
	sundog_ttm_fini_managers(sdev);
}

/**
 * sundog_ttm_init() - set up TTM and the resource managers
 * @sdev: device with VRAM mapped
 *
 * Return: 0 or a negative error code.
 */
int sundog_ttm_init(struct sundog_device *sdev)
{
	struct drm_device *drm = &sdev->drm;
	int ret;

	init_waitqueue_head(&sdev->claim_wait);
	ret = ttm_device_init(&sdev->ttm, &sundog_ttm_funcs, drm->dev,
			      drm->anon_inode->i_mapping, drm->vma_offset_manager, 0);
	if (ret)
		return ret;
	sundog_ttm_init_managers(sdev);
	ret = sundog_guest_init(sdev);
	if (ret)
		goto err_managers;
	ret = sundog_vram_init(sdev);
	if (ret)
		goto err_guest;
	return drmm_add_action_or_reset(drm, sundog_ttm_fini, NULL);

err_guest:
	sundog_guest_fini(sdev);
err_managers:
	ttm_device_fini(&sdev->ttm);
	sundog_ttm_fini_managers(sdev);
	return ret;
}
