/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_TTM_H_
#define _SUNDOG_TTM_H_

#include <linux/types.h>

struct sundog_device;
struct ttm_placement;

extern const struct ttm_placement sundog_ttm_vram;

int sundog_ttm_init(struct sundog_device *sdev);
u64 sundog_ttm_vram_used(struct sundog_device *sdev);

#endif
