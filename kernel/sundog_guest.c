// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Heap GUEST: pages of the guest's RAM that are mapped into the device, without a copy.
 *
 * There are two kinds of ranges in the heap:
 *
 *	TT	Pages of an own allocation while it is in TTM's placement TT, for other drivers to
 *		share. They are those of its ttm_tt, which TTM allocates, evicts and swaps as in
 *		system. The only way into TT is a move from system, which binds the pages. The only
 *		way out is a move to system, which unbinds them. Runs with the dma_resv locked.
 *	import	Pages of another driver's dma-buf, from the first use of the allocation that was
 *		created from it to the end of that allocation. The attachment to the dma-buf keeps
 *		the pages in place until the device has returned them, possibly long after the
 *		allocation was freed. Imports have no ttm_tt, and a placement that needs none, see
 *		sundog_bo.c.
 *
 * Life of a range:
 *
 *	sundog_guest_insert()		finds the range in the heap
 *	sundog_guest_set_pages()	sets its pages; of an import before it has a range
 *	sundog_guest_map()		maps them into the device; then the allocation is published
 *	sundog_guest_unmap()		unmaps them; the idle allocation was unpublished before
 *	sundog_guest_wait()		waits until the device has returned the pages
 *	sundog_guest_remove()		frees the range
 *
 * Pages that the device does not return are lost until it is reset, when the driver is unbound
 * (sundog_guest_gone()).
 *
 * The driver describes pages as runs, a u64 each. A map takes as many runs as fit into a page, and
 * as many pages as the device allows; the runs alone determine how they are divided into maps. The
 * device makes one map at a time, and answers soon. It unmaps in the order of the requests, after
 * the jobs that use the pages. By default the renderer kills a worker that has not returned pages
 * after 25 seconds.
 *
 * The locks of the heap are inside of every dma_resv: map_lock, then ranges_lock or lock. Of these,
 * only map_lock is held while the driver waits for the device. Another driver's dma_resv is not
 * held then: a work item maps imports, and SUBMIT waits for it before it locks anything.
 *
 * TTM hooks, SUBMIT, import and export call this file in process context. The thread of the event
 * interrupt calls sundog_guest_event().
 */

#include <kunit/visibility.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_prime.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_tt.h>

#include "sundog_bo_types.h"
#include "sundog_device.h"
#include "sundog_guest.h"
#include "sundog_quota.h"
#include "sundog_stats.h"
#include "sundog_wq.h"

/* The broker of the device only passes a map on. */
#define SUNDOG_GUEST_MAP_TIMEOUT	(10 * HZ)
/* A worker that does not return pages is killed long before. */
#define SUNDOG_GUEST_UNMAP_TIMEOUT	(60 * HZ)

VISIBLE_IF_KUNIT u32 sundog_guest_run_pages(u64 run)
{
	return (run & (SUNDOG_PAGE_SIZE - 1)) + 1;
}

/* Returns the number of runs from @first on that are one map. *@pages: number of their pages. */
static u32 sundog_guest_next_map(const struct sundog_guest *guest, u32 first, u32 *pages)
{
	u32 n;

	*pages = 0;
	for (n = 0; n < SUNDOG_MAX_GUEST_RUNS && first + n < guest->n_runs; n++) {
		if (*pages + sundog_guest_run_pages(guest->runs[first + n]) >
		    SUNDOG_MAX_GUEST_PAGES)
			break;
		*pages += sundog_guest_run_pages(guest->runs[first + n]);
	}
	return n;
}

static u32 sundog_guest_state(struct sundog_device *sdev)
{
	u32 state = SUNDOG_GUEST_STATE_REFUSED;
	int idx;

	if (drm_dev_enter(&sdev->drm, &idx)) {
		state = sundog_read(sdev, SUNDOG_REG_GUEST_STATE);
		drm_dev_exit(idx);
	}
	return state;
}

/* Returns true if a map has timed out and is still not answered: the device may read the list. */
static bool sundog_guest_is_stuck(struct sundog_device *sdev)
{
	struct sundog_guest_heap *heap = sdev->guest;

	if (READ_ONCE(heap->stuck) && sundog_guest_state(sdev) != SUNDOG_GUEST_STATE_BUSY)
		WRITE_ONCE(heap->stuck, false);
	return READ_ONCE(heap->stuck);
}

static bool sundog_guest_is_unmapped(struct sundog_device *sdev, u32 number)
{
	bool ret = READ_ONCE(sdev->guest->gone);
	int idx;

	if (!ret && drm_dev_enter(&sdev->drm, &idx)) {
		ret = (s32)(sundog_read(sdev, SUNDOG_REG_GUEST_UNMAPPED) - number) >= 0;
		drm_dev_exit(idx);
	}
	return ret;
}

