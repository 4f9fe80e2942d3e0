// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fdinfo: what a client has and how long the device worked for it, in the format of
 * Documentation/gpu/drm-usage-stats.rst.
 *
 * An allocation counts in the region where it is: "vram", or "system" when it was moved out of it,
 * or consists of another driver's pages. What was never used is nowhere yet; it is to go to VRAM.
 * The engine is "render": its time is that of the client's channels, each while the worker has work
 * of it, so channels side by side add up, as the capacity says.
 */

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "sundog_bo.h"
#include "sundog_client.h"
#include "sundog_compat.h"
#include "sundog_device.h"
#include "sundog_fdinfo.h"

enum sundog_region {
	SUNDOG_REGION_VRAM,
	SUNDOG_REGION_SYSTEM,
	SUNDOG_N_REGIONS,
};

static const char * const sundog_region_names[SUNDOG_N_REGIONS] = {
	[SUNDOG_REGION_VRAM] = "vram",
	[SUNDOG_REGION_SYSTEM] = "system",
};

static bool sundog_fdinfo_has_memory(const struct sundog_bo *bo)
{
	return bo->guest || READ_ONCE(bo->has_memory);
}

/* The place may change at any time; the answer was right a moment ago. */
static enum sundog_region sundog_fdinfo_region(const struct sundog_bo *bo)
{
	if (!sundog_fdinfo_has_memory(bo))
		return SUNDOG_REGION_VRAM;
	return sundog_bo_is_placed(bo) && !READ_ONCE(bo->in_guest) ? SUNDOG_REGION_VRAM :
								      SUNDOG_REGION_SYSTEM;
}

static void sundog_fdinfo_add(struct drm_memory_stats *regions, struct sundog_bo *bo)
{
	struct drm_memory_stats *stats = &regions[sundog_fdinfo_region(bo)];
	struct drm_gem_object *obj = &bo->tbo.base;

	if (drm_gem_object_is_shared_for_memory_stats(obj))
		stats->shared += obj->size;
	else
		stats->private += obj->size;
	if (sundog_fdinfo_has_memory(bo))
		stats->resident += obj->size;
	if (!dma_resv_test_signaled(obj->resv, DMA_RESV_USAGE_BOOKKEEP))
		stats->active += obj->size;
}

/* Each allocation once, however many handles it has. */
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
	drm_printf(p, "drm-engine-capacity-render:\t%u\n", sdev->n_channels);
	mutex_lock(&sdev->fdinfo_lock);
	sundog_fdinfo_collect(file, regions);
	mutex_unlock(&sdev->fdinfo_lock);
	for (i = 0; i < SUNDOG_N_REGIONS; i++)
		drm_print_memory_stats(p, &regions[i],
				       DRM_GEM_OBJECT_RESIDENT | SUNDOG_COMPAT_OBJECT_ACTIVE,
				       sundog_region_names[i]);
}

/**
 * sundog_fdinfo_init() - prepare for it
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_fdinfo_init(struct sundog_device *sdev)
{
	return drmm_mutex_init(&sdev->drm, &sdev->fdinfo_lock);
}
