/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Creation, import and placement of BOs. */
#ifndef _SUNDOG_BO_H_
#define _SUNDOG_BO_H_

#include "sundog_bo_types.h"

struct drm_file;

extern const struct ttm_placement sundog_placement_system;
extern const struct ttm_placement sundog_placement_tt;
extern const struct ttm_placement sundog_placement_cpu;

struct sundog_file_resv *sundog_file_resv_create(struct drm_device *drm);
void sundog_file_resv_put(struct sundog_file_resv *shared);
bool sundog_bo_is_ours(const struct ttm_buffer_object *tbo);
int sundog_bo_check_size(struct sundog_device *sdev, u64 size);
struct sundog_bo *sundog_bo_create(struct sundog_quota *quota, struct sundog_vram_owner *vram_owner,
				   u64 size, struct sundog_file_resv *file_resv);
struct sundog_bo *sundog_bo_import(struct sundog_device *sdev, struct dma_buf *dma_buf);
int sundog_bo_charge_import(struct sundog_bo *bo, struct sundog_quota *quota);
int sundog_bo_map_import(struct sundog_bo *bo);
bool sundog_bo_can_move(struct sundog_device *sdev);
void sundog_bo_changed(struct sundog_bo *bo);
void sundog_bo_list_entry(const struct sundog_bo *bo, u32 flags, struct sundog_list_entry *entry);
void sundog_bo_publish(struct sundog_bo *bo);
void sundog_bo_unpublish(struct sundog_bo *bo);
void sundog_bo_put(struct sundog_bo *bo);
struct sundog_bo *sundog_bo_lookup(struct drm_file *file, u32 handle);
int sundog_bo_module_init(void);
void sundog_bo_module_exit(void);

#endif
