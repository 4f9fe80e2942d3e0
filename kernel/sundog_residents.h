/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_RESIDENTS_H_
#define _SUNDOG_RESIDENTS_H_

#include <linux/kref.h>
#include <linux/types.h>

#include "sundog_hw.h"

struct sundog_bo;

/**
 * struct sundog_places - where the allocations of a residency list are, as the device is told
 *
 * Never changes, so jobs share it.
 */
struct sundog_places {
	/** @kref: held by the residents and by jobs */
	struct kref kref;
	/** @n: how many there are */
	u32 n;
	/** @id: no other has it, and none is 0 */
	u64 id;
	/** @entries: list entries */
	struct sundog_list_entry entries[] __counted_by(n);
};

/**
 * struct sundog_resident - a PRIVATE allocation on a residency list
 */
struct sundog_resident {
	/** @bo: allocation, with a TTM reference */
	struct sundog_bo *bo;
	/** @flags: DRM_SUNDOG_SUBMIT_* */
	u32 flags;
};

/**
 * struct sundog_residents - the PRIVATE allocations of a residency list, from update to update
 */
struct sundog_residents {
	/** @kref: held by the list, ioctls at work and jobs */
	struct kref kref;
	/** @n: how many there are, at least one once it is used */
	u32 n;
	/** @size: bytes of all */
	u64 size;
	/** @places: where they were at @version; NULL before; protected by the dma_resv */
	struct sundog_places *places;
	/** @version: of the file's reservation, 0 without @places; written under the dma_resv */
	u64 version;
	/** @touched: when they were used, in jiffies; protected by the dma_resv */
	unsigned long touched;
	/** @list: the allocations */
	struct sundog_resident list[];
};

struct sundog_residents *sundog_residents_create(u32 n);
void sundog_residents_add(struct sundog_residents *residents, struct sundog_bo *bo, u32 flags);
void sundog_residents_get(struct sundog_residents *residents);
void sundog_residents_put(struct sundog_residents *residents);
bool sundog_residents_are_current(const struct sundog_residents *residents);
int sundog_residents_write(struct sundog_residents *residents);
void sundog_residents_touch(struct sundog_residents *residents);
struct sundog_places *sundog_places_get(struct sundog_places *places);
void sundog_places_put(struct sundog_places *places);

#endif
