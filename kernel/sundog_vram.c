// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * TTM's resource manager of VRAM, and the pages of VRAM that hold old data (dirty pages).
 *
 * TTM calls the hooks in process context. sundog_extent.c finds the range of an allocation. This
 * file decides when freed memory is usable again, and clears it.
 *
 * A page is dirty if it is free and may hold data of its last owner. A clean page reads as zero.
 * An allocation clears the dirty pages of its range and does not touch the clean ones. So VRAM uses
 * memory of the host only where it was written. All pages are dirty when the driver loads.
 *
 * An owner gets clean extents, so dirty pages in them hold data of that owner only. Extents without
 * an owner are cleaned before their next owner gets them: with feature DISCARD by a work item, in
 * batches, which returns the memory to the host. Otherwise, or if a call needs them earlier, that
 * call cleans them.
 *
 * Locks: @lock of struct sundog_extents protects the data, innermost. Its @clean_lock, outside of
 * @lock, is held while extents are cleaned. A call that finds no space looks again with it held.
 */

#include <linux/bitmap.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <kunit/visibility.h>

#include <drm/drm_print.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_evict_types.h"
#include "sundog_extent.h"
#include "sundog_revoke.h"
#include "sundog_vram.h"
#include "sundog_wq.h"

/* Bytes that are cleared between two calls of cond_resched(). */
#define SUNDOG_CLEAR_STEP	SZ_1M

/* Ranges that are examined before @lock of struct sundog_extents may be dropped for a moment. */
#define SUNDOG_SCAN_STEP	256

/* Maximum number of extents that are cleaned together; no call can get them meanwhile. */
#define SUNDOG_CLEAN_RUN	32

static struct sundog_extents *to_extents(struct ttm_resource_manager *man)
{
	return container_of(man, struct sundog_extents, base);
}

static struct sundog_range *to_sundog_range(struct ttm_resource *res)
{
	return container_of(res, struct sundog_range, base);
}

/*
 * Not memset() or clear_page(): they may store bytes, which is slow when emulated. The caller
 * owns the pages, here and below. It is inside drm_dev_enter(), or in probe or resume.
 */
static void sundog_vram_zero(struct sundog_device *sdev, u64 first, u64 pages)
{
	size_t offset = first << PAGE_SHIFT, size, n;

	for (size = pages << PAGE_SHIFT; size; size -= n, offset += n) {
		n = min_t(size_t, size, SUNDOG_CLEAR_STEP);
		memset64(sdev->vram + offset, 0, n / sizeof(u64));
		cond_resched();
	}
}

static void sundog_vram_discard(struct sundog_device *sdev, u64 first, u64 pages)
{
	u64 n;

	for (; pages; pages -= n, first += n) {
		n = min_t(u64, pages, SUNDOG_MAX_DISCARD);
		sundog_write64(sdev, SUNDOG_REG_DISCARD_OFFSET, first << PAGE_SHIFT);
		sundog_write(sdev, SUNDOG_REG_DISCARD, n);
		cond_resched();
	}
}

static void sundog_vram_clean_run(struct sundog_extents *ex, u64 first, u64 pages)
{
	if (ex->can_discard)
		sundog_vram_discard(ex->sdev, first, pages);
	else
		sundog_vram_zero(ex->sdev, first, pages);
}

/*
 * Cleans the dirty extents from @first to @end that are reserved for @owner; NULL: those that are
 * not reserved.
 */
static void sundog_vram_clean(struct sundog_extents *ex, const struct sundog_vram_owner *owner,
			      u32 first, u32 end)
{
	u32 n;

	lockdep_assert_held(&ex->clean_lock);
	for (; first < end; first += n) {
		spin_lock(&ex->lock);
		n = sundog_extents_hold_dirty(ex, owner, &first, end, SUNDOG_CLEAN_RUN);
		spin_unlock(&ex->lock);
		if (!n)
			return;
		sundog_vram_clean_run(ex, (u64)first << ex->shift, (u64)n << ex->shift);
		spin_lock(&ex->lock);
		sundog_extents_return_clean(ex, first, n);
		spin_unlock(&ex->lock);
	}
}

