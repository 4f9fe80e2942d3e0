/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * State of a call that evicts from VRAM, for the hooks of TTM. sundog_vram.c includes this file
 * instead of sundog_evict.h, which declares the functions.
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

/* Revokes that a call waits for in a row before it evicts another BO; fewer after a timeout. */
#define SUNDOG_EVICT_REVOKES	4

/** SUNDOG_PL_FLAG_EVICT - flag of a TTM place that is embedded in a struct sundog_evict */
#define SUNDOG_PL_FLAG_EVICT	BIT(31)

/**
 * struct sundog_evict - state of a call that brings BOs into VRAM
 *
 * On the caller's stack, from sundog_evict_init() to sundog_evict_fini(). TTM passes @place to the
 * hooks of the driver, which find this structure with sundog_evict_of().
 */
struct sundog_evict {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @place: the place VRAM, with SUNDOG_PL_FLAG_EVICT */
	struct ttm_place place;
	/** @placement: placement that consists of @place */
	struct ttm_placement placement;
	/** @resv: dma_resv of the caller's PRIVATE BOs, or NULL */
	struct dma_resv *resv;
	/** @victim: busy or locked BO to wait for and to evict, with a GEM reference, or NULL */
	struct sundog_bo *victim;
	/** @zombie: busy BO without a handle to wait for, with a TTM reference, or NULL */
	struct ttm_buffer_object *zombie;
	/** @epoch: sundog_revoke_epoch() before the last attempt to place the BOs */
	u32 epoch;
	/** @n_revokes: number of revokes waited for since the last victim */
	unsigned int n_revokes;
	/** @n_pauses: number of pauses since the last victim */
	unsigned int n_pauses;
	/** @pauses_end: time until which the call may pause at least, in jiffies */
	unsigned long pauses_end;
	/** @n_waits: number of victims and zombies waited for */
	unsigned int n_waits;
	/** @no_wait: the caller holds mode-setting locks; do not wait for others that clean VRAM */
	bool no_wait;
	/** @revoke: the last attempt failed because workers must unmap memory first */
	bool revoke;
	/**
	 * @transient: in the last attempt, extents were reserved for another call that had not used
	 * them yet
	 */
	bool transient;
	/** @thorough: evict idle zombies, too, and take all extents that others do not use */
	bool thorough;
	/** @claims: this call holds &sundog_device.claim */
	bool claims;
	/** @refused: the last attempt failed because another call holds the claim */
	bool refused;
	/** @unclaimed: the call queued for the claim without success, and now ignores claims */
	bool unclaimed;
	/** @spares_shared: select victims with a dma-buf only if there are no others */
	bool spares_shared;
	/** @spared: a victim with a dma-buf was skipped in the last attempts */
	bool spared;
	/** @repack: evict the call's own BOs, too, before they are placed */
	bool repack;
};

/**
 * sundog_evict_of() - get the call that TTM needs a place for
 * @place: place that TTM passed to a hook of the driver, or NULL
 *
 * Return: state of the call, or NULL if the place is not that of a struct sundog_evict.
 */
static inline struct sundog_evict *sundog_evict_of(const struct ttm_place *place)
{
	if (!place || !(place->flags & SUNDOG_PL_FLAG_EVICT))
		return NULL;
	return container_of((struct ttm_place *)place, struct sundog_evict, place);
}

/**
 * sundog_evict_may_revoke() - check if a call may wait for another revoke
 * @evict: the call
 *
 * Return: false after SUNDOG_EVICT_REVOKES revokes in a row, or after a timeout.
 */
static inline bool sundog_evict_may_revoke(const struct sundog_evict *evict)
{
	return evict->n_revokes < SUNDOG_EVICT_REVOKES;
}

#endif
