// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * VRAM extents and their owners: which extents an owner has, and what is free in them.
 *
 * VRAM is cut into extents of one size. A worker maps each extent of its client as a whole, not
 * only the allocations in it. Each extent is therefore
 *
 *	- free,
 *	- assigned to a VRAM owner, or
 *	- in transfer to the next owner or to the free extents. The transfer waits until the device
 *	  has revoked the extent (sundog_revoke.c) and its old contents are cleared (sundog_vram.c).
 *
 * A VRAM owner is a DRM file, or the common owner of allocations that are shared from the start.
 * Only the file's own worker maps the extents of a file as a whole, and they contain only
 * allocations of that file.
 *
 * An owner gets extents when its allocations need them. An allocation is one range, so one that is
 * larger than an extent needs a run of extents. The owner keeps an extent until it was empty for a
 * while, or until another owner needs it. The owner can reuse freed space in it at once, because
 * only its own worker maps that space.
 *
 * The extent table in the control region tells the device which client may map an extent. The
 * driver writes the entry before it publishes an allocation in the extent. It clears the entry
 * before it revokes the extent.
 *
 * Each owner has a drm_mm, which finds a range in logarithmic time with a million small allocations
 * alive. It covers all of VRAM, so that a range may cross from one extent of the owner to the next.
 * Gap nodes mark VRAM outside of the owner's extents as used: one before its first extent, and one
 * from each extent to the next, unless they are adjacent.
 *
 * TTM's VRAM manager (sundog_vram.c) calls this file in process context. @lock of struct
 * sundog_extents, a spinlock, protects all data.
 */

#include <kunit/visibility.h>
#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <drm/drm_print.h>
#include <drm/ttm/ttm_placement.h>

#include "sundog_device.h"
#include "sundog_extent.h"

static void sundog_vram_owner_set_gap(struct sundog_vram_owner *owner, struct drm_mm_node *gap,
				      u32 first, u32 past)
{
	const u32 shift = owner->ex->shift;

	if (drm_mm_node_allocated(gap))
		drm_mm_remove_node(gap);
	if (first == past)
		return;
	gap->start = (u64)first << shift;
	gap->size = (u64)(past - first) << shift;
	/* No range can overlap the gap: the owner has ranges in its own extents only. */
	WARN_ON(drm_mm_reserve_node(&owner->mm, gap));
}

/* Returns the gap that contains @extent or ends at it. *@first: first extent of the gap. */
static struct drm_mm_node *sundog_vram_owner_gap_before(struct sundog_vram_owner *owner, u32 extent,
							u32 *first)
{
	unsigned long last = find_last_bit(owner->owned, extent);

	*first = last < extent ? last + 1 : 0;
	return *first ? &owner->ex->extents[last].gap : &owner->gap;
}

/* Lets ranges of @owner use an unassigned extent. */
static void sundog_vram_owner_add_extent(struct sundog_vram_owner *owner, u32 extent)
{
	struct sundog_extents *ex = owner->ex;
	u32 next = find_next_bit(owner->owned, ex->n, extent);
	struct drm_mm_node *before;
	u32 first;

	lockdep_assert_held(&ex->lock);
	before = sundog_vram_owner_gap_before(owner, extent, &first);
	sundog_vram_owner_set_gap(owner, before, first, extent);
	sundog_vram_owner_set_gap(owner, &ex->extents[extent].gap, extent + 1, next);
	__set_bit(extent, owner->owned);
	owner->n_owned++;
}

/* Makes an extent without ranges unusable for ranges of @owner. */
static void sundog_vram_owner_remove_extent(struct sundog_vram_owner *owner, u32 extent)
{
	struct sundog_extents *ex = owner->ex;
	u32 next = find_next_bit(owner->owned, ex->n, extent + 1);
	struct drm_mm_node *before;
	u32 first;

	lockdep_assert_held(&ex->lock);
	before = sundog_vram_owner_gap_before(owner, extent, &first);
	sundog_vram_owner_set_gap(owner, &ex->extents[extent].gap, 0, 0);
	sundog_vram_owner_set_gap(owner, before, first, next);
	__clear_bit(extent, owner->owned);
	owner->n_owned--;
}

