/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * VRAM in extents: the data that sundog_extent.c, sundog_revoke.c and sundog_vram.c work on. They
 * say what it means.
 */
#ifndef _SUNDOG_EXTENT_H_
#define _SUNDOG_EXTENT_H_

#include <linux/jiffies.h>
#include <linux/list.h>
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
 * struct sundog_vram_owner - who has extents of VRAM: a DRM file, or all of them together
 *
 * Lives on without its file for as long as an allocation of it does, or an extent is its.
 */
struct sundog_vram_owner {
	/** @refs: held by the quota of the file and by each of its extents */
	refcount_t refs;
	/** @ex: VRAM */
	struct sundog_extents *ex;
	/** @node: in @ex->owners */
	struct list_head node;
	/** @client: whose worker may map the extents; 0: nobody's */
	u32 client;
	/** @was_mapped: @client was not always 0 */
	bool was_mapped;
	/** @mm: all of VRAM; what is not in its extents is in use */
	struct drm_mm mm;
	/** @gap: what keeps it from VRAM before its first extent */
	struct drm_mm_node gap;
	/** @n_owned: how many extents it has */
	u32 n_owned;
	/** @owned: which */
	unsigned long owned[];
};

/**
 * struct sundog_range - a range of VRAM that an allocation has
 */
struct sundog_range {
	/** @base: TTM's part */
	struct ttm_resource base;
	/** @node: the range, in pages, in its owner's mm */
	struct drm_mm_node node;
	/** @owner: whose extents it is in; they have a reference */
	struct sundog_vram_owner *owner;
	/** @shared: a file that is not the owner's submitted it; protected by the dma_resv */
	bool shared;
	/** @in_list: in @ranges, or in @pending_revoke or @asked_revoke of struct sundog_extents */
	struct list_head in_list;
};

/**
 * struct sundog_extent - a piece of VRAM, which one worker at most may map
 */
struct sundog_extent {
	/** @owner: who has it, or gets it as soon as that may be, with a reference; or NULL */
	struct sundog_vram_owner *owner;
	/** @n_ranges: how many ranges are in it, at least in part */
	u32 n_ranges;
	/** @gap: keeps its owner from what follows, up to the owner's next extent */
	struct drm_mm_node gap;
};

/**
 * enum sundog_extent_set - sets of extents, each a bitmap
 */
enum sundog_extent_set {
	/** @SUNDOG_EXTENT_FREE: nobody has it, and all of it reads as zero */
	SUNDOG_EXTENT_FREE,
	/** @SUNDOG_EXTENT_EMPTY: an owner has it and no range in it */
	SUNDOG_EXTENT_EMPTY,
	/** @SUNDOG_EXTENT_IDLE: it was empty when this was last looked at, and is since */
	SUNDOG_EXTENT_IDLE,
	/** @SUNDOG_EXTENT_FRESH: it is empty because its owner, who wanted it, is on its way */
	SUNDOG_EXTENT_FRESH,
	/** @SUNDOG_EXTENT_LEAVING: taken from an owner, whose worker may still map it */
	SUNDOG_EXTENT_LEAVING,
	/** @SUNDOG_EXTENT_ASKED: the same, and the device was asked to revoke it */
	SUNDOG_EXTENT_ASKED,
	/** @SUNDOG_EXTENT_DIRTY: nobody maps it, but it holds old data, which nobody may see */
	SUNDOG_EXTENT_DIRTY,
	/** @SUNDOG_EXTENT_SCRATCH: for sundog_extents_find() */
	SUNDOG_EXTENT_SCRATCH,
	/** @SUNDOG_EXTENT_SETS: number of sets */
	SUNDOG_EXTENT_SETS,
};

/**
 * struct sundog_extents - VRAM, cut into extents
 */
struct sundog_extents {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @n: number of extents */
	u32 n;
	/** @shift: an extent is 1 << @shift pages */
	u32 shift;
	/** @lock: protects all of this, and all owners' mm; innermost */
	spinlock_t lock;
	/** @table: the device's table, whose worker may map which extent; while not @gone */
	u32 *table;
	/** @extents: the extents */
	struct sundog_extent *extents;
	/** @sets: see enum sundog_extent_set */
	unsigned long *sets[SUNDOG_EXTENT_SETS];
	/** @dirty: a bit for each page, see sundog_vram.c */
	unsigned long *dirty;
	/** @owners: all of them, by sundog_vram_owner.node */
	struct list_head owners;
	/** @common: has what files share from the start; nobody maps its extents as such */
	struct sundog_vram_owner *common;

	/** @ranges: ranges that BOs have, in no order */
	struct list_head ranges;
	/** @n_ranges: how many there are */
	u32 n_ranges;
	/** @pending_revoke: ranges that other workers than the owner's may map, freed since @asked */
	struct list_head pending_revoke;
	/** @asked_revoke: the same, and the device was asked to revoke them */
	struct list_head asked_revoke;
	/** @pending_revoke_pages: pages in both */
	u64 pending_revoke_pages;
	/** @asked: how often the device was asked to revoke, ever */
	u32 asked;
	/** @asked_before: the same, before the device was reset the last time */
	u32 asked_before;
	/** @done: how often that was done, or will not be; at most one less */
	u32 done;
	/** @urgent: somebody waits for what is not asked for yet */
	bool urgent;
	/** @gone: the device maps nothing any more and is not to be touched */
	bool gone;
	/** @wait: woken when @done goes up */
	wait_queue_head_t wait;
	/** @work: revokes and cleans what nobody used for a while */
	struct delayed_work work;
};

/**
 * sundog_vram_owner_get() - take a reference
 * @owner: owner
 */
static inline void sundog_vram_owner_get(struct sundog_vram_owner *owner)
{
	refcount_inc(&owner->refs);
}

/** SUNDOG_EXTENT_DELAY - how long what is free is kept for whoever wants some next, in jiffies */
#define SUNDOG_EXTENT_DELAY	(HZ / 2)

struct sundog_vram_owner *sundog_vram_owner_create(struct sundog_extents *ex);
void sundog_vram_owner_put(struct sundog_vram_owner *owner);
struct sundog_extents *sundog_extents_create(struct sundog_device *sdev);
void sundog_extents_clear_table(struct sundog_extents *ex);
void sundog_extents_destroy(struct sundog_extents *ex);
int sundog_extents_insert(struct sundog_extents *ex, struct sundog_range *range,
			  struct sundog_vram_owner *owner, u64 pages, bool own);
bool sundog_extents_take(struct sundog_extents *ex, const struct sundog_range *range,
			 struct sundog_vram_owner *owner, u64 pages, bool may_revoke);
bool sundog_extents_take_all(struct sundog_extents *ex, struct sundog_vram_owner *owner);
void sundog_extents_unreserve_rest(struct sundog_extents *ex, struct sundog_vram_owner *owner);
bool sundog_extents_are_reserved(const struct sundog_extents *ex);
void sundog_extents_remove(struct sundog_extents *ex, struct sundog_range *range);
void sundog_extents_revoked(struct sundog_extents *ex, u32 extent);
bool sundog_extents_age(struct sundog_extents *ex);
u32 sundog_extents_hold_dirty(struct sundog_extents *ex, const struct sundog_vram_owner *owner,
			      u32 *first, u32 max);
void sundog_extents_return_clean(struct sundog_extents *ex, u32 first, u32 n);
void sundog_extents_set_client(struct sundog_vram_owner *owner, u32 client);
void sundog_extents_print(struct sundog_extents *ex, struct drm_printer *p);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
struct sundog_extents *sundog_extents_alloc(u32 n, u32 shift);
#endif

#endif
