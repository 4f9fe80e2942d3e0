/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_TTM_H_
#define _SUNDOG_TTM_H_

#include <linux/types.h>

#include <drm/ttm/ttm_placement.h>

struct sundog_bo;
struct sundog_device;
struct ttm_buffer_object;

/** SUNDOG_PL_NOWHERE - TTM's number for the placement of what was never used */
#define SUNDOG_PL_NOWHERE	TTM_PL_PRIV

extern const struct ttm_placement sundog_ttm_vram;
extern const struct ttm_placement sundog_ttm_vram_top;
extern const struct ttm_placement sundog_ttm_system;
extern const struct ttm_placement sundog_ttm_tt;
extern const struct ttm_placement sundog_ttm_cpu;

bool sundog_ttm_can_move(struct sundog_device *sdev);
int sundog_ttm_init(struct sundog_device *sdev);
int sundog_ttm_map_import(struct sundog_bo *bo);
int sundog_ttm_object_init(struct sundog_bo *bo, void (*destroy)(struct ttm_buffer_object *tbo));

#endif