static int sundog_guest_map_one(struct sundog_device *sdev, u64 offset, const u64 *runs, u32 n)
{
	struct sundog_guest_heap *heap = sdev->guest;
	u32 i, state;
	int idx;

	lockdep_assert_held(&heap->map_lock);
	if (!drm_dev_enter(&sdev->drm, &idx))
		return -ENODEV;
	for (i = 0; i < n; i++)
		heap->list[i] = cpu_to_le64(runs[i]);
	mutex_lock(&heap->lock);
	sundog_write64(sdev, SUNDOG_REG_GUEST_OFFSET, offset);
	sundog_write64(sdev, SUNDOG_REG_GUEST_LIST, heap->list_addr);
	sundog_write(sdev, SUNDOG_REG_GUEST_MAP, n);
	mutex_unlock(&heap->lock);
	drm_dev_exit(idx);

	if (!wait_event_timeout(heap->wait,
				sundog_guest_state(sdev) != SUNDOG_GUEST_STATE_BUSY,
				SUNDOG_GUEST_MAP_TIMEOUT)) {
		drm_err(&sdev->drm, "the device does not map pages, no sharing until it does\n");
		WRITE_ONCE(heap->stuck, true);
		return -EIO;
	}
	/* The device may have mapped the pages before it was unplugged. */
	if (!drm_dev_enter(&sdev->drm, &idx))
		return -ENODEV;
	state = sundog_read(sdev, SUNDOG_REG_GUEST_STATE);
	drm_dev_exit(idx);
	return state == SUNDOG_GUEST_STATE_DONE ? 0 : -EOPNOTSUPP;
}

/*
 * Requests that the device unmaps the maps that contain the first @n_runs runs. No entry of the
 * allocation table and no job uses them any more.
 */
static void sundog_guest_unmap(struct sundog_device *sdev, struct sundog_guest *guest, u32 n_runs)
{
	struct sundog_guest_heap *heap = sdev->guest;
	u64 offset = guest->node.start << PAGE_SHIFT;
	u32 i, n, pages;
	int idx;

	/* First: a device that is being unplugged keeps the pages until it is reset. */
	if (n_runs)
		guest->unmapping = true;
	if (!drm_dev_enter(&sdev->drm, &idx))
		return;
	mutex_lock(&heap->lock);
	for (i = 0; i < n_runs; i += n, offset += (u64)pages << PAGE_SHIFT) {
		n = sundog_guest_next_map(guest, i, &pages);
		sundog_write64(sdev, SUNDOG_REG_GUEST_OFFSET, offset);
		sundog_write(sdev, SUNDOG_REG_GUEST_UNMAP, 1);
		heap->n_unmaps++;
	}
	guest->last_unmap = heap->n_unmaps;
	mutex_unlock(&heap->lock);
	drm_dev_exit(idx);
}

static int sundog_guest_map_runs(struct sundog_device *sdev, struct sundog_guest *guest)
{
	u64 offset = guest->node.start << PAGE_SHIFT;
	u32 i, n, pages;
	int ret = 0;

	for (i = 0; i < guest->n_runs; i += n, offset += (u64)pages << PAGE_SHIFT) {
		n = sundog_guest_next_map(guest, i, &pages);
		if (signal_pending(current))
			ret = -ERESTARTSYS;
		else
			ret = sundog_guest_map_one(sdev, offset, &guest->runs[i], n);
		if (ret) {
			guest->lost = ret == -EIO;
			sundog_guest_unmap(sdev, guest, i);
			/* An unplugged device keeps this map, too, until it is reset. */
			if (ret == -ENODEV)
				guest->unmapping = true;
			break;
		}
	}
	return ret;
}

/* Returns the number of runs of @sgt, or 0 if it is not @size bytes of whole, aligned pages. */
static u32 sundog_guest_count_runs(struct sg_table *sgt, u64 size)
{
	struct scatterlist *sg;
	u64 total = 0;
	u32 count = 0;
	int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (!PAGE_ALIGNED(sg_dma_address(sg)) || !PAGE_ALIGNED(sg_dma_len(sg)))
			return 0;
		total += sg_dma_len(sg);
		count += DIV_ROUND_UP(sg_dma_len(sg) >> PAGE_SHIFT, SUNDOG_MAX_GUEST_PAGES);
	}
	return total == size ? count : 0;
}

static void sundog_guest_fill_runs(struct sundog_guest *guest, struct sg_table *sgt)
{
	struct scatterlist *sg;
	u64 addr, pages, n;
	u32 count = 0;
	int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		addr = sg_dma_address(sg);
		for (pages = sg_dma_len(sg) >> PAGE_SHIFT; pages; pages -= n) {
			n = min_t(u64, pages, SUNDOG_MAX_GUEST_PAGES);
			guest->runs[count++] = addr | (n - 1);
			addr += n << PAGE_SHIFT;
		}
	}
}

/* On failure there is nothing to undo. */
static int sundog_guest_set_runs(struct sundog_guest *guest, struct sg_table *sgt, u64 size)
{
	u32 n_runs = sundog_guest_count_runs(sgt, size);

	if (!n_runs)
		return -EOPNOTSUPP;
	guest->runs = kvzalloc_objs(*guest->runs, n_runs, GFP_KERNEL_ACCOUNT);
	if (!guest->runs)
		return -ENOMEM;
	guest->n_runs = n_runs;
	sundog_guest_fill_runs(guest, sgt);
	return 0;
}

