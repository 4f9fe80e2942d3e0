/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* TTM's manager of VRAM, and its debugfs file. */
#ifndef _SUNDOG_VRAM_H_
#define _SUNDOG_VRAM_H_

#include <linux/types.h>

struct dma_resv;
struct sundog_bo;
struct sundog_device;
struct sundog_evict;
struct sundog_extents;
struct sundog_vram_owner;
struct ttm_buffer_object;
struct ttm_resource;

int sundog_vram_init(struct sundog_device *sdev);
void sundog_vram_restart(struct sundog_device *sdev);
void sundog_vram_fini(struct sundog_device *sdev);
void sundog_vram_clear(struct sundog_device *sdev, const struct ttm_resource *res);
void sundog_vram_claim(struct sundog_device *sdev, const struct ttm_resource *res);
void sundog_vram_note_use(struct ttm_resource *res, const struct sundog_vram_owner *owner);
struct sundog_bo *sundog_vram_find_locked(struct sundog_device *sdev,
					  const struct dma_resv *except, bool *transient);
struct ttm_buffer_object *sundog_vram_find_zombie(struct sundog_device *sdev,
						  const struct dma_resv *resv);
u64 sundog_vram_used(struct sundog_device *sdev);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
bool sundog_vram_lock_clean(struct sundog_extents *ex, const struct sundog_evict *evict);
int sundog_vram_insert_slow(struct sundog_extents *ex, struct sundog_range *range,
			    struct sundog_vram_owner *owner, struct sundog_evict *evict);
#endif

#endif