static int sundog_vram_insert(struct sundog_extents *ex, struct sundog_range *range,
			      struct sundog_vram_owner *owner, bool own)
{
	int ret;

	spin_lock(&ex->lock);
	ret = sundog_extents_insert(ex, range, owner, PFN_UP(range->base.size), own);
	if (!ret) {
		list_add_tail(&range->in_list, &ex->ranges);
		ex->n_ranges++;
	}
	spin_unlock(&ex->lock);
	return ret;
}

/*
 * TTM calls this before the first eviction and after each one. It takes memory that only has to be
 * cleaned. If enough memory only has to be revoked, it returns -ENOBUFS: TTM does not know this
 * error, and stops evicting.
 */
VISIBLE_IF_KUNIT int sundog_vram_insert_slow(struct sundog_extents *ex, struct sundog_range *range,
					     struct sundog_vram_owner *owner,
					     struct sundog_evict *evict)
{
	const u64 pages = PFN_UP(range->base.size);
	u32 first = 0, end = 0;
	bool taken, revoke;
	int ret;

	lockdep_assert_held(&ex->clean_lock);
	/* Another call may have cleaned enough. */
	ret = sundog_vram_insert(ex, range, owner, false);
	if (!ret)
		return 0;
	spin_lock(&ex->lock);
	taken = sundog_extents_take(ex, range, owner, pages, evict, &first, &end);
	/* If no run is long enough, a thorough call reserves all extents that others do not use. */
	if (!taken && evict && evict->thorough) {
		taken = sundog_extents_take_all(ex, owner);
		first = 0;
		end = ex->n;
	}
	spin_unlock(&ex->lock);
	if (taken) {
		/* Others of the owner clean what they have reserved. */
		sundog_vram_clean(ex, owner, first, end);
		ret = sundog_vram_insert(ex, range, owner, false);
	}
	spin_lock(&ex->lock);
	/* There may be space when the device has answered a revoke. */
	revoke = ret && evict && sundog_evict_may_revoke(evict) &&
		 (taken || ex->pending_revoke_pages >= pages);
	if (revoke) {
		sundog_revoke_ask(ex);
		revoke = sundog_revoke_is_under_way(ex);
	}
	if (revoke) {
		evict->revoke = true;
		ret = -ENOBUFS;
	} else if (!ret || evict) {
		/*
		 * Not after a failed CPU fault (no @evict): these are reservations of another call.
		 * Or another thread of @owner used a part of what this call took. Then the rest
		 * stays reserved until sundog_extents_age() takes it back.
		 */
		sundog_extents_unreserve_rest(ex, owner);
	}
	/* With @clean_lock held, no extents are about to be cleaned. */
	if (ret && evict && sundog_extents_are_reserved(ex))
		evict->transient = true;
	spin_unlock(&ex->lock);
	return ret;
}

/* Others clean a large part of VRAM with this lock, which may take seconds. */
VISIBLE_IF_KUNIT bool sundog_vram_lock_clean(struct sundog_extents *ex,
					     const struct sundog_evict *evict)
{
	if (evict && evict->no_wait)
		return mutex_trylock(&ex->clean_lock);
	mutex_lock(&ex->clean_lock);
	return true;
}

static int sundog_vram_find(struct sundog_extents *ex, struct sundog_range *range,
			    struct sundog_vram_owner *owner, struct sundog_evict *evict)
{
	const struct sundog_evict *claim = READ_ONCE(ex->sdev->claim);
	int ret, idx;

