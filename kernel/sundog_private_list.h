/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_PRIVATE_LIST_H_
#define _SUNDOG_PRIVATE_LIST_H_

#include <linux/kref.h>
#include <linux/types.h>

#include "sundog_hw.h"

struct sundog_bo;

/**
 * struct sundog_list_snapshot - where the allocations of a residency list are, as the device is told
 *
 * Never changes, so jobs share it.
 */
struct sundog_list_snapshot {
	/** @kref: held by the privates and by jobs */
	struct kref kref;
	/** @n: how many there are */
	u32 n;
	/** @id: no other has it, and none is 0 */
	u64 id;
	/** @entries: list entries */
	struct sundog_list_entry entries[] __counted_by(n);
};

/**
 * struct sundog_private_entry - a PRIVATE allocation on a residency list
 */
struct sundog_private_entry {
	/** @bo: allocation, with a TTM reference */
	struct sundog_bo *bo;
	/** @flags: DRM_SUNDOG_SUBMIT_* */
	u32 flags;
};

/**
 * struct sundog_private_list - the PRIVATE allocations of a residency list, from update to update
 */
struct sundog_private_list {
	/** @kref: held by the list, ioctls at work and jobs */
	struct kref kref;
	/** @n: how many there are, at least one once it is used */
	u32 n;
	/** @size: bytes of all */
	u64 size;
	/** @snapshot: where they were at @version; NULL before; protected by the dma_resv */
	struct sundog_list_snapshot *snapshot;
	/** @version: of the file's reservation, 0 without @snapshot; written under the dma_resv */
	u64 version;
	/** @touched: when they were used, in jiffies; protected by the dma_resv */
	unsigned long touched;
	/** @list: the allocations */
	struct sundog_private_entry list[];
};

struct sundog_private_list *sundog_private_list_create(u32 n);
void sundog_private_list_add(struct sundog_private_list *privates, struct sundog_bo *bo, u32 flags);
void sundog_private_list_get(struct sundog_private_list *privates);
void sundog_private_list_put(struct sundog_private_list *privates);
bool sundog_private_list_is_current(const struct sundog_private_list *privates);
int sundog_private_list_write(struct sundog_private_list *privates);
void sundog_private_list_touch(struct sundog_private_list *privates);
struct sundog_list_snapshot *sundog_list_snapshot_get(struct sundog_list_snapshot *snapshot);
void sundog_list_snapshot_put(struct sundog_list_snapshot *snapshot);

#endif