/**
 * sundog_vram_owner_create() - create an owner without extents
 * @ex: VRAM
 *
 * Return: the owner with one reference, or NULL if there is no memory.
 */
struct sundog_vram_owner *sundog_vram_owner_create(struct sundog_extents *ex)
{
	struct sundog_vram_owner *owner;

	owner = kzalloc_flex(*owner, owned, BITS_TO_LONGS(ex->n), GFP_KERNEL_ACCOUNT);
	if (!owner)
		return NULL;
	refcount_set(&owner->refs, 1);
	owner->ex = ex;
	drm_mm_init(&owner->mm, 0, (u64)ex->n << ex->shift);
	sundog_vram_owner_set_gap(owner, &owner->gap, 0, ex->n);
	spin_lock(&ex->lock);
	list_add_tail(&owner->node, &ex->owners);
	spin_unlock(&ex->lock);
	return owner;
}

static void sundog_vram_owner_free(struct sundog_vram_owner *owner)
{
	lockdep_assert_held(&owner->ex->lock);
	list_del(&owner->node);
	drm_mm_remove_node(&owner->gap);
	drm_mm_takedown(&owner->mm);
	kfree(owner);
}

static void sundog_vram_owner_put_locked(struct sundog_vram_owner *owner)
{
	if (refcount_dec_and_test(&owner->refs))
		sundog_vram_owner_free(owner);
}

/**
 * sundog_vram_owner_put() - drop a reference to an owner
 * @owner: owner
 */
void sundog_vram_owner_put(struct sundog_vram_owner *owner)
{
	struct sundog_extents *ex = owner->ex;

	if (refcount_dec_not_one(&owner->refs))
		return;
	spin_lock(&ex->lock);
	sundog_vram_owner_put_locked(owner);
	spin_unlock(&ex->lock);
}

/* Lets the worker of @client map an extent as a whole; 0: no worker. */
static void sundog_extents_write(struct sundog_extents *ex, u32 extent, u32 client)
{
	lockdep_assert_held(&ex->lock);
	if (!ex->gone)
		WRITE_ONCE(ex->table[extent], client);
}

static void sundog_extents_clear_sets(struct sundog_extents *ex, u32 extent)
{
	__clear_bit(extent, ex->sets[SUNDOG_EXTENT_EMPTY]);
	__clear_bit(extent, ex->sets[SUNDOG_EXTENT_IDLE]);
	__clear_bit(extent, ex->sets[SUNDOG_EXTENT_FRESH]);
}

/* The extent already holds a reference to its owner. */
static void sundog_extents_assign(struct sundog_extents *ex, u32 extent)
{
	struct sundog_vram_owner *owner = ex->extents[extent].owner;

	sundog_vram_owner_add_extent(owner, extent);
	__set_bit(extent, ex->sets[SUNDOG_EXTENT_EMPTY]);
	sundog_extents_write(ex, extent, owner->client);
}

static void sundog_extents_grant(struct sundog_extents *ex, u32 extent,
				 struct sundog_vram_owner *owner)
{
	__clear_bit(extent, ex->sets[SUNDOG_EXTENT_FREE]);
	sundog_vram_owner_get(owner);
	ex->extents[extent].owner = owner;
	sundog_extents_assign(ex, extent);
}

static bool sundog_extents_is_dirty(struct sundog_extents *ex, u32 extent)
{
	const unsigned long past = (extent + 1ul) << ex->shift;

	return find_next_bit(ex->dirty, past, (unsigned long)extent << ex->shift) < past;
}