	if (evict && claim && claim != evict && !evict->unclaimed) {
		/* The claim is not for space in extents that @owner has already. */
		if (!sundog_vram_insert(ex, range, owner, true))
			return 0;
		/* TTM must stop, see sundog_vram_insert_slow(). */
		evict->refused = true;
		return -ENOBUFS;
	}
	ret = sundog_vram_insert(ex, range, owner, false);
	if (!ret)
		return 0;
	if (!drm_dev_enter(&ex->sdev->drm, &idx))
		return -ENODEV;
	if (sundog_vram_lock_clean(ex, evict)) {
		ret = sundog_vram_insert_slow(ex, range, owner, evict);
		mutex_unlock(&ex->clean_lock);
	} else {
		/* TTM must stop, see sundog_vram_insert_slow(). */
		ret = -ENOBUFS;
	}
	drm_dev_exit(idx);
	/* The call may have got more extents than it uses: the work item takes them back. */
	queue_delayed_work(sundog_wq, &ex->work, SUNDOG_EXTENT_DELAY);
	return ret;
}

/* A CPU fault has no struct sundog_evict. It uses another placement and waits for no revoke. */
static int sundog_vram_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *tbo,
			     const struct ttm_place *place, struct ttm_resource **res)
{
	struct sundog_range *range = kzalloc_obj(*range, GFP_KERNEL);
	int ret;

	if (!range)
		return -ENOMEM;
	ttm_resource_init(tbo, place, &range->base);
	ret = sundog_vram_find(to_extents(man), range, to_sundog_bo(&tbo->base)->vram_owner,
			       sundog_evict_of(place));
	if (ret) {
		ttm_resource_fini(man, &range->base);
		kfree(range);
		return ret;
	}
	range->base.start = range->node.start;
	*res = &range->base;
	return 0;
}

static void sundog_vram_free(struct ttm_resource_manager *man, struct ttm_resource *res)
{
	struct sundog_range *range = to_sundog_range(res);
	struct sundog_extents *ex = to_extents(man);
	const bool shared = range->shared;

	ttm_resource_fini(man, res);
	spin_lock(&ex->lock);
	list_del(&range->in_list);
	ex->n_ranges--;
	bitmap_set(ex->dirty, range->node.start, range->node.size);
	if (shared)
		sundog_revoke_range(ex, range);
	else
		sundog_extents_remove(ex, range);
	spin_unlock(&ex->lock);
	if (!shared)
		kfree(range);
	queue_delayed_work(sundog_wq, &ex->work, SUNDOG_EXTENT_DELAY);
}

static void sundog_vram_debug(struct ttm_resource_manager *man, struct drm_printer *printer)
{
	sundog_extents_print(to_extents(man), printer);
}

static const struct ttm_resource_manager_func sundog_vram_func = {
	.alloc = sundog_vram_alloc,
	.free = sundog_vram_free,
	.debug = sundog_vram_debug,
};

static void sundog_vram_clean_free(struct sundog_extents *ex)
{
	mutex_lock(&ex->clean_lock);
	sundog_vram_clean(ex, NULL, 0, ex->n);
	mutex_unlock(&ex->clean_lock);
}

/* Queues itself again until no owner has an empty extent. */
static void sundog_vram_work(struct work_struct *work)
{
	struct sundog_extents *ex = container_of(work, struct sundog_extents, work.work);
	bool again;
	int idx;

	if (!drm_dev_enter(&ex->sdev->drm, &idx))
		return;
	spin_lock(&ex->lock);
	again = sundog_extents_age(ex);
	sundog_revoke_ask(ex);
	spin_unlock(&ex->lock);
	if (ex->can_discard)
		sundog_vram_clean_free(ex);
	drm_dev_exit(idx);
	if (again)
		queue_delayed_work(sundog_wq, &ex->work, SUNDOG_EXTENT_DELAY);
}

/**
 * sundog_vram_init() - set up the manager of VRAM
 * @sdev: device, with registers mapped and @ttm initialised
 *
 * Return: 0 or a negative error code.
 */
