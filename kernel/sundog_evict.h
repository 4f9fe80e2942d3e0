/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_EVICT_H_
#define _SUNDOG_EVICT_H_

#include <linux/bits.h>
#include <linux/types.h>

#include <drm/ttm/ttm_placement.h>

struct drm_exec;
struct sundog_bo;
struct sundog_device;
struct ttm_buffer_object;

/** SUNDOG_PL_FLAG_EVICT - flag of a TTM place that is the one in a struct sundog_evict */
#define SUNDOG_PL_FLAG_EVICT	BIT(31)

/**
 * struct sundog_evict - a call that brings BOs into VRAM
 *
 * On the caller's stack, from sundog_evict_init() to sundog_evict_fini(). TTM passes @place on to
 * the hooks of the driver, which find this structure by it.
 */
struct sundog_evict {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @place: VRAM */
	struct ttm_place place;
	/** @placement: @place only */
	struct ttm_placement placement;
	/** @resv: dma_resv of the caller's PRIVATE BOs, or NULL */
	struct dma_resv *resv;
	/** @victim: busy or locked BO to wait for and to evict, with a GEM reference, or NULL */
	struct sundog_bo *victim;
	/** @zombie: busy BO without a handle to wait for, with a TTM reference, or NULL */
	struct ttm_buffer_object *zombie;
	/** @epoch: sundog_revoke_epoch() before the last try */
	u32 epoch;
	/** @n_revokes: number of revokes waited for since the last victim */
	unsigned int n_revokes;
	/** @n_pauses: number of pauses since the last victim */
	unsigned int n_pauses;
	/** @revoke: the last try failed for memory that workers have to unmap first */
	bool revoke;
	/** @thorough: evict idle zombies, and take all extents that others do not use */
	bool thorough;
	/** @repack: evict the caller's own BOs, too, before they are placed */
	bool repack;
};

void sundog_evict_init(struct sundog_evict *evict, struct sundog_device *sdev, u32 flags);
void sundog_evict_fini(struct sundog_evict *evict);
struct sundog_evict *sundog_evict_of(const struct ttm_place *place);
bool sundog_evict_may_revoke(const struct sundog_evict *evict);
void sundog_evict_note_busy(struct sundog_evict *evict, struct ttm_buffer_object *tbo);
int sundog_evict_wait(struct sundog_evict *evict, struct drm_exec *exec);
int sundog_evict_more(struct sundog_evict *evict, struct drm_exec *exec);

#endif