VISIBLE_IF_KUNIT void sundog_guest_clear_runs(struct sundog_guest *guest)
{
	kvfree(guest->runs);
	guest->runs = NULL;
	guest->n_runs = 0;
}

/*
 * Sets the pages of a range.
 * @guest: range, in the heap or not yet.
 * @sgt: pages, mapped for DMA by the device; the range takes them over on success.
 * @size: size in bytes.
 *
 * Returns 0, -EOPNOTSUPP if @sgt is not @size bytes of whole pages, -ENOMEM or -ENODEV.
 */
VISIBLE_IF_KUNIT
int sundog_guest_set_pages(struct sundog_device *sdev, struct sundog_guest *guest,
			   struct sg_table *sgt, u64 size)
{
	struct sundog_guest_heap *heap = sdev->guest;
	int ret;

	ret = sundog_guest_set_runs(guest, sgt, size);
	if (ret)
		return ret;
	mutex_lock(&heap->ranges_lock);
	if (heap->gone) {
		ret = -ENODEV;
		sundog_guest_clear_runs(guest);
	} else {
		guest->sgt = sgt;
		list_add_tail(&guest->in_users, &heap->users);
	}
	mutex_unlock(&heap->ranges_lock);
	return ret;
}

/* Unmaps the pages for DMA. Pages of an import go back to the exporter, which frees @sgt. */
static void sundog_guest_unmap_dma(struct sundog_device *sdev, struct sundog_guest *guest,
				   struct sg_table *sgt)
{
	if (guest->attach) {
		dma_buf_unmap_attachment_unlocked(guest->attach, sgt, DMA_BIDIRECTIONAL);
		return;
	}
	dma_unmap_sgtable(sdev->drm.dev, sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(sgt);
	kfree(sgt);
}

/*
 * Returns the pages for the caller to unmap, or NULL if sundog_guest_gone() unmaps them. It waits
 * for those of an import, which are unmapped without ranges_lock, until sundog_guest_unmapped().
 */
VISIBLE_IF_KUNIT
struct sg_table *sundog_guest_take_sgt(struct sundog_guest_heap *heap, struct sundog_guest *guest)
{
	struct sg_table *sgt = NULL;

	lockdep_assert_held(&heap->ranges_lock);
	if (!heap->gone) {
		sgt = guest->sgt;
		guest->sgt = NULL;
		if (sgt)
			list_del(&guest->in_users);
		if (sgt && guest->attach)
			heap->n_unmapping++;
	}
	return sgt;
}

VISIBLE_IF_KUNIT void sundog_guest_unmapped(struct sundog_guest_heap *heap)
{
	mutex_lock(&heap->ranges_lock);
	WRITE_ONCE(heap->n_unmapping, heap->n_unmapping - 1);
	mutex_unlock(&heap->ranges_lock);
	wake_up_all(&heap->wait);
}

/*
 * Undoes sundog_guest_set_pages(), and unmaps the pages for DMA.
 * @guest: range whose pages the device does not have.
 *
 * Unbind waits in sundog_guest_gone() until this has unmapped the pages: for ranges_lock, or for
 * @n_unmapping with the pages of an import, since their exporter takes its dma_resv, which is
 * outside of ranges_lock. The core of Linux 6.12 may keep the mapping of an import until its
 * attachment ends, which can be after unbind.
 */
static void sundog_guest_clear_pages(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = sdev->guest;
	struct sg_table *sgt;

	mutex_lock(&heap->ranges_lock);
	sgt = sundog_guest_take_sgt(heap, guest);
	if (sgt && !guest->attach)
		sundog_guest_unmap_dma(sdev, guest, sgt);
	mutex_unlock(&heap->ranges_lock);
	if (sgt && guest->attach) {
		sundog_guest_unmap_dma(sdev, guest, sgt);
		sundog_guest_unmapped(heap);
	}
	if (!sgt)
		wait_event(heap->wait, !READ_ONCE(guest->sgt));
}

/* Returns the number of maps that the pages need. */
VISIBLE_IF_KUNIT u32 sundog_guest_count_maps(const struct sundog_guest *guest)
{
	u32 i, n, pages, n_maps = 0;

	for (i = 0; i < guest->n_runs; i += n) {
		n = sundog_guest_next_map(guest, i, &pages);
		n_maps++;
	}
	return n_maps;
}

/*
 * Finds a range in the heap.
 * @guest: gets the range.
 * @pages: size in pages.
 * @n_maps: maximum number of maps.
 *
 * Returns 0, -ENOSPC if no range or not enough maps are free, -EIO if the device is stuck, -ENOMEM.
 */
static int sundog_guest_insert(struct sundog_device *sdev, struct sundog_guest *guest, u64 pages,
			       u32 n_maps)
{
	struct sundog_guest_heap *heap = sdev->guest;
	int ret;

	mutex_lock(&heap->ranges_lock);
	if (sundog_guest_is_stuck(sdev))
		ret = -EIO;
	else if (n_maps > SUNDOG_MAX_GUEST_MAPS - heap->n_maps)
		ret = -ENOSPC;
	else
		ret = drm_mm_insert_node(&heap->mm, &guest->node, pages);
	if (!ret) {
		guest->n_maps = n_maps;
		heap->n_maps += n_maps;
	}
	mutex_unlock(&heap->ranges_lock);
	return ret;
}

/*
 * Maps to charge for a range. A map may cover more of the heap than one of all maps would, so the
 * size of the range counts, too: otherwise a few files could take all of the heap.
 */
static u32 sundog_guest_share(const struct sundog_guest_heap *heap,
			      const struct sundog_guest *guest)
{
	return max(guest->n_maps,
		   DIV64_U64_ROUND_UP(guest->node.size * SUNDOG_MAX_GUEST_MAPS, heap->pages));
}

/**
 * sundog_guest_charge() - charge the maps and the size of a range to a file
 * @sdev: device
 * @guest: range in the heap
 * @quota: quota of the file
 *
 * Return: 0, -EALREADY if they are charged to a file already, or -EDQUOT if a quota of the file or
 * of its user is exceeded.
 */
int sundog_guest_charge(struct sundog_device *sdev, struct sundog_guest *guest,
			struct sundog_quota *quota)
{
	struct sundog_guest_heap *heap = sdev->guest;
	u32 share;
	int ret = 0;