/* The extent is clean, and no worker maps it. */
static void sundog_extents_end_transfer(struct sundog_extents *ex, u32 extent)
{
	if (!ex->extents[extent].owner) {
		__set_bit(extent, ex->sets[SUNDOG_EXTENT_FREE]);
		return;
	}
	sundog_extents_assign(ex, extent);
	__set_bit(extent, ex->sets[SUNDOG_EXTENT_FRESH]);
}

/**
 * sundog_extents_revoked() - note that no worker maps a revoked extent any more
 * @ex: VRAM; the caller has the lock
 * @extent: extent
 */
void sundog_extents_revoked(struct sundog_extents *ex, u32 extent)
{
	lockdep_assert_held(&ex->lock);
	if (sundog_extents_is_dirty(ex, extent))
		__set_bit(extent, ex->sets[SUNDOG_EXTENT_DIRTY]);
	else
		sundog_extents_end_transfer(ex, extent);
}

/* Takes an empty extent from its owner and reserves it for @new_owner; NULL: it becomes free. */
static void sundog_extents_begin_transfer(struct sundog_extents *ex, u32 extent,
					  struct sundog_vram_owner *new_owner)
{
	struct sundog_vram_owner *owner = ex->extents[extent].owner;
	bool was_mapped = owner->was_mapped;

	sundog_vram_owner_remove_extent(owner, extent);
	sundog_extents_clear_sets(ex, extent);
	sundog_extents_write(ex, extent, 0);
	if (new_owner)
		sundog_vram_owner_get(new_owner);
	ex->extents[extent].owner = new_owner;
	sundog_vram_owner_put_locked(owner);
	if (!was_mapped) {
		sundog_extents_revoked(ex, extent);
		return;
	}
	/* The worker may have written to any page of the extent, also outside of allocations. */
	bitmap_set(ex->dirty, extent << ex->shift, 1 << ex->shift);
	__set_bit(extent, ex->sets[SUNDOG_EXTENT_LEAVING]);
}

/**
 * sundog_extents_set_client() - set the client whose worker may map an owner's extents
 * @owner: owner
 * @client: client id; 0: no worker may map them
 *
 * The worker of the previous client may still map the extents until they are revoked.
 */
void sundog_extents_set_client(struct sundog_vram_owner *owner, u32 client)
{
	struct sundog_extents *ex = owner->ex;
	u32 extent;

	spin_lock(&ex->lock);
	owner->client = client;
	if (client)
		owner->was_mapped = true;
	for_each_set_bit(extent, owner->owned, ex->n)
		sundog_extents_write(ex, extent, client);
	spin_unlock(&ex->lock);
}

static u32 sundog_extents_of_pages(struct sundog_extents *ex, u64 pages)
{
	return (pages + (1 << ex->shift) - 1) >> ex->shift;
}

/* Sets the scratch set to all extents but the free ones and the empty ones of @owner. */
static void sundog_extents_mark_used(struct sundog_extents *ex, struct sundog_vram_owner *owner)
{
	unsigned long *used = ex->sets[SUNDOG_EXTENT_SCRATCH];
	u32 i;

	for (i = 0; i < BITS_TO_LONGS(ex->n); i++)
		used[i] = ~(ex->sets[SUNDOG_EXTENT_FREE][i] |
			    (ex->sets[SUNDOG_EXTENT_EMPTY][i] & owner->owned[i]));
}

/*
 * Clears from the scratch set the extents of @set that are reserved for @owner, and with @nobodys
 * also those that are reserved for no owner.
 */
static void sundog_extents_unmark(struct sundog_extents *ex, enum sundog_extent_set set,
				  struct sundog_vram_owner *owner, bool nobodys)
{
	const struct sundog_vram_owner *next;
	u32 i;

	for_each_set_bit(i, ex->sets[set], ex->n) {
		next = ex->extents[i].owner;
		if (next == owner || (nobodys && !next))
			__clear_bit(i, ex->sets[SUNDOG_EXTENT_SCRATCH]);
	}
}

