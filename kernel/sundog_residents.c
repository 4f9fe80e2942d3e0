// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What a residency list costs a submission: nothing, while it and what is on it stay as they are.
 *
 * PRIVATE allocations have one lock and one set of fences, so a submission need not come by each of
 * them to protect it. What else it wants of each is whether it is in its place, and what the device
 * is told of it. Both are found out once, and hold until an allocation that they were found out of
 * moves or changes its name: that counts up the version of the file's reservation. So a job takes
 * two references, however long the list is: to the allocations, which thus stay, and to their list
 * entries, which are never written again.
 *
 * Allocations with a reservation of their own are none of this: each is locked by each submission.
 */

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/overflow.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_resource.h>

#include "sundog_bo.h"
#include "sundog_residents.h"
#include "sundog_stats.h"

/* Who evicts need not know better when something was used. */
#define SUNDOG_TOUCH_PERIOD	(HZ / 10)

static atomic64_t sundog_places_ids;

static void sundog_places_free(struct kref *kref)
{
	kvfree(container_of(kref, struct sundog_places, kref));
}

/**
 * sundog_places_get() - take a reference
 * @places: places
 *
 * Return: @places.
 */
struct sundog_places *sundog_places_get(struct sundog_places *places)
{
	kref_get(&places->kref);
	return places;
}

/**
 * sundog_places_put() - drop a reference; may sleep
 * @places: places
 */
void sundog_places_put(struct sundog_places *places)
{
	kref_put(&places->kref, sundog_places_free);
}

/**
 * sundog_residents_create() - start to collect what is on a residency list
 * @n: how many allocations there will be
 *
 * Return: residents with one reference, or NULL without memory.
 */
struct sundog_residents *sundog_residents_create(u32 n)
{
	struct sundog_residents *residents;

	residents = kvzalloc_flex(*residents, list, n, GFP_KERNEL_ACCOUNT);
	if (residents)
		kref_init(&residents->kref);
	return residents;
}

/**
 * sundog_residents_add() - one more
 * @residents: residents that nobody else knows yet
 * @bo: PRIVATE allocation, of the same file as the others
 * @flags: DRM_SUNDOG_SUBMIT_*
 */
void sundog_residents_add(struct sundog_residents *residents, struct sundog_bo *bo, u32 flags)
{
	kref_get(&bo->tbo.kref);
	residents->list[residents->n++] = (struct sundog_resident) { .bo = bo, .flags = flags };
	residents->size += bo->tbo.base.size;
}

static void sundog_residents_free(struct kref *kref)
{
	struct sundog_residents *residents = container_of(kref, struct sundog_residents, kref);
	u32 i;

	for (i = 0; i < residents->n; i++)
		ttm_bo_fini(&residents->list[i].bo->tbo);
	if (residents->places)
		sundog_places_put(residents->places);
	kvfree(residents);
}

/**
 * sundog_residents_get() - take a reference
 * @residents: residents
 */
void sundog_residents_get(struct sundog_residents *residents)
{
	kref_get(&residents->kref);
}

/**
 * sundog_residents_put() - drop a reference; may sleep
 * @residents: residents
 */
void sundog_residents_put(struct sundog_residents *residents)
{
	kref_put(&residents->kref, sundog_residents_free);
}

static struct sundog_file_resv *sundog_residents_resv(const struct sundog_residents *residents)
{
	return residents->list[0].bo->file_resv;
}

/**
 * sundog_residents_are_current() - is all that is known of them so?
 * @residents: residents
 *
 * Return: true if they are where their places say, all where a submission wants them; for good
 * while the dma_resv is locked, names apart, otherwise for now.
 */
bool sundog_residents_are_current(const struct sundog_residents *residents)
{
	return READ_ONCE(residents->version) ==
	       atomic64_read(&sundog_residents_resv(residents)->version);
}

static void sundog_residents_fill(struct sundog_residents *residents, struct sundog_places *places)
{
	u32 i;

	for (i = 0; i < residents->n; i++)
		WRITE_ONCE(residents->list[i].bo->is_noted, true);
	/* Pairs with sundog_bo_changed(): who changes a name counts up, or we see the new one. */
	smp_mb();
	for (i = 0; i < residents->n; i++)
		sundog_bo_list_entry(residents->list[i].bo, residents->list[i].flags,
				     &places->entries[i]);
	this_cpu_add(sundog_bo_device(residents->list[0].bo)->stats->list_written, residents->n);
}

/**
 * sundog_residents_write() - write down where they are, unless that is done
 * @residents: residents, all in their place; the dma_resv is locked
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_residents_write(struct sundog_residents *residents)
{
	struct sundog_file_resv *resv = sundog_residents_resv(residents);
	struct sundog_places *places;
	u64 version;

	dma_resv_assert_held(&resv->resv);
	if (sundog_residents_are_current(residents))
		return 0;
	places = kvmalloc_flex(*places, entries, residents->n, GFP_KERNEL_ACCOUNT);
	if (!places)
		return -ENOMEM;
	kref_init(&places->kref);
	places->n = residents->n;
	places->id = atomic64_inc_return(&sundog_places_ids);
	version = atomic64_read(&resv->version);
	sundog_residents_fill(residents, places);
	if (residents->places)
		sundog_places_put(residents->places);
	residents->places = places;
	WRITE_ONCE(residents->version, version);
	residents->touched = jiffies - SUNDOG_TOUCH_PERIOD - 1;
	return 0;
}

/**
 * sundog_residents_touch() - what is used now is evicted last
 * @residents: residents; the dma_resv is locked
 */
void sundog_residents_touch(struct sundog_residents *residents)
{
	spinlock_t *lru_lock = &residents->list[0].bo->tbo.bdev->lru_lock;
	u32 i;

	if (time_before(jiffies, residents->touched + SUNDOG_TOUCH_PERIOD))
		return;
	residents->touched = jiffies;
	spin_lock(lru_lock);
	for (i = 0; i < residents->n; i++)
		ttm_bo_move_to_lru_tail(&residents->list[i].bo->tbo);
	spin_unlock(lru_lock);
}
