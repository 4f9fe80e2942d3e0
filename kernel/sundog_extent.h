/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Extents of VRAM: the data structures that sundog_extent.c, sundog_revoke.c and sundog_vram.c
 * share. The comments of these files explain the terms.
 */
#ifndef _SUNDOG_EXTENT_H_
#define _SUNDOG_EXTENT_H_

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_mm.h>
#include <drm/ttm/ttm_resource.h>

struct drm_printer;
struct sundog_device;
struct sundog_extents;

/**
 * struct sundog_vram_owner - owner of extents of VRAM: a DRM file, or the common owner
 *
 * Outlives its file until the file's last allocation is freed and no extent is assigned to it.
 */
struct sundog_vram_owner {
	/** @refs: held by the quota of the file and by each of its extents */
	refcount_t refs;
	/** @ex: VRAM that the owner has extents of */
	struct sundog_extents *ex;
	/** @node: entry in @ex->owners */
	struct list_head node;
	/** @client: client whose worker may map the extents; 0: no worker */
	u32 client;
	/** @was_mapped: @client was not 0 at some time, so extents need a revoke */
	bool was_mapped;
	/** @mm: ranges in all of VRAM, in pages; VRAM outside of the owner's extents is in use */
	struct drm_mm mm;
	/** @gap: node in @mm for the VRAM before the first extent */
	struct drm_mm_node gap;
	/** @n_owned: number of extents */
	u32 n_owned;
	/** @owned: bitmap of the extents */
	unsigned long owned[];
};

/**
 * struct sundog_range - range of VRAM that an allocation has
 */
struct sundog_range {
	/** @base: resource of TTM */
	struct ttm_resource base;
	/** @node: range in pages, in the @mm of its owner */
	struct drm_mm_node node;
	/** @owner: owner of the extents that the range is in; they hold the reference */
	struct sundog_vram_owner *owner;
	/** @shared: another file than the owner's submitted the BO; protected by its dma_resv */
	bool shared;
	/** @in_list: entry in @ranges, @pending_revoke or @asked_revoke of struct sundog_extents */
	struct list_head in_list;
};

/**
 * struct sundog_extent - piece of VRAM that at most one worker maps as a whole
 */
struct sundog_extent {
	/** @owner: owner, or the next owner during a transfer, with a reference; or NULL */
	struct sundog_vram_owner *owner;
	/** @n_ranges: number of ranges that are at least partly in the extent */
	u32 n_ranges;
	/** @gap: node in the owner's @mm for the VRAM up to the owner's next extent */
	struct drm_mm_node gap;
};

/**
 * enum sundog_extent_set - sets of extents, each a bitmap
 */
enum sundog_extent_set {
	/** @SUNDOG_EXTENT_FREE: no owner, and all of it reads as zero */
	SUNDOG_EXTENT_FREE,
	/** @SUNDOG_EXTENT_EMPTY: assigned to an owner, without ranges */
	SUNDOG_EXTENT_EMPTY,
	/** @SUNDOG_EXTENT_IDLE: empty since the last sundog_extents_age() or longer */
	SUNDOG_EXTENT_IDLE,
	/** @SUNDOG_EXTENT_FRESH: empty, and reserved for a call of its owner that uses it soon */
	SUNDOG_EXTENT_FRESH,
	/** @SUNDOG_EXTENT_LEAVING: taken from an owner whose worker may still map it */
	SUNDOG_EXTENT_LEAVING,
	/** @SUNDOG_EXTENT_ASKED: was LEAVING, and a revoke request for it is in flight */
	SUNDOG_EXTENT_ASKED,
	/** @SUNDOG_EXTENT_DIRTY: mapped by no worker, but holds old data that must be cleared */
	SUNDOG_EXTENT_DIRTY,
	/** @SUNDOG_EXTENT_SCRATCH: extents that sundog_extents_find() must not use */
	SUNDOG_EXTENT_SCRATCH,
	/** @SUNDOG_EXTENT_SETS: number of sets */
	SUNDOG_EXTENT_SETS,
};

/**
 * struct sundog_extents - VRAM, cut into extents; one per device
 */