/* Clears from the scratch set all empty extents that no call has reserved. */
static void sundog_extents_unmark_empty(struct sundog_extents *ex)
{
	u32 i;

	for (i = 0; i < BITS_TO_LONGS(ex->n); i++)
		ex->sets[SUNDOG_EXTENT_SCRATCH][i] &= ~ex->sets[SUNDOG_EXTENT_EMPTY][i] |
						      ex->sets[SUNDOG_EXTENT_FRESH][i];
}

static bool sundog_extents_find_first(struct sundog_extents *ex, u32 n, u32 *first)
{
	*first = bitmap_find_next_zero_area(ex->sets[SUNDOG_EXTENT_SCRATCH], ex->n, 0, n, 0);
	return *first < ex->n;
}

static bool sundog_extents_find_last(struct sundog_extents *ex, u32 n, u32 *first)
{
	const unsigned long *used = ex->sets[SUNDOG_EXTENT_SCRATCH];
	u32 begin = find_next_zero_bit(used, ex->n, 0), end;
	bool found = false;

	while (begin < ex->n) {
		end = find_next_bit(used, ex->n, begin);
		if (end - begin >= n) {
			*first = end - n;
			found = true;
		}
		begin = find_next_zero_bit(used, ex->n, end);
	}
	return found;
}

/*
 * Finds a run of @n extents outside of the scratch set. With @top it is the last one, where a
 * pinned BO blocks no large range.
 */
static bool sundog_extents_find(struct sundog_extents *ex, u32 n, bool top, u32 *first)
{
	return top ? sundog_extents_find_last(ex, n, first) :
		     sundog_extents_find_first(ex, n, first);
}

static bool sundog_extents_is_top(const struct sundog_range *range)
{
	return range->base.placement & TTM_PL_FLAG_TOPDOWN;
}

/* Adds as many adjacent extents to @owner as the range needs. */
static int sundog_extents_insert_new(struct sundog_extents *ex, struct sundog_range *range,
				     struct sundog_vram_owner *owner, u64 pages)
{
	const bool top = sundog_extents_is_top(range);
	u32 n = sundog_extents_of_pages(ex, pages);
	u32 i, first;

	sundog_extents_mark_used(ex, owner);
	/*
	 * A pinned BO stays in place. Prefer the end of VRAM even if extents are dirty there:
	 * -ENOSPC makes the caller clean them first.
	 */
	if (top)
		sundog_extents_unmark(ex, SUNDOG_EXTENT_DIRTY, owner, true);
	if (!sundog_extents_find(ex, n, top, &first) ||
	    find_next_bit(ex->sets[SUNDOG_EXTENT_DIRTY], first + n, first) < first + n)
		return -ENOSPC;
	for (i = first; i < first + n; i++)
		if (test_bit(i, ex->sets[SUNDOG_EXTENT_FREE]))
			sundog_extents_grant(ex, i, owner);
	return drm_mm_insert_node_in_range(&owner->mm, &range->node, pages, 0, 0,
					   (u64)first << ex->shift, (u64)(first + n) << ex->shift,
					   DRM_MM_INSERT_LOW);
}

/**
 * sundog_extents_insert() - find a range in an owner's extents, or in free extents
 * @ex: VRAM; the caller has the lock
 * @range: range to be filled in
 * @owner: owner
 * @pages: size in pages
 * @own: use only extents that @owner already has; fails for the common owner
 *
 * Return: 0 or -ENOSPC.
 */
int sundog_extents_insert(struct sundog_extents *ex, struct sundog_range *range,
			  struct sundog_vram_owner *owner, u64 pages, bool own)
{
	u64 i;
	int ret;