	mutex_lock(&heap->ranges_lock);
	share = sundog_guest_share(heap, guest);
	if (guest->quota) {
		ret = -EALREADY;
	} else if (sundog_quota_charge_maps(quota, share)) {
		sundog_quota_get(quota);
		guest->quota = quota;
		guest->n_charged = share;
	} else {
		ret = -EDQUOT;
	}
	mutex_unlock(&heap->ranges_lock);
	return ret;
}

/*
 * Reduces the maps of a range to @n_maps; more were reserved before its pages were known. With 0
 * its charge ends.
 */
VISIBLE_IF_KUNIT void
sundog_guest_trim(struct sundog_guest_heap *heap, struct sundog_guest *guest, u32 n_maps)
{
	u32 n_charged;

	lockdep_assert_held(&heap->ranges_lock);
	heap->n_maps -= guest->n_maps - n_maps;
	guest->n_maps = n_maps;
	if (!guest->quota)
		return;
	n_charged = n_maps ? sundog_guest_share(heap, guest) : 0;
	sundog_quota_uncharge_maps(guest->quota, guest->n_charged - n_charged);
	guest->n_charged = n_charged;
}

/*
 * Undoes sundog_guest_insert() and frees the runs.
 * @guest: range, in the heap or not, without maps and after sundog_guest_clear_pages().
 */
static void sundog_guest_remove(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = sdev->guest;

	mutex_lock(&heap->ranges_lock);
	if (drm_mm_node_allocated(&guest->node)) {
		drm_mm_remove_node(&guest->node);
		sundog_guest_trim(heap, guest, 0);
	}
	sundog_guest_clear_runs(guest);
	mutex_unlock(&heap->ranges_lock);
	if (guest->quota)
		sundog_quota_put(guest->quota);
}

/* Frees a range that has no pages and no references; of an import also the attachment. */
static void sundog_guest_release(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct dma_buf *dma_buf;

	sundog_guest_remove(sdev, guest);
	if (guest->attach) {
		dma_buf = guest->attach->dmabuf;
		dma_buf_detach(dma_buf, guest->attach);
		dma_buf_put(dma_buf);
		this_cpu_dec(sdev->stats->imported);
	}
	kfree(guest);
}

/**
 * sundog_guest_has_heap() - check whether the device offers heap GUEST now
 * @sdev: device
 *
 * Return: true if pages can be shared with other drivers.
 */
bool sundog_guest_has_heap(struct sundog_device *sdev)
{
	bool ret = false;
	int idx;

	if (sdev->guest->list && drm_dev_enter(&sdev->drm, &idx)) {
		ret = sundog_read64(sdev, SUNDOG_REG_FEATURES) & SUNDOG_FEATURE_HEAP_GUEST;
		drm_dev_exit(idx);
	}
	return ret;
}

/*
 * Maps pages into the device.
 * @guest: range in the heap, with pages.
 *
 * A pending signal ends the wait for map_lock and for further maps. The wait for one map, at most
 * ten seconds, is not interruptible.
 *
 * Returns 0, or -EBUSY if an earlier map is not answered yet; then this one was not requested.
 * Other errors are -EOPNOTSUPP if the device cannot map these pages, -ERESTARTSYS, -EIO and
 * -ENODEV. After them some pages may be mapped until sundog_guest_wait() returns 0.
 */
VISIBLE_IF_KUNIT int sundog_guest_map(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = sdev->guest;
	int ret;

	if (mutex_lock_interruptible(&heap->map_lock))
		return -ERESTARTSYS;
	ret = sundog_guest_is_stuck(sdev) ? -EBUSY : sundog_guest_map_runs(sdev, guest);
	mutex_unlock(&heap->map_lock);
	if (ret)
		return ret;
	mutex_lock(&heap->ranges_lock);
	sundog_guest_trim(heap, guest, sundog_guest_count_maps(guest));
	mutex_unlock(&heap->ranges_lock);
	return 0;
}

/* Returns true if the device may have pages until its last reset, which was not yet. */
static bool sundog_guest_is_lost(struct sundog_device *sdev, const struct sundog_guest *guest)
{
	return guest->lost && !READ_ONCE(sdev->guest->gone);
}

/*
 * Waits until the device has none of the pages.
 * @guest: range that was not mapped, or for which sundog_guest_unmap() was called.
 *
 * The reset of an unplugged device ends the wait, and so does its failure. Unplug waits for
 * drm_dev_enter() sections before that reset, so callers must not be inside of one (exception:
 * "Known limit" in locking.md).
 *
 * Returns 0, or -EIO if the device may have the pages until it is reset.
 */
VISIBLE_IF_KUNIT int sundog_guest_wait(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = sdev->guest;

	might_sleep();
	if (sundog_guest_is_lost(sdev, guest))
		return -EIO;
	/* GUEST_UNMAPPED wraps, so no value of @last_unmap can mean that nothing was unmapped. */
	if (!guest->unmapping)
		return 0;
	wait_event_timeout(heap->wait, READ_ONCE(heap->kept) ||
			   sundog_guest_is_unmapped(sdev, guest->last_unmap),
			   SUNDOG_GUEST_UNMAP_TIMEOUT);
	if (sundog_guest_is_unmapped(sdev, guest->last_unmap))
		return 0;
	if (!READ_ONCE(heap->kept))
		drm_err(&sdev->drm, "the device keeps %llu pages of the guest\n",
			guest->node.size);
	guest->lost = true;
	return -EIO;
}

/*
 * Leaves a lost range to sundog_guest_gone(), which frees it.
 * @guest: range that is referenced by the caller only.
 *
 * Returns false if the range is not lost, and the caller must free it.
 */
static bool sundog_guest_abandon(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = sdev->guest;
	bool lost;

	mutex_lock(&heap->ranges_lock);
	lost = sundog_guest_is_lost(sdev, guest);
	guest->abandoned = lost;
	mutex_unlock(&heap->ranges_lock);
	return lost;
}

/**
 * sundog_guest_is_used() - check whether the heap has ranges
 * @sdev: device
 *
 * Return: true if it has ranges, with or without pages; may change at any time.
 */
bool sundog_guest_is_used(struct sundog_device *sdev)
{
	struct sundog_guest_heap *heap = sdev->guest;
	bool ret;

	mutex_lock(&heap->ranges_lock);
	ret = heap->n_maps;
	mutex_unlock(&heap->ranges_lock);
	return ret;
}

/**
 * sundog_guest_restart() - reset the count of unmaps after a reset of the device
 * @sdev: device, whose heap is not used
 */
void sundog_guest_restart(struct sundog_device *sdev)
{
	struct sundog_guest_heap *heap = sdev->guest;

	mutex_lock(&heap->lock);
	heap->n_unmaps = 0;
	mutex_unlock(&heap->lock);
}

static void sundog_guest_put_work(struct work_struct *work)
{
	struct sundog_guest_heap *heap = container_of(work, struct sundog_guest_heap, put_work);
	struct sundog_bo *bo, *next;
	LIST_HEAD(dying);

	mutex_lock(&heap->ranges_lock);
	list_splice_init(&heap->dying, &dying);
	mutex_unlock(&heap->ranges_lock);
	list_for_each_entry_safe(bo, next, &dying, in_owner)
		ttm_bo_fini(&bo->tbo);
}

/**
 * sundog_guest_put_later() - drop the TTM reference of a zombie in a work item
 * @bo: allocation in TT without a GEM reference
 *
 * The release of an allocation in TT waits until the device has returned its pages. A call that
 * closes a handle must not wait for that.
 */
void sundog_guest_put_later(struct sundog_bo *bo)
{
	struct sundog_guest_heap *heap = sundog_bo_device(bo)->guest;

	mutex_lock(&heap->ranges_lock);
	list_add_tail(&bo->in_owner, &heap->dying);
	mutex_unlock(&heap->ranges_lock);
	queue_work(sundog_wq, &heap->put_work);
}

/**
 * sundog_guest_flush() - wait for the work item of sundog_guest_put_later()
 * @sdev: device without files
 */
void sundog_guest_flush(struct sundog_device *sdev)
{
	flush_work(&sdev->guest->put_work);
}

/**
 * sundog_guest_event() - handle the event GUEST: a map was answered, or pages were returned
 * @sdev: device
 */
void sundog_guest_event(struct sundog_device *sdev)
{
	wake_up_all(&sdev->guest->wait);
}

/*
 * Unmaps the pages of own allocations. They come before imports, and need the heap's ranges_lock
 * only: a thread that waits for them may hold the dma_resv of an import.
 */
static void sundog_guest_gone_tt(struct sundog_device *sdev)
{
	struct sundog_guest_heap *heap = sdev->guest;
	struct sundog_guest *guest, *next;
	LIST_HEAD(abandoned);

	mutex_lock(&heap->ranges_lock);
	WRITE_ONCE(heap->gone, true);
	list_for_each_entry_safe(guest, next, &heap->users, in_users) {
		if (guest->attach)
			continue;
		list_del(&guest->in_users);
		sundog_guest_unmap_dma(sdev, guest, guest->sgt);
		guest->sgt = NULL;
		if (guest->abandoned)
			list_add(&guest->in_users, &abandoned);
	}
	mutex_unlock(&heap->ranges_lock);
	wake_up_all(&heap->wait);
	list_for_each_entry_safe(guest, next, &abandoned, in_users)
		sundog_guest_release(sdev, guest);
}

/* Returns the first import, or NULL. @gone is set, so no other thread removes it from the list. */
static struct sundog_guest *sundog_guest_first_import(struct sundog_guest_heap *heap)
{
	struct sundog_guest *guest;

