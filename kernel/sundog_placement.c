// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Where an allocation can be.
 *
 *	nowhere		made, never used: reads as zero, takes no memory
 *	VRAM		where the device works on it
 *	system		pages of the guest: evicted from VRAM, or used by the CPU alone while VRAM
 *			was full. TTM swaps them out beyond its pages_limit.
 *	TT		pages of the guest that are mapped into the device (sundog_tt.c), while
 *			another driver shares them and until they are used after that
 *	guest		pages of another driver's dma-buf, mapped into the device when they are
 *			first used (sundog_import.c). What was imported is there for its life, and
 *			nothing else is.
 *
 * Who uses an allocation brings it where it has to be: a submission, a pin and a kernel mapping
 * into VRAM, whatever has to go for that (sundog_evict.c); a fault of the CPU into VRAM as well
 * when it is nowhere and there is room, else into system. Another driver's attachment brings it
 * into TT, which is reached from system only, and left for there. Nobody goes back to nowhere.
 */

#include <linux/kernel.h>

#include "sundog_placement.h"

static const struct ttm_place sundog_system_place = { .mem_type = TTM_PL_SYSTEM };
static const struct ttm_place sundog_tt_place = { .mem_type = TTM_PL_TT };
static const struct ttm_place sundog_cpu_places[] = {
	{ .mem_type = TTM_PL_VRAM, .flags = TTM_PL_FLAG_DESIRED },
	{ .mem_type = TTM_PL_SYSTEM, .flags = TTM_PL_FLAG_FALLBACK },
};

/** sundog_placement_system - in pages of the guest */
const struct ttm_placement sundog_placement_system = {
	.num_placement = 1,
	.placement = &sundog_system_place,
};

/** sundog_placement_tt - in pages of the guest that the device and other drivers reach */
const struct ttm_placement sundog_placement_tt = {
	.num_placement = 1,
	.placement = &sundog_tt_place,
};

/** sundog_placement_cpu - in VRAM if nobody has to go for that, else in system */
const struct ttm_placement sundog_placement_cpu = {
	.num_placement = ARRAY_SIZE(sundog_cpu_places),
	.placement = sundog_cpu_places,
};