	lockdep_assert_held(&ex->lock);
	if (own && owner == ex->common)
		return -ENOSPC;
	ret = drm_mm_insert_node(&owner->mm, &range->node, pages);
	if (ret && !own)
		ret = sundog_extents_insert_new(ex, range, owner, pages);
	if (ret)
		return ret;
	range->owner = owner;
	for (i = range->node.start >> ex->shift;
	     i <= (range->node.start + pages - 1) >> ex->shift; i++) {
		ex->extents[i].n_ranges++;
		sundog_extents_clear_sets(ex, i);
	}
	return 0;
}

static bool sundog_extents_find_any(struct sundog_extents *ex, struct sundog_vram_owner *owner,
				    u32 n, bool top, bool may_revoke, u32 *first)
{
	sundog_extents_mark_used(ex, owner);
	sundog_extents_unmark(ex, SUNDOG_EXTENT_DIRTY, owner, true);
	if (sundog_extents_find(ex, n, top, first))
		return true;
	if (!may_revoke)
		return false;
	sundog_extents_unmark(ex, SUNDOG_EXTENT_LEAVING, owner, true);
	sundog_extents_unmark(ex, SUNDOG_EXTENT_ASKED, owner, true);
	sundog_extents_unmark_empty(ex);
	return sundog_extents_find(ex, n, top, first);
}

static void sundog_extents_take_one(struct sundog_extents *ex, u32 extent,
				    struct sundog_vram_owner *owner)
{
	if (test_bit(extent, ex->sets[SUNDOG_EXTENT_FREE])) {
		sundog_extents_grant(ex, extent, owner);
	} else if (!ex->extents[extent].owner) {
		sundog_vram_owner_get(owner);
		ex->extents[extent].owner = owner;
	} else if (ex->extents[extent].owner != owner) {
		sundog_extents_begin_transfer(ex, extent, owner);
	}
	if (test_bit(extent, ex->sets[SUNDOG_EXTENT_EMPTY]))
		__set_bit(extent, ex->sets[SUNDOG_EXTENT_FRESH]);
}

/**
 * sundog_extents_take() - reserve a run of extents for a range that found no space
 * @ex: VRAM; the caller has the lock
 * @range: range that found no space; only its placement flags are used
 * @owner: owner to reserve the extents for
 * @pages: size in pages
 * @may_revoke: also take extents that need a revoke, and empty extents of other owners
 * @first: set to the first extent of the run
 * @end: set to the extent behind the run
 *
 * Return: true if a run was reserved. It is usable when the device has revoked its extents, and
 * the owner has cleaned the dirty ones, see sundog_extents_hold_dirty().
 */
bool sundog_extents_take(struct sundog_extents *ex, const struct sundog_range *range,
			 struct sundog_vram_owner *owner, u64 pages, bool may_revoke, u32 *first,
			 u32 *end)
{
	const bool top = sundog_extents_is_top(range);
	u32 n = sundog_extents_of_pages(ex, pages);
	u32 i;

	lockdep_assert_held(&ex->lock);
	if (!sundog_extents_find_any(ex, owner, n, top, may_revoke, first))
		return false;
	*end = *first + n;
	for (i = *first; i < *end; i++)
		sundog_extents_take_one(ex, i, owner);
	return true;
}

/**
 * sundog_extents_take_all() - reserve all extents that are unassigned, or empty in other owners
 * @ex: VRAM; the caller has the lock
 * @owner: owner for which sundog_extents_take() found no run that is long enough
 *
 * The free part of an extent that @owner has, together with the extents that follow, may be large
 * enough. sundog_extents_unreserve_rest() returns the extents that are not used.
 *
 * Return: true if extents were reserved for @owner, or are and only have to be cleaned.
 */