int sundog_vram_init(struct sundog_device *sdev)
{
	struct sundog_extents *ex = sundog_extents_create(sdev);

	if (IS_ERR(ex))
		return PTR_ERR(ex);
	sdev->extents = ex;
	INIT_DELAYED_WORK(&ex->work, sundog_vram_work);
	ex->can_discard = sundog_read64(sdev, SUNDOG_REG_FEATURES) & SUNDOG_FEATURE_DISCARD;
	ex->base.func = &sundog_vram_func;
	ttm_resource_manager_init(&ex->base, &sdev->ttm, (u64)ex->n << ex->shift);
	/* Old data of an earlier driver. Without DISCARD, a call cleans extents that it needs. */
	if (ex->can_discard)
		sundog_vram_clean_free(ex);
	ttm_set_driver_manager(&sdev->ttm, TTM_PL_VRAM, &ex->base);
	ttm_resource_manager_set_used(&ex->base, true);
	return 0;
}

/**
 * sundog_vram_restart() - clear VRAM and the extent table, whose contents are unknown after a reset
 * @sdev: device that was reset, without allocations in VRAM
 */
void sundog_vram_restart(struct sundog_device *sdev)
{
	struct sundog_extents *ex = sdev->extents;

	/* Pages that @dirty has as clean must be clean. */
	mutex_lock(&ex->clean_lock);
	sundog_vram_clean_run(ex, 0, (u64)ex->n << ex->shift);
	mutex_unlock(&ex->clean_lock);
	sundog_extents_clear_table(ex);
}

/**
 * sundog_vram_fini() - undo sundog_vram_init()
 * @sdev: device without allocations, after ttm_device_fini()
 */
void sundog_vram_fini(struct sundog_device *sdev)
{
	struct sundog_extents *ex = sdev->extents;

	ttm_resource_manager_set_used(&ex->base, false);
	drm_WARN_ON(&sdev->drm, ttm_resource_manager_usage(&ex->base));
	sundog_revoke_gone(sdev);
	cancel_delayed_work_sync(&ex->work);
	ttm_resource_manager_cleanup(&ex->base);
	ttm_set_driver_manager(&sdev->ttm, TTM_PL_VRAM, NULL);
	sundog_extents_destroy(ex);
}

/**
 * sundog_vram_note_use() - note that the worker of a file is about to map an allocation
 * @res: placement of the allocation, whose dma_resv the caller holds
 * @owner: VRAM owner of that file
 */
void sundog_vram_note_use(struct ttm_resource *res, const struct sundog_vram_owner *owner)
{
	struct sundog_range *range;

	if (res->mem_type != TTM_PL_VRAM)
		return;
	range = to_sundog_range(res);
	if (range->owner != owner)
		range->shared = true;
}

/*
 * Calls @get for one range after the other until it returns a BO. The next walk goes on behind that
 * range. @get gets BOs of this driver only, with @lock of struct sundog_extents held. They are
 * valid then: a BO frees its range before it ends, which takes @lock.
 */
static struct ttm_buffer_object *
sundog_vram_walk(struct sundog_extents *ex, const struct dma_resv *resv, bool *transient,
		 struct ttm_buffer_object *(*get)(struct ttm_buffer_object *tbo,
						  const struct dma_resv *resv, bool *transient))
{
	const u32 n = sundog_bo_can_move(ex->sdev) ? ex->n_ranges : 0;
	struct ttm_buffer_object *tbo = NULL;
	u32 i;

	lockdep_assert_held(&ex->lock);
	for (i = 1; !tbo && i <= n && !list_empty(&ex->ranges); i++) {
		tbo = list_first_entry(&ex->ranges, struct sundog_range, in_list)->base.bo;
		tbo = sundog_bo_is_ours(tbo) ? get(tbo, resv, transient) : NULL;
		list_rotate_left(&ex->ranges);
		if (i % SUNDOG_SCAN_STEP == 0)
			cond_resched_lock(&ex->lock);
	}
	return tbo;
}