struct sundog_extents {
	/** @base: TTM's resource manager of VRAM, see sundog_vram.c */
	struct ttm_resource_manager base;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @can_discard: the device has feature DISCARD */
	bool can_discard;
	/** @n: number of extents */
	u32 n;
	/** @shift: log2 of the pages in an extent */
	u32 shift;
	/** @clean_lock: held while extents are cleaned; outside of @lock */
	struct mutex clean_lock;
	/** @lock: protects the following, the extents, and the @mm of all owners; innermost */
	spinlock_t lock;
	/** @table: the device's extent table, a client id per extent; valid while not @gone */
	u32 *table;
	/** @extents: the extents */
	struct sundog_extent *extents;
	/** @sets: bitmaps of extents, see enum sundog_extent_set */
	unsigned long *sets[SUNDOG_EXTENT_SETS];
	/** @dirty: bitmap of free pages that may hold old data, see sundog_vram.c */
	unsigned long *dirty;
	/** @owners: list of all owners, by sundog_vram_owner.node */
	struct list_head owners;
	/** @common: owner of allocations that are shared from the start; its @client is 0 */
	struct sundog_vram_owner *common;

	/** @ranges: list of the ranges that BOs have, in no order */
	struct list_head ranges;
	/** @n_ranges: number of ranges in @ranges */
	u32 n_ranges;
	/** @pending_revoke: freed ranges that workers of other files may map, not requested yet */
	struct list_head pending_revoke;
	/** @asked_revoke: ranges that the revoke request in flight covers */
	struct list_head asked_revoke;
	/** @pending_revoke_pages: pages in @pending_revoke and @asked_revoke */
	u64 pending_revoke_pages;
	/** @asked: number of revoke requests so far */
	u32 asked;
	/** @asked_before: @asked when the device was last reset; REVOKED counts from there */
	u32 asked_before;
	/** @done: number of requests that are complete, or ended by a reset; @asked or one less */
	u32 done;
	/** @urgent: send the next request as soon as the one in flight is complete */
	bool urgent;
	/** @gone: the device was reset for the last time and must not be accessed */
	bool gone;
	/** @wait: woken when @done is incremented */
	wait_queue_head_t wait;
	/** @work: work item that ages, revokes and cleans extents after SUNDOG_EXTENT_DELAY */
	struct delayed_work work;
};

/**
 * sundog_vram_owner_get() - take a reference to an owner
 * @owner: owner
 */
static inline void sundog_vram_owner_get(struct sundog_vram_owner *owner)
{
	refcount_inc(&owner->refs);
}

/** SUNDOG_EXTENT_DELAY - delay of the work item that takes back unused extents, in jiffies */
#define SUNDOG_EXTENT_DELAY	(HZ / 2)

struct sundog_vram_owner *sundog_vram_owner_create(struct sundog_extents *ex);
void sundog_vram_owner_put(struct sundog_vram_owner *owner);
struct sundog_extents *sundog_extents_create(struct sundog_device *sdev);
void sundog_extents_clear_table(struct sundog_extents *ex);
void sundog_extents_destroy(struct sundog_extents *ex);
int sundog_extents_insert(struct sundog_extents *ex, struct sundog_range *range,
			  struct sundog_vram_owner *owner, u64 pages, bool own);
bool sundog_extents_take(struct sundog_extents *ex, const struct sundog_range *range,
			 struct sundog_vram_owner *owner, u64 pages, bool may_revoke, u32 *first,
			 u32 *end);
bool sundog_extents_take_all(struct sundog_extents *ex, struct sundog_vram_owner *owner);
void sundog_extents_unreserve_rest(struct sundog_extents *ex, struct sundog_vram_owner *owner);
bool sundog_extents_are_reserved(const struct sundog_extents *ex);
void sundog_extents_remove(struct sundog_extents *ex, struct sundog_range *range);
void sundog_extents_revoked(struct sundog_extents *ex, u32 extent);
bool sundog_extents_age(struct sundog_extents *ex);
u32 sundog_extents_hold_dirty(struct sundog_extents *ex, const struct sundog_vram_owner *owner,
			      u32 *first, u32 end, u32 max);
void sundog_extents_return_clean(struct sundog_extents *ex, u32 first, u32 n);
void sundog_extents_set_client(struct sundog_vram_owner *owner, u32 client);
void sundog_extents_print(struct sundog_extents *ex, struct drm_printer *p);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
struct sundog_extents *sundog_extents_alloc(u32 n, u32 shift);
#endif

#endif