bool sundog_extents_take_all(struct sundog_extents *ex, struct sundog_vram_owner *owner)
{
	bool any = false;
	u32 i, none;

	lockdep_assert_held(&ex->lock);
	/* No run is that long, so this leaves all candidates clear in the scratch set. */
	sundog_extents_find_any(ex, owner, ex->n + 1, false, true, &none);
	for_each_clear_bit(i, ex->sets[SUNDOG_EXTENT_SCRATCH], ex->n) {
		/* Dirty extents of @owner were revoked for it, and only have to be cleaned. */
		if (ex->extents[i].owner != owner)
			sundog_extents_take_one(ex, i, owner);
		else if (!test_bit(i, ex->sets[SUNDOG_EXTENT_DIRTY]))
			continue;
		any = true;
	}
	return any;
}

/* Ends the reservation of a dirty extent. */
static void sundog_extents_unreserve(struct sundog_extents *ex, u32 extent)
{
	struct sundog_vram_owner *owner = ex->extents[extent].owner;

	ex->extents[extent].owner = NULL;
	if (owner)
		sundog_vram_owner_put_locked(owner);
}

/**
 * sundog_extents_unreserve_rest() - end reservations when a call got its range, or failed
 * @ex: VRAM; the caller has the lock
 * @owner: owner; the caller has a reference
 *
 * Other calls can take these extents at once. They need not wait until the extents were empty for
 * a while, nor until the BOs that block the call of @owner are idle.
 */
void sundog_extents_unreserve_rest(struct sundog_extents *ex, struct sundog_vram_owner *owner)
{
	unsigned long *fresh = ex->sets[SUNDOG_EXTENT_FRESH];
	u32 i;

	lockdep_assert_held(&ex->lock);
	bitmap_andnot(fresh, fresh, owner->owned, ex->n);
	for_each_set_bit(i, ex->sets[SUNDOG_EXTENT_DIRTY], ex->n)
		if (ex->extents[i].owner == owner)
			sundog_extents_unreserve(ex, i);
}

/**
 * sundog_extents_are_reserved() - check for extents that a call has reserved and not used yet
 * @ex: VRAM; the caller has the lock
 *
 * Does not count extents that wait for a revoke, see sundog_revoke_is_pending().
 *
 * Return: true if some are reserved. They are used soon, or can be taken after SUNDOG_EXTENT_DELAY.
 */
bool sundog_extents_are_reserved(const struct sundog_extents *ex)
{
	u32 i;

	lockdep_assert_held(&ex->lock);
	for_each_set_bit(i, ex->sets[SUNDOG_EXTENT_DIRTY], ex->n)
		if (ex->extents[i].owner)
			return true;
	return !bitmap_empty(ex->sets[SUNDOG_EXTENT_FRESH], ex->n);
}

/**
 * sundog_extents_remove() - free a range, which its owner can reuse at once
 * @ex: VRAM; the caller has the lock
 * @range: range that no worker maps, except that of its owner
 */
void sundog_extents_remove(struct sundog_extents *ex, struct sundog_range *range)
{
	const u64 last = (range->node.start + range->node.size - 1) >> ex->shift;
	u64 i;

	lockdep_assert_held(&ex->lock);
	drm_mm_remove_node(&range->node);
	for (i = range->node.start >> ex->shift; i <= last; i++)
		if (!--ex->extents[i].n_ranges)
			__set_bit(i, ex->sets[SUNDOG_EXTENT_EMPTY]);
}

/**
 * sundog_extents_age() - take back extents that have been empty since the previous call
 * @ex: VRAM; the caller has the lock
 *
 * Also ends all reservations of dirty extents.
 *
 * Return: true if owners have empty extents, so that another call is needed.
 */
bool sundog_extents_age(struct sundog_extents *ex)
{
	unsigned long *empty = ex->sets[SUNDOG_EXTENT_EMPTY];
	u32 i;

	lockdep_assert_held(&ex->lock);
	for_each_set_bit(i, ex->sets[SUNDOG_EXTENT_IDLE], ex->n)
		sundog_extents_begin_transfer(ex, i, NULL);
	bitmap_copy(ex->sets[SUNDOG_EXTENT_IDLE], empty, ex->n);
	/* The calls that reserved these have not cleaned them in time. */
	for_each_set_bit(i, ex->sets[SUNDOG_EXTENT_DIRTY], ex->n)
		sundog_extents_unreserve(ex, i);
	return !bitmap_empty(empty, ex->n);
}

