// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fdinfo: memory and device time of a client, in the format of
 * Documentation/gpu/drm-usage-stats.rst. drm_show_fdinfo() calls sundog_fdinfo_show() from a read
 * of /proc/PID/fdinfo, so the process that reads is not always the client. fdinfo_lock protects the
 * marks of allocations that are counted already.
 *
 * An allocation counts in drm-total and drm-shared of one region for life: "memory" if it consists
 * of another driver's pages, else "vram". drm-resident and drm-active follow its placement; they
 * leave out unpopulated allocations and those that TTM swapped out.
 *
 * The engine "render" is the client's worker. Its time is the time during which at least one
 * channel of the client has work, so it has no drm-engine-capacity and is at most 100 %.
 */

#include <linux/dma-resv.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_tt.h>

#include "sundog_bo.h"
#include "sundog_client.h"
#include "sundog_device.h"
#include "sundog_fdinfo.h"

enum sundog_region {
	SUNDOG_REGION_VRAM,
	SUNDOG_REGION_MEMORY,
	SUNDOG_N_REGIONS,
	/* Not a region: the allocation is unpopulated or swapped out. */
	SUNDOG_REGION_NONE = SUNDOG_N_REGIONS,
};

static const char * const sundog_region_names[SUNDOG_N_REGIONS] = {
	[SUNDOG_REGION_VRAM] = "vram",
	[SUNDOG_REGION_MEMORY] = "memory",
};

/*
 * Returns true if TTM swapped out the pages of an allocation that is not in VRAM. The dma_resv
 * protects the ttm_tt. A reader of fdinfo must not wait for it, because an eviction may hold it for
 * long. While another thread holds the dma_resv, the pages count as resident.
 */
static bool sundog_fdinfo_is_swapped(struct sundog_bo *bo)
{
	struct ttm_buffer_object *tbo = &bo->tbo;
	bool swapped;

	if (!dma_resv_trylock(tbo->base.resv))
		return false;
	swapped = !sundog_bo_is_placed(bo) && tbo->ttm && !ttm_tt_is_populated(tbo->ttm);
	dma_resv_unlock(tbo->base.resv);
	return swapped;
}

/* Returns the region of the memory; without the dma_resv the allocation may move at any time. */
static enum sundog_region sundog_fdinfo_place(struct sundog_bo *bo)
{
	if (bo->guest)
		return SUNDOG_REGION_MEMORY;
	if (!READ_ONCE(bo->has_memory))
		return SUNDOG_REGION_NONE;
	if (sundog_bo_is_placed(bo))
		return READ_ONCE(bo->in_guest) ? SUNDOG_REGION_MEMORY : SUNDOG_REGION_VRAM;
	return sundog_fdinfo_is_swapped(bo) ? SUNDOG_REGION_NONE : SUNDOG_REGION_MEMORY;
}

static void sundog_fdinfo_add(struct drm_memory_stats *regions, struct sundog_bo *bo)
{
	struct drm_memory_stats *total = &regions[bo->guest ? SUNDOG_REGION_MEMORY :
							      SUNDOG_REGION_VRAM];
	const enum sundog_region place = sundog_fdinfo_place(bo);
	struct drm_gem_object *obj = &bo->tbo.base;

	if (drm_gem_object_is_shared_for_memory_stats(obj))
		total->shared += obj->size;
	else
		total->private += obj->size;
	if (place == SUNDOG_REGION_NONE)
		return;
	regions[place].resident += obj->size;
	if (!dma_resv_test_signaled(obj->resv, DMA_RESV_USAGE_BOOKKEEP))
		regions[place].active += obj->size;
}

/* Counts each allocation once, however many handles it has. */
static void sundog_fdinfo_collect(struct drm_file *file, struct drm_memory_stats *regions)
{
	struct sundog_device *sdev = to_sundog_device(file->minor->dev);
	struct drm_gem_object *obj;
	struct sundog_bo *bo;
	int id;

	lockdep_assert_held(&sdev->fdinfo_lock);
	sdev->fdinfo_round++;
	spin_lock(&file->table_lock);
	idr_for_each_entry(&file->object_idr, obj, id) {
		if (!obj)
			continue;
		bo = to_sundog_bo(obj);
		if (bo->fdinfo_round == sdev->fdinfo_round)
			continue;
		bo->fdinfo_round = sdev->fdinfo_round;
		sundog_fdinfo_add(regions, bo);
	}
	spin_unlock(&file->table_lock);
}

/**
 * sundog_fdinfo_show() - &drm_driver.show_fdinfo
 * @p: printer
 * @file: DRM file
 */
void sundog_fdinfo_show(struct drm_printer *p, struct drm_file *file)
{
	struct drm_memory_stats regions[SUNDOG_N_REGIONS] = {};
	struct sundog_device *sdev = to_sundog_device(file->minor->dev);
	u32 i;

	drm_printf(p, "drm-engine-render:\t%llu ns\n", sundog_client_busy_ns(file));
	mutex_lock(&sdev->fdinfo_lock);
	sundog_fdinfo_collect(file, regions);
	mutex_unlock(&sdev->fdinfo_lock);
	for (i = 0; i < SUNDOG_N_REGIONS; i++)
		drm_print_memory_stats(p, &regions[i],
				       DRM_GEM_OBJECT_RESIDENT | DRM_GEM_OBJECT_ACTIVE,
				       sundog_region_names[i]);
}
