// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Private lists and list snapshots: they make the cost of a submission independent of the length of
 * its residency list, while the list and its allocations do not change.
 *
 * The PRIVATE allocations of a file share one dma_resv (struct sundog_file_resv), so SUBMIT neither
 * locks nor fences each of them. It still needs to know that each is in place, and its list entry
 * for the device. Both are determined once per version of the dma_resv. The version is incremented
 * when an allocation of a snapshot moves or changes its name.
 *
 * A job takes two references, however long the list is. The private list keeps the allocations
 * alive. The list snapshot has their list entries, and is immutable.
 *
 * Allocations with a dma_resv of their own are not on a private list; each SUBMIT locks each of
 * them. The functions run in ioctls and when jobs end. The dma_resv of the file protects the data.
 */

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/overflow.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_resource.h>

#include "sundog_bo.h"
#include "sundog_private_list.h"
#include "sundog_stats.h"

/* Interval of LRU updates, in jiffies: accurate enough to choose a victim of eviction. */
#define SUNDOG_TOUCH_PERIOD	(HZ / 10)

static atomic64_t sundog_list_snapshot_ids;

static void sundog_list_snapshot_free(struct kref *kref)
{
	kvfree(container_of(kref, struct sundog_list_snapshot, kref));
}

/**
 * sundog_list_snapshot_get() - take a reference
 * @snapshot: snapshot
 *
 * Return: @snapshot.
 */
struct sundog_list_snapshot *sundog_list_snapshot_get(struct sundog_list_snapshot *snapshot)
{
	kref_get(&snapshot->kref);
	return snapshot;
}

/**
 * sundog_list_snapshot_put() - drop a reference; may sleep
 * @snapshot: snapshot
 */
void sundog_list_snapshot_put(struct sundog_list_snapshot *snapshot)
{
	kref_put(&snapshot->kref, sundog_list_snapshot_free);
}

/**
 * sundog_private_list_create() - allocate an empty private list
 * @n: number of allocations that the caller will add
 *
 * Return: the private list with one reference, or NULL without memory.
 */
struct sundog_private_list *sundog_private_list_create(u32 n)
{
	struct sundog_private_list *privates;

	privates = kvzalloc_flex(*privates, list, n, GFP_KERNEL_ACCOUNT);
	if (privates)
		kref_init(&privates->kref);
	return privates;
}

/**
 * sundog_private_list_add() - add an allocation
 * @privates: private list, which no other thread can access yet
 * @bo: PRIVATE allocation, of the same file as the others
 * @flags: DRM_SUNDOG_SUBMIT_*
 */
void sundog_private_list_add(struct sundog_private_list *privates, struct sundog_bo *bo, u32 flags)
{
	kref_get(&bo->tbo.kref);
	privates->list[privates->n++] = (struct sundog_private_entry) { .bo = bo, .flags = flags };
	privates->size += bo->tbo.base.size;
}

static void sundog_private_list_free(struct kref *kref)
{
	struct sundog_private_list *privates = container_of(kref, struct sundog_private_list, kref);
	u32 i;

	for (i = 0; i < privates->n; i++)
		ttm_bo_fini(&privates->list[i].bo->tbo);
	if (privates->snapshot)
		sundog_list_snapshot_put(privates->snapshot);
	kvfree(privates);
}

/**
 * sundog_private_list_get() - take a reference
 * @privates: private list
 */
void sundog_private_list_get(struct sundog_private_list *privates)
{
	kref_get(&privates->kref);
}

/**
 * sundog_private_list_put() - drop a reference; may sleep
 * @privates: private list
 */
void sundog_private_list_put(struct sundog_private_list *privates)
{
	kref_put(&privates->kref, sundog_private_list_free);
}

static struct sundog_file_resv *sundog_private_list_resv(const struct sundog_private_list *privates)
{
	return privates->list[0].bo->file_resv;
}

/**
 * sundog_private_list_is_current() - check whether the list snapshot is up to date
 * @privates: private list
 *
 * Return: true if all allocations are in place for a submission, and as the snapshot has them.
 * While the dma_resv is locked, placements cannot change, but names can.
 */
bool sundog_private_list_is_current(const struct sundog_private_list *privates)
{
	return READ_ONCE(privates->version) ==
	       atomic64_read(&sundog_private_list_resv(privates)->version);
}

static void sundog_private_list_fill(struct sundog_private_list *privates,
				     struct sundog_list_snapshot *snapshot)
{
	u32 i;

	for (i = 0; i < privates->n; i++)
		WRITE_ONCE(privates->list[i].bo->in_snapshot, true);
	/*
	 * Pairs with sundog_bo_changed(): a thread that changes a name either sees in_snapshot and
	 * increments the version, or its new name is read below.
	 */
	smp_mb();
	for (i = 0; i < privates->n; i++)
		sundog_bo_list_entry(privates->list[i].bo, privates->list[i].flags,
				     &snapshot->entries[i]);
	this_cpu_add(sundog_bo_device(privates->list[0].bo)->stats->list_written, privates->n);
}

/**
 * sundog_private_list_write() - make a new list snapshot, unless the current one is up to date
 * @privates: private list, all its allocations are in place; the caller holds the dma_resv
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_private_list_write(struct sundog_private_list *privates)
{
	struct sundog_file_resv *resv = sundog_private_list_resv(privates);
	struct sundog_list_snapshot *snapshot;
	u64 version;

	dma_resv_assert_held(resv->base.resv);
	if (sundog_private_list_is_current(privates))
		return 0;
	snapshot = kvmalloc_flex(*snapshot, entries, privates->n, GFP_KERNEL_ACCOUNT);
	if (!snapshot)
		return -ENOMEM;
	kref_init(&snapshot->kref);
	snapshot->n = privates->n;
	snapshot->id = atomic64_inc_return(&sundog_list_snapshot_ids);
	version = atomic64_read(&resv->version);
	sundog_private_list_fill(privates, snapshot);
	if (privates->snapshot)
		sundog_list_snapshot_put(privates->snapshot);
	privates->snapshot = snapshot;
	WRITE_ONCE(privates->version, version);
	privates->touched = jiffies - SUNDOG_TOUCH_PERIOD - 1;
	return 0;
}

/**
 * sundog_private_list_touch() - move the allocations to the tail of TTM's LRU, at a limited rate
 * @privates: private list; the caller holds the dma_resv
 */
void sundog_private_list_touch(struct sundog_private_list *privates)
{
	spinlock_t *lru_lock = &privates->list[0].bo->tbo.bdev->lru_lock;
	u32 i;

	if (time_before(jiffies, privates->touched + SUNDOG_TOUCH_PERIOD))
		return;
	privates->touched = jiffies;
	spin_lock(lru_lock);
	for (i = 0; i < privates->n; i++)
		ttm_bo_move_to_lru_tail(&privates->list[i].bo->tbo);
	spin_unlock(lru_lock);
}
