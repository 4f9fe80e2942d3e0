/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A call that evicts, as the hooks of TTM see it. sundog_vram.c includes this; the functions are in
 * sundog_evict.h.
 */
#ifndef _SUNDOG_EVICT_TYPES_H_
#define _SUNDOG_EVICT_TYPES_H_

#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/types.h>

#include <drm/ttm/ttm_placement.h>

struct dma_resv;
struct sundog_bo;
struct sundog_device;
struct ttm_buffer_object;

/* Revokes waited for, one after the other, before something else is evicted; one without answer. */
#define SUNDOG_EVICT_REVOKES	4

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
	/** @pauses_end: when they have taken long enough, in jiffies */
	unsigned long pauses_end;
	/** @n_waits: number of victims and zombies waited for */
	unsigned int n_waits;
	/** @revoke: the last try failed for memory that workers have to unmap first */
	bool revoke;
	/** @thorough: evict idle zombies, and take all extents that others do not use */
	bool thorough;
	/** @claims: the call has &sundog_device.claim */
	bool claims;
	/** @refused: the last try failed for the claim of another call */
	bool refused;
	/** @unclaimed: the call has queued for the claim in vain, and goes on in spite of it */
	bool unclaimed;
	/** @spares_shared: take no victim that has a dma-buf, unless there is no other */
	bool spares_shared;
	/** @spared: there was one in the last tries */
	bool spared;
	/** @repack: evict the caller's own BOs, too, before they are placed */
	bool repack;
};

/**
 * sundog_evict_of() - the call that TTM needs a place for
 * @place: place that TTM passed to a hook of the driver
 *
 * Return: the call, or NULL if TTM evicts for another reason.
 */
static inline struct sundog_evict *sundog_evict_of(const struct ttm_place *place)
{
	if (!(place->flags & SUNDOG_PL_FLAG_EVICT))
		return NULL;
	return container_of((struct ttm_place *)place, struct sundog_evict, place);
}

/**
 * sundog_evict_may_revoke() - check if a call may wait for another revoke
 * @evict: the call
 *
 * Return: true, unless it did that several times and to no use.
 */
static inline bool sundog_evict_may_revoke(const struct sundog_evict *evict)
{
	return evict->n_revokes < SUNDOG_EVICT_REVOKES;
}

#endif
