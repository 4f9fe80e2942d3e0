// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The memory manager: TTM, with VRAM and system placement.
 *
 * VRAM is the only place that the device works on. An allocation is put there when it is made and
 * stays: sundog_ttm_eviction_valuable() gives up only memory that is being freed anyway, so a full
 * VRAM is -ENOSPC for the caller. The way out of VRAM and back is complete below that decision.
 *
 * The move hook is the one place where an allocation gets VRAM, so this is where it is cleared and
 * where the allocation table learns of it; delete_mem_notify is the one place where VRAM is given
 * back after the last use. Both run with the allocation's dma_resv locked.
 */

#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_range_manager.h>
#include <drm/ttm/ttm_tt.h>

#include "sundog_bo.h"
#include "sundog_compat.h"
#include "sundog_device.h"
#include "sundog_table.h"
#include "sundog_ttm.h"

static const struct ttm_place sundog_vram_place = { .mem_type = TTM_PL_VRAM };
static const struct ttm_place sundog_system_place = { .mem_type = TTM_PL_SYSTEM };

/** sundog_ttm_vram - placement in VRAM */
const struct ttm_placement sundog_ttm_vram = {
	.num_placement = 1,
	.placement = &sundog_vram_place,
};

static const struct ttm_placement sundog_ttm_system = {
	.num_placement = 1,
	.placement = &sundog_system_place,
};

static struct sundog_device *to_sdev(struct ttm_device *ttm)
{
	return container_of(ttm, struct sundog_device, ttm);
}

static struct ttm_tt *sundog_ttm_tt_create(struct ttm_buffer_object *tbo, u32 page_flags)
{
	struct ttm_tt *tt = kzalloc(sizeof(*tt), GFP_KERNEL);

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

static bool sundog_ttm_eviction_valuable(struct ttm_buffer_object *tbo,
					 const struct ttm_place *place)
{
	return tbo->deleted && ttm_bo_eviction_valuable(tbo, place);
}

static void sundog_ttm_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
{
	*placement = sundog_ttm_system;
}

/* In the table an allocation is at the place it has now, or nowhere. */
static void sundog_ttm_publish(struct sundog_bo *bo)
{
	struct sundog_device *sdev = sundog_bo_device(bo);

	if (bo->tbo.resource->mem_type != TTM_PL_VRAM)
		return;
	bo->generation = sundog_table_set(sdev, bo->handle, sundog_bo_vram_offset(bo),
					  bo->tbo.base.size, bo->birth);
	if (!bo->birth)
		bo->birth = bo->generation;
}

/* The first placement: nothing to copy. What the last owner left behind is not for the next one. */
static void sundog_ttm_place(struct sundog_bo *bo, struct ttm_resource *new_mem)
{
	ttm_bo_move_null(&bo->tbo, new_mem);
	if (new_mem->mem_type == TTM_PL_VRAM)
		sundog_bo_clear(bo);
	sundog_ttm_publish(bo);
}

static int sundog_ttm_copy(struct sundog_bo *bo, struct ttm_operation_ctx *ctx,
			   struct ttm_resource *new_mem)
{
	int ret;

	ret = ttm_bo_wait_ctx(&bo->tbo, ctx);
	if (ret)
		return ret;
	sundog_table_clear(sundog_bo_device(bo), bo->handle);
	ret = ttm_bo_move_memcpy(&bo->tbo, ctx, new_mem);
	sundog_ttm_publish(bo);
	return ret;
}

static int sundog_ttm_move(struct ttm_buffer_object *tbo, bool evict,
			   struct ttm_operation_ctx *ctx, struct ttm_resource *new_mem,
			   struct ttm_place *hop)
{
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);
	int ret = 0;
	int idx;

	if (!drm_dev_enter(tbo->base.dev, &idx))
		return -ENODEV;
	if (tbo->resource)
		ret = sundog_ttm_copy(bo, ctx, new_mem);
	else
		sundog_ttm_place(bo, new_mem);
	drm_dev_exit(idx);
	return ret;
}

static void sundog_ttm_delete_mem_notify(struct ttm_buffer_object *tbo)
{
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);

	if (tbo->resource && tbo->resource->mem_type == TTM_PL_VRAM)
		sundog_table_clear(sundog_bo_device(bo), bo->handle);
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

/* For a debugger that looks into a mapping of VRAM. */
static int sundog_ttm_access_memory(struct ttm_buffer_object *tbo, unsigned long offset,
				    void *buf, int len, int write)
{
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);
	void *addr = sundog_bo_device(bo)->vram + sundog_bo_vram_offset(bo) + offset;
	int idx;

	if (!drm_dev_enter(tbo->base.dev, &idx))
		return -EIO;
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

static void sundog_ttm_fini(struct drm_device *drm, void *arg)
{
	struct sundog_device *sdev = to_sundog_device(drm);

	/* Memory whose last reference went with the last file may still be on its way out. */
	drain_workqueue(sdev->ttm.wq);
	ttm_range_man_fini(&sdev->ttm, TTM_PL_VRAM);
	ttm_device_fini(&sdev->ttm);
}

/**
 * sundog_ttm_init() - set up the memory manager
 * @sdev: device, with VRAM mapped
 *
 * Return: 0 or a negative error code.
 */
int sundog_ttm_init(struct sundog_device *sdev)
{
	struct drm_device *drm = &sdev->drm;
	int ret;

	init_waitqueue_head(&sdev->room_wait);
	ret = sundog_compat_ttm_device_init(&sdev->ttm, &sundog_ttm_funcs, drm);
	if (ret)
		return ret;
	ret = ttm_range_man_init(&sdev->ttm, TTM_PL_VRAM, false, sdev->vram_size >> PAGE_SHIFT);
	if (ret) {
		ttm_device_fini(&sdev->ttm);
		return ret;
	}
	return drmm_add_action_or_reset(drm, sundog_ttm_fini, NULL);
}

/**
 * sundog_ttm_vram_used() - how much VRAM is in use
 * @sdev: device
 *
 * Return: bytes.
 */
u64 sundog_ttm_vram_used(struct sundog_device *sdev)
{
	return ttm_resource_manager_usage(ttm_manager_type(&sdev->ttm, TTM_PL_VRAM));
}