	mutex_lock(&heap->ranges_lock);
	guest = list_first_entry_or_null(&heap->users, struct sundog_guest, in_users);
	mutex_unlock(&heap->ranges_lock);
	return guest;
}

/* An import that is not abandoned may be freed by its owner as soon as @sgt is NULL. */
static void sundog_guest_gone_import(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = sdev->guest;
	bool abandoned;

	sundog_guest_unmap_dma(sdev, guest, guest->sgt);
	mutex_lock(&heap->ranges_lock);
	list_del(&guest->in_users);
	abandoned = guest->abandoned;
	WRITE_ONCE(guest->sgt, NULL);
	mutex_unlock(&heap->ranges_lock);
	wake_up_all(&heap->wait);
	if (abandoned)
		sundog_guest_release(sdev, guest);
}

/**
 * sundog_guest_keep() - end all waits for pages after the last reset of an unbound device failed
 * @sdev: device, which may have pages for ever
 */
void sundog_guest_keep(struct sundog_device *sdev)
{
	WRITE_ONCE(sdev->guest->kept, true);
	wake_up_all(&sdev->guest->wait);
}

/**
 * sundog_guest_gone() - end all DMA mappings after the last reset of an unbound device
 * @sdev: device, which has no pages any more
 *
 * The DMA mappings end with the device, the pages stay with their owners. Lost pages are not lost
 * any more, and abandoned ranges are freed.
 */
void sundog_guest_gone(struct sundog_device *sdev)
{
	struct sundog_guest_heap *heap = sdev->guest;
	struct sundog_guest *guest;

	/* A thread that waits for a map holds map_lock, and now finds the device unplugged. */
	wake_up_all(&heap->wait);
	sundog_guest_gone_tt(sdev);
	while ((guest = sundog_guest_first_import(heap)))
		sundog_guest_gone_import(sdev, guest);
	/* @gone is set, so no other thread begins to unmap an import. */
	wait_event(heap->wait, !READ_ONCE(heap->n_unmapping));
}

/**
 * sundog_guest_init() - set up heap GUEST, if the device has one
 * @sdev: device, with registers mapped
 *
 * Return: 0, or -ENOMEM, with nothing to undo.
 */
int sundog_guest_init(struct sundog_device *sdev)
{
	const u64 size = sundog_read64(sdev, SUNDOG_REG_GUEST_HEAP_SIZE);
	struct device *dev = sdev->drm.dev;
	struct sundog_guest_heap *heap;

	heap = drmm_kzalloc(&sdev->drm, sizeof(*heap), GFP_KERNEL);
	if (!heap)
		return -ENOMEM;
	sdev->guest = heap;
	mutex_init(&heap->ranges_lock);
	mutex_init(&heap->map_lock);
	mutex_init(&heap->lock);
	init_waitqueue_head(&heap->wait);
	INIT_LIST_HEAD(&heap->users);
	INIT_LIST_HEAD(&heap->dying);
	INIT_WORK(&heap->put_work, sundog_guest_put_work);
	heap->pages = max(size >> PAGE_SHIFT, 1);
	drm_mm_init(&heap->mm, 0, heap->pages);
	if (!size)
		return 0;
	/* Bounce buffers are copies of the pages, which would become stale. */
	if (dma_max_mapping_size(dev) != SIZE_MAX) {
		drm_info(&sdev->drm, "DMA is bounced, other devices' buffers cannot be shared\n");
		return 0;
	}
	heap->list = dmam_alloc_coherent(dev, SUNDOG_PAGE_SIZE, &heap->list_addr, GFP_KERNEL);
	if (heap->list)
		return 0;
	sundog_guest_fini(sdev);
	return -ENOMEM;
}

/**
 * sundog_guest_fini() - undo sundog_guest_init()
 * @sdev: device without allocations
 */
void sundog_guest_fini(struct sundog_device *sdev)
{
	drm_mm_takedown(&sdev->guest->mm);
	mutex_destroy(&sdev->guest->lock);
	mutex_destroy(&sdev->guest->map_lock);
	mutex_destroy(&sdev->guest->ranges_lock);
}

/* TT */

static struct sundog_guest *to_guest(struct ttm_resource *res)
{
	return container_of(res, struct sundog_guest, res);
}

static struct sundog_device *sundog_tt_device(struct ttm_resource_manager *man)
{
	return container_of(man, struct sundog_device, tt);
}

/* The pages are not known yet, so this reserves maps for the worst case. */
static int sundog_tt_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *tbo,
			   const struct ttm_place *place, struct ttm_resource **res)
{
	struct sundog_device *sdev = sundog_tt_device(man);
	const u64 pages = PFN_UP(tbo->base.size);
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);
	struct sundog_guest *guest;
	int ret;

	guest = kzalloc_obj(*guest, GFP_KERNEL_ACCOUNT);
	if (!guest)
		return -ENOMEM;
	ret = sundog_guest_insert(sdev, guest, pages, DIV_ROUND_UP(pages, SUNDOG_MAX_GUEST_RUNS));
	if (ret)
		goto err_free;
	ret = sundog_guest_charge(sdev, guest, bo->quota);
	if (ret)
		goto err_remove;
	ttm_resource_init(tbo, place, &guest->res);
	guest->res.start = guest->node.start;
	*res = &guest->res;
	return 0;