/* Returns a GEM reference to a BO, if it is locked and its dma_resv is not @except. */
static struct ttm_buffer_object *sundog_vram_get_locked(struct ttm_buffer_object *tbo,
							const struct dma_resv *except,
							bool *transient)
{
	const bool locked = dma_resv_is_locked(tbo->base.resv);

	if (tbo->base.resv == except)
		return NULL;
	if (READ_ONCE(tbo->pin_count)) {
		/* About to be unpinned, or pinned for a commit that may not be repeated. */
		*transient |= locked || READ_ONCE(to_sundog_bo(&tbo->base)->pin_work);
		return NULL;
	}
	if (!locked)
		return NULL;
	if (kref_get_unless_zero(&tbo->base.refcount))
		return tbo;
	*transient = true;
	return NULL;
}

/**
 * sundog_vram_find_locked() - find a BO that TTM could not evict because it is locked
 * @sdev: device
 * @except: dma_resv whose BOs TTM can evict, or NULL
 * @transient: set to true if some VRAM is about to be freed, see below
 *
 * Sets @transient in two cases. A BO without handles is locked, possibly by the thread that frees
 * it. A pin may be about to end.
 *
 * Return: a BO with a GEM reference, or NULL.
 */
struct sundog_bo *sundog_vram_find_locked(struct sundog_device *sdev,
					  const struct dma_resv *except, bool *transient)
{
	struct sundog_extents *ex = sdev->extents;
	struct ttm_buffer_object *tbo;

	spin_lock(&ex->lock);
	tbo = sundog_vram_walk(ex, except, transient, sundog_vram_get_locked);
	spin_unlock(&ex->lock);
	return tbo ? to_sundog_bo(&tbo->base) : NULL;
}

/* Returns a TTM reference to a BO, if it is a zombie in @resv that can be evicted. */
static struct ttm_buffer_object *sundog_vram_get_zombie(struct ttm_buffer_object *tbo,
							const struct dma_resv *resv,
							bool *transient)
{
	if (tbo->base.resv != resv || tbo->deleted || tbo->pin_count ||
	    !READ_ONCE(to_sundog_bo(&tbo->base)->zombie))
		return NULL;
	return kref_get_unless_zero(&tbo->kref) ? tbo : NULL;
}

/**
 * sundog_vram_find_zombie() - find a BO without a GEM reference
 * @sdev: device
 * @resv: dma_resv of the BO, which is locked
 *
 * Return: a BO with a TTM reference, or NULL.
 */
struct ttm_buffer_object *sundog_vram_find_zombie(struct sundog_device *sdev,
						  const struct dma_resv *resv)
{
	struct sundog_extents *ex = sdev->extents;
	struct ttm_buffer_object *tbo;

	dma_resv_assert_held(resv);
	spin_lock(&ex->lock);
	tbo = sundog_vram_walk(ex, resv, NULL, sundog_vram_get_zombie);
	spin_unlock(&ex->lock);
	return tbo;
}

/**
 * sundog_vram_clear() - make a range read as zero
 * @sdev: device; the caller is inside drm_dev_enter()
 * @res: range that was just allocated
 */
void sundog_vram_clear(struct sundog_device *sdev, const struct ttm_resource *res)
{
	const unsigned long *dirty = sdev->extents->dirty;
	unsigned long first = res->start, end, past = first + PFN_UP(res->size);

	for_each_set_bitrange_from(first, end, dirty, past)
		sundog_vram_zero(sdev, first, end - first);
	sundog_vram_claim(sdev, res);
}

/**
 * sundog_vram_claim() - mark the pages of a range as clean
 * @sdev: device
 * @res: range that was just allocated, and written from end to end
 */
void sundog_vram_claim(struct sundog_device *sdev, const struct ttm_resource *res)
{
	struct sundog_extents *ex = sdev->extents;

	spin_lock(&ex->lock);
	bitmap_clear(ex->dirty, res->start, PFN_UP(res->size));
	spin_unlock(&ex->lock);
}

/**
 * sundog_vram_used() - get the amount of VRAM in use
 * @sdev: device
 *
 * Return: bytes.
 */
u64 sundog_vram_used(struct sundog_device *sdev)
{
	return ttm_resource_manager_usage(&sdev->extents->base);
}