/**
 * sundog_extents_hold_dirty() - hold a run of dirty extents, to clean them
 * @ex: VRAM; the caller has the lock
 * @owner: owner that the extents are reserved for; NULL: those that are not reserved
 * @first: in: extent to start the search at; out: first extent of the run
 * @end: extent to end the search at
 * @max: maximum length of the run
 *
 * Return: length of the run, which no other call gets until sundog_extents_return_clean(); 0 if
 * there is none.
 */
u32 sundog_extents_hold_dirty(struct sundog_extents *ex, const struct sundog_vram_owner *owner,
			      u32 *first, u32 end, u32 max)
{
	unsigned long *dirty = ex->sets[SUNDOG_EXTENT_DIRTY];
	u32 i, n = 0;

	lockdep_assert_held(&ex->lock);
	for (i = *first; i < end && n < max; i++) {
		if (test_bit(i, dirty) && ex->extents[i].owner == owner) {
			if (!n++)
				*first = i;
			__clear_bit(i, dirty);
		} else if (n) {
			break;
		}
	}
	return n;
}

/**
 * sundog_extents_return_clean() - return extents that hold no old data any more
 * @ex: VRAM; the caller has the lock
 * @first: first extent, from sundog_extents_hold_dirty()
 * @n: number of extents that sundog_extents_hold_dirty() returned
 */
void sundog_extents_return_clean(struct sundog_extents *ex, u32 first, u32 n)
{
	u32 i;

	lockdep_assert_held(&ex->lock);
	bitmap_clear(ex->dirty, first << ex->shift, n << ex->shift);
	for (i = first; i < first + n; i++)
		sundog_extents_end_transfer(ex, i);
}

/**
 * sundog_extents_print() - print the state of VRAM for debugfs
 * @ex: VRAM
 * @p: printer
 */
void sundog_extents_print(struct sundog_extents *ex, struct drm_printer *p)
{
	struct sundog_vram_owner *owner;

	spin_lock(&ex->lock);
	drm_printf(p, "dirty %u\n", bitmap_weight(ex->dirty, ex->n << ex->shift));
	drm_printf(p, "extents %u\n", ex->n);
	drm_printf(p, "extent_pages %u\n", 1 << ex->shift);
	drm_printf(p, "free_extents %u\n",
		   bitmap_weight(ex->sets[SUNDOG_EXTENT_FREE], ex->n) +
		   bitmap_weight(ex->sets[SUNDOG_EXTENT_DIRTY], ex->n));
	drm_printf(p, "empty_extents %u\n",
		   bitmap_weight(ex->sets[SUNDOG_EXTENT_EMPTY], ex->n));
	drm_printf(p, "leaving_extents %u\n",
		   bitmap_weight(ex->sets[SUNDOG_EXTENT_LEAVING], ex->n) +
		   bitmap_weight(ex->sets[SUNDOG_EXTENT_ASKED], ex->n));
	drm_printf(p, "pending_revoke_pages %llu\n", ex->pending_revoke_pages);
	drm_printf(p, "revokes %u\n", ex->asked);
	drm_printf(p, "revoked %u\n", ex->done);
	list_for_each_entry(owner, &ex->owners, node)
		drm_printf(p, "owner client %u extents %u%s\n", owner->client,
			   owner->n_owned, owner == ex->common ? " common" : "");
	spin_unlock(&ex->lock);
}

static void sundog_extents_free(struct sundog_extents *ex)
{
	u32 set;

	for (set = 0; set < SUNDOG_EXTENT_SETS; set++)
		bitmap_free(ex->sets[set]);
	kvfree(ex->dirty);
	kvfree(ex->extents);
	mutex_destroy(&ex->clean_lock);
	kfree(ex);
}