err_remove:
	sundog_guest_remove(sdev, guest);
err_free:
	kfree(guest);
	return ret;
}

static void sundog_tt_free(struct ttm_resource_manager *man, struct ttm_resource *res)
{
	struct sundog_device *sdev = sundog_tt_device(man);
	struct sundog_guest *guest = to_guest(res);

	ttm_resource_fini(man, res);
	if (!sundog_guest_abandon(sdev, guest))
		sundog_guest_release(sdev, guest);
}

/** sundog_tt_func - hooks of the resource manager of TT */
const struct ttm_resource_manager_func sundog_tt_func = {
	.alloc = sundog_tt_alloc,
	.free = sundog_tt_free,
};

static struct sg_table *sundog_tt_map_dma(struct sundog_device *sdev, struct ttm_tt *tt)
{
	struct sg_table *sgt = drm_prime_pages_to_sg(&sdev->drm, tt->pages, tt->num_pages);
	int ret;

	if (IS_ERR(sgt))
		return sgt;
	ret = dma_map_sgtable(sdev->drm.dev, sgt, DMA_BIDIRECTIONAL, 0);
	if (!ret)
		return sgt;
	sg_free_table(sgt);
	kfree(sgt);
	return ERR_PTR(ret);
}

/* Unplug waits for the end of this function, so sundog_guest_gone() finds and unmaps the pages. */
static int sundog_tt_set_pages(struct sundog_device *sdev, struct sundog_guest *guest,
			       struct ttm_tt *tt)
{
	struct sg_table *sgt;
	int ret, idx;

