/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_PLACEMENT_H_
#define _SUNDOG_PLACEMENT_H_

#include <drm/ttm/ttm_placement.h>

/** SUNDOG_PL_NOWHERE - TTM's number for the placement of what was never used */
#define SUNDOG_PL_NOWHERE	TTM_PL_PRIV
/** SUNDOG_PL_GUEST - TTM's number for the placement of what was imported; TTM_PL_TT is our own */
#define SUNDOG_PL_GUEST		(TTM_PL_PRIV + 1)

extern const struct ttm_placement sundog_placement_system;
extern const struct ttm_placement sundog_placement_tt;
extern const struct ttm_placement sundog_placement_cpu;

#endif