VISIBLE_IF_KUNIT struct sundog_extents *sundog_extents_alloc(u32 n, u32 shift)
{
	struct sundog_extents *ex = kzalloc_obj(*ex, GFP_KERNEL);
	bool ok = true;
	u32 set;

	if (!ex)
		return NULL;
	ex->n = n;
	ex->shift = shift;
	mutex_init(&ex->clean_lock);
	spin_lock_init(&ex->lock);
	INIT_LIST_HEAD(&ex->owners);
	INIT_LIST_HEAD(&ex->ranges);
	INIT_LIST_HEAD(&ex->pending_revoke);
	INIT_LIST_HEAD(&ex->asked_revoke);
	init_waitqueue_head(&ex->wait);
	ex->extents = kvzalloc_objs(*ex->extents, n, GFP_KERNEL);
	ex->dirty = kvzalloc_objs(*ex->dirty, BITS_TO_LONGS((u64)n << shift), GFP_KERNEL);
	for (set = 0; set < SUNDOG_EXTENT_SETS; set++) {
		ex->sets[set] = bitmap_zalloc(n, GFP_KERNEL);
		ok = ok && ex->sets[set];
	}
	if (ok && ex->extents && ex->dirty)
		ex->common = sundog_vram_owner_create(ex);
	if (ex->common)
		return ex;
	sundog_extents_free(ex);
	return NULL;
}

/**
 * sundog_extents_clear_table() - clear the extent table, so that no worker may map an extent
 * @ex: VRAM
 */
void sundog_extents_clear_table(struct sundog_extents *ex)
{
	spin_lock(&ex->lock);
	memset32(ex->table, 0, SUNDOG_MAX_EXTENTS);
	spin_unlock(&ex->lock);
}

/**
 * sundog_extents_create() - cut VRAM into extents, all unassigned and dirty
 * @sdev: device that was just reset
 *
 * Return: VRAM, or an error pointer.
 */
struct sundog_extents *sundog_extents_create(struct sundog_device *sdev)
{
	const u32 shift = sundog_read(sdev, SUNDOG_REG_EXTENT_SHIFT);
	struct sundog_extents *ex;

	if (shift < PAGE_SHIFT || shift > 31 || !(sdev->vram_size >> shift) ||
	    sdev->vram_size >> shift > SUNDOG_MAX_EXTENTS) {
		drm_err(&sdev->drm, "%llu bytes of VRAM in extents of 1 << %u\n", sdev->vram_size,
			shift);
		return ERR_PTR(-ENODEV);
	}
	ex = sundog_extents_alloc(sdev->vram_size >> shift, shift - PAGE_SHIFT);
	if (!ex)
		return ERR_PTR(-ENOMEM);
	ex->sdev = sdev;
	ex->table = sdev->control + SUNDOG_CONTROL_EXTENTS;
	sundog_extents_clear_table(ex);
	bitmap_fill(ex->dirty, ex->n << ex->shift);
	bitmap_fill(ex->sets[SUNDOG_EXTENT_DIRTY], ex->n);
	return ex;
}

/**
 * sundog_extents_destroy() - undo sundog_extents_create()
 * @ex: VRAM without ranges, after sundog_revoke_gone(); @work does not run any more
 */
void sundog_extents_destroy(struct sundog_extents *ex)
{
	struct drm_device *drm = &ex->sdev->drm;
	u32 i;

	spin_lock(&ex->lock);
	/* The first pass marks empty extents as idle, the second one takes them. */
	for (i = 0; i < 2; i++)
		sundog_extents_age(ex);
	sundog_vram_owner_put_locked(ex->common);
	drm_WARN_ON(drm, !list_empty(&ex->owners));
	spin_unlock(&ex->lock);
	sundog_extents_free(ex);
}