	if (!drm_dev_enter(&sdev->drm, &idx))
		return -ENODEV;
	sgt = sundog_tt_map_dma(sdev, tt);
	if (IS_ERR(sgt)) {
		ret = PTR_ERR(sgt);
	} else {
		ret = sundog_guest_set_pages(sdev, guest, sgt, (u64)tt->num_pages << PAGE_SHIFT);
		if (ret)
			sundog_guest_unmap_dma(sdev, guest, sgt);
	}
	drm_dev_exit(idx);
	return ret;
}

/**
 * sundog_tt_bind() - map the pages of an allocation into the device
 * @sdev: device
 * @res: range in TT
 * @tt: pages
 *
 * Return: 0, -EOPNOTSUPP if the device cannot map these pages, or another negative error code.
 */
int sundog_tt_bind(struct sundog_device *sdev, struct ttm_resource *res, struct ttm_tt *tt)
{
	struct sundog_guest *guest = to_guest(res);
	int ret;

	ret = sundog_tt_set_pages(sdev, guest, tt);
	if (ret)
		return ret;
	ret = sundog_guest_map(sdev, guest);
	if (ret && !sundog_guest_wait(sdev, guest))
		sundog_guest_clear_pages(sdev, guest);
	return ret;
}

/**
 * sundog_tt_unbind() - unmap the pages of an allocation from the device
 * @sdev: device
 * @res: range in TT that no entry of the allocation table and no job uses any more
 *
 * Return: 0, or -EIO if the device may have the pages until it is reset.
 */
int sundog_tt_unbind(struct sundog_device *sdev, struct ttm_resource *res)
{
	struct sundog_guest *guest = to_guest(res);
	int ret;

	if (!guest->lost)
		sundog_guest_unmap(sdev, guest, guest->n_runs);
	ret = sundog_guest_wait(sdev, guest);
	if (ret)
		return ret;
	sundog_guest_clear_pages(sdev, guest);
	return 0;
}

/**
 * sundog_tt_is_lost() - check whether the device may have pages until it is reset
 * @sdev: device
 * @res: range in TT
 *
 * Return: true if the device has not answered in time.
 */
bool sundog_tt_is_lost(struct sundog_device *sdev, struct ttm_resource *res)
{
	return sundog_guest_is_lost(sdev, to_guest(res));
}

/* Imports */

/* Not called by ioctls, because the wait for the device cannot be interrupted. */
VISIBLE_IF_KUNIT void sundog_import_map_work(struct work_struct *work)
{
	struct sundog_guest *guest = container_of(work, struct sundog_guest, map_work);
	struct sundog_guest_heap *heap = guest->sdev->guest;
	int ret = sundog_guest_map(guest->sdev, guest);

	WRITE_ONCE(guest->error, ret);
	/* Pairs with sundog_import_map(). After -EBUSY no map was requested: allow another try. */
	smp_store_release(&guest->state,
			  ret == -EBUSY ? SUNDOG_IMPORT_NEW : SUNDOG_IMPORT_MAPPED);
	wake_up_all(&heap->wait);
}

