/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Private lists and list snapshots. */
#ifndef _SUNDOG_PRIVATE_LIST_H_
#define _SUNDOG_PRIVATE_LIST_H_

#include <linux/kref.h>
#include <linux/types.h>

#include "sundog_hw.h"

struct sundog_bo;

/**
 * struct sundog_list_snapshot - list entries for the device, made of a private list
 *
 * Immutable, so jobs share it.
 */
struct sundog_list_snapshot {
	/** @kref: held by the private list and by jobs */
	struct kref kref;
	/** @n: number of @entries */
	u32 n;
	/** @id: unique number, never 0 */
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
 * struct sundog_private_list - PRIVATE allocations on a residency list, between two updates
 */
struct sundog_private_list {
	/** @kref: held by the residency list, running ioctls and jobs */
	struct kref kref;
	/** @n: number of allocations in @list, at least 1 when the caller has added all */
	u32 n;
	/** @size: size of all allocations in bytes */
	u64 size;
	/** @snapshot: list entries at @version, or NULL; protected by the dma_resv */
	struct sundog_list_snapshot *snapshot;
	/** @version: version of the file's dma_resv, 0 without @snapshot; written under it */
	u64 version;
	/** @touched: time of the last LRU update, in jiffies; protected by the dma_resv */
	unsigned long touched;
	/** @list: allocations with their flags */
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