/* Takes over the attachment and its pages on success. */
static struct sundog_guest *sundog_import_create(struct sundog_device *sdev,
						 struct dma_buf_attachment *attach,
						 struct sg_table *sgt)
{
	struct sundog_guest *guest = kzalloc_obj(*guest, GFP_KERNEL_ACCOUNT);
	int ret;

	if (!guest)
		return ERR_PTR(-ENOMEM);
	guest->sdev = sdev;
	INIT_WORK(&guest->map_work, sundog_import_map_work);
	guest->attach = attach;
	ret = sundog_guest_set_pages(sdev, guest, sgt, attach->dmabuf->size);
	if (ret) {
		kfree(guest);
		return ERR_PTR(ret);
	}
	get_dma_buf(attach->dmabuf);
	this_cpu_inc(sdev->stats->imported);
	return guest;
}

/*
 * In ioctls -ENOSPC means that VRAM is full, and -EIO that a context is lost. The exporter may
 * return them, too.
 */
static int sundog_import_error(int ret)
{
	return ret == -ENOSPC || ret == -EIO ? -EBUSY : ret;
}

/**
 * sundog_import_attach() - get the pages of another driver's dma-buf, and a range in the heap
 * @sdev: device
 * @dma_buf: dma-buf
 *
 * The caller may not wait for the device, so this does not map the pages: see sundog_import_map().
 *
 * Return: the import, or -EOPNOTSUPP if the device has no heap GUEST or cannot map these pages, or
 * another error pointer.
 */
struct sundog_guest *sundog_import_attach(struct sundog_device *sdev, struct dma_buf *dma_buf)
{
	struct dma_buf_attachment *attach;
	struct sundog_guest *guest;
	struct sg_table *sgt;
	int ret;

	if (!sundog_guest_has_heap(sdev))
		return ERR_PTR(-EOPNOTSUPP);
	attach = dma_buf_attach(dma_buf, sdev->drm.dev);
	if (IS_ERR(attach))
		return ERR_PTR(sundog_import_error(PTR_ERR(attach)));
	sgt = dma_buf_map_attachment_unlocked(attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt)) {
		guest = ERR_PTR(sundog_import_error(PTR_ERR(sgt)));
		goto err_detach;
	}
	guest = sundog_import_create(sdev, attach, sgt);
	if (IS_ERR(guest))
		goto err_unmap;
	ret = sundog_guest_insert(sdev, guest, dma_buf->size >> PAGE_SHIFT,
				  sundog_guest_count_maps(guest));
	if (!ret)
		return guest;
	sundog_import_free(sdev, guest);
	return ERR_PTR(sundog_import_error(ret));

err_unmap:
	dma_buf_unmap_attachment_unlocked(attach, sgt, DMA_BIDIRECTIONAL);
err_detach:
	dma_buf_detach(dma_buf, attach);
	return guest;
}

/**
 * sundog_import_map() - map the pages of an import into the device, and wait for the result
 * @guest: import; the caller has a reference to its allocation, and no lock
 *
 * A map that fails is not tried again: some pages may have been mapped, and are not returned yet.
 * The program has to import the dma-buf again, when no import of it is left.
 *
 * Return: 0, -ERESTARTSYS, -EBUSY if the device did not map the pages, -EOPNOTSUPP if it cannot map
 * such pages, or another negative error code.
 */
int sundog_import_map(struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = guest->sdev->guest;
	int ret;

	mutex_lock(&heap->ranges_lock);
	if (guest->state == SUNDOG_IMPORT_NEW) {
		guest->state = SUNDOG_IMPORT_MAPPING;
		queue_work(sundog_wq, &guest->map_work);
	}
	mutex_unlock(&heap->ranges_lock);
	ret = wait_event_interruptible(heap->wait,
				       /* Pairs with sundog_import_map_work(). */
				       smp_load_acquire(&guest->state) != SUNDOG_IMPORT_MAPPING);
	if (ret)
		return ret;
	return sundog_import_error(READ_ONCE(guest->error));
}

/**
 * sundog_import_free() - return the pages of an import to the exporter, once the device has none
 * @sdev: device
 * @guest: import that no entry of the allocation table and no job uses any more
 */
void sundog_import_free(struct sundog_device *sdev, struct sundog_guest *guest)
{
	/* An interrupted sundog_import_map() leaves the work item queued. */
	cancel_work_sync(&guest->map_work);
	if (guest->state == SUNDOG_IMPORT_MAPPED && !guest->error)
		sundog_guest_unmap(sdev, guest, guest->n_runs);
	if (sundog_guest_wait(sdev, guest) && sundog_guest_abandon(sdev, guest))
		return;
	sundog_guest_clear_pages(sdev, guest);
	sundog_guest_release(sdev, guest);
}
