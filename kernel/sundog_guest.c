// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Heap GUEST: pages of other drivers' dma-bufs, mapped into the device for as long as an allocation
 * is made of them. Nothing is copied.
 *
 * An import attaches to the dma-buf, which keeps the pages where they are, finds a range in the
 * heap, and maps the pages there; then the allocation is published in the table. The end goes the
 * other way round: when the allocation is idle its table entry is cleared and the maps are posted
 * to be taken back (sundog_guest_unmap()); only when the device says that it has none of the pages
 * any more does the exporter get them back, and the range is free (sundog_guest_free()). A device
 * that does not say so keeps them for ever.
 *
 * A map takes so many runs as fit a page, and so many pages as the device allows; which runs go
 * into which map depends on nothing but the runs. The device makes one map at a time, and answers
 * soon; it takes maps back in their order, after the jobs that use them.
 *
 * The heap's lock is taken inside of the DRM core's locks around an import, and of the dma_resv of
 * an allocation that dies. Nobody waits for pages to be taken back under either.
 */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_bo.h>

#include "sundog_device.h"
#include "sundog_guest.h"

/* The device's broker only has to pass a map on. */
#define SUNDOG_GUEST_MAP_TIMEOUT	(10 * HZ)
/* A worker that does not give pages back is killed long before. */
#define SUNDOG_GUEST_UNMAP_TIMEOUT	(60 * HZ)

static u32 sundog_guest_run_pages(u64 run)
{
	return (run & (SUNDOG_PAGE_SIZE - 1)) + 1;
}

/* How many of the runs from @first on are one map; *@pages: of how many pages. */
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

static bool sundog_guest_is_unmapped(struct sundog_device *sdev, u32 number)
{
	bool ret = READ_ONCE(sdev->guest.gone);
	int idx;

	if (!ret && drm_dev_enter(&sdev->drm, &idx)) {
		ret = (s32)(sundog_read(sdev, SUNDOG_REG_GUEST_UNMAPPED) - number) >= 0;
		drm_dev_exit(idx);
	}
	return ret;
}

static int sundog_guest_map_one(struct sundog_device *sdev, u64 offset, const u64 *runs, u32 n)
{
	struct sundog_guest_heap *heap = &sdev->guest;
	u32 i;
	int idx;

	lockdep_assert_held(&heap->lock);
	if (!drm_dev_enter(&sdev->drm, &idx))
		return -ENODEV;
	for (i = 0; i < n; i++)
		heap->list[i] = cpu_to_le64(runs[i]);
	sundog_write64(sdev, SUNDOG_REG_GUEST_OFFSET, offset);
	sundog_write64(sdev, SUNDOG_REG_GUEST_LIST, heap->list_addr);
	sundog_write(sdev, SUNDOG_REG_GUEST_MAP, n);
	drm_dev_exit(idx);

	if (!wait_event_timeout(heap->wait,
				sundog_guest_state(sdev) != SUNDOG_GUEST_STATE_BUSY,
				SUNDOG_GUEST_MAP_TIMEOUT)) {
		drm_err(&sdev->drm, "the device does not map pages, no more imports\n");
		heap->broken = true;
		return -EIO;
	}
	return sundog_guest_state(sdev) == SUNDOG_GUEST_STATE_DONE ? 0 : -EOPNOTSUPP;
}

/* Takes back the maps that the first @n_runs are in. */
static void sundog_guest_unmap_runs(struct sundog_device *sdev, struct sundog_guest *guest,
				    u32 n_runs)
{
	struct sundog_guest_heap *heap = &sdev->guest;
	u64 offset = guest->node.start << PAGE_SHIFT;
	u32 i, n, pages;
	int idx;

	lockdep_assert_held(&heap->lock);
	if (!drm_dev_enter(&sdev->drm, &idx))
		return;
	for (i = 0; i < n_runs; i += n, offset += (u64)pages << PAGE_SHIFT) {
		n = sundog_guest_next_map(guest, i, &pages);
		sundog_write64(sdev, SUNDOG_REG_GUEST_OFFSET, offset);
		sundog_write(sdev, SUNDOG_REG_GUEST_UNMAP, 1);
		heap->n_unmaps++;
	}
	guest->last_unmap = heap->n_unmaps;
	drm_dev_exit(idx);
}

static int sundog_guest_map_runs(struct sundog_device *sdev, struct sundog_guest *guest)
{
	u64 offset = guest->node.start << PAGE_SHIFT;
	u32 i, n, pages;
	int ret = 0;

	for (i = 0; i < guest->n_runs; i += n, offset += (u64)pages << PAGE_SHIFT) {
		n = sundog_guest_next_map(guest, i, &pages);
		ret = sundog_guest_map_one(sdev, offset, &guest->runs[i], n);
		if (ret) {
			guest->lost = ret == -EIO;
			sundog_guest_unmap_runs(sdev, guest, i);
			break;
		}
	}
	return ret;
}

/* How many runs a mapped buffer has; 0 if the device's pages are not its pages. */
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

static void sundog_guest_fill_runs(struct sundog_guest *guest)
{
	struct scatterlist *sg;
	u64 addr, pages, n;
	u32 count = 0;
	int i;

	for_each_sgtable_dma_sg(guest->sgt, sg, i) {
		addr = sg_dma_address(sg);
		for (pages = sg_dma_len(sg) >> PAGE_SHIFT; pages; pages -= n) {
			n = min_t(u64, pages, SUNDOG_MAX_GUEST_PAGES);
			guest->runs[count++] = addr | (n - 1);
			addr += n << PAGE_SHIFT;
		}
	}
}

/* Takes over the attachment and its pages, on success. */
static struct sundog_guest *sundog_guest_create(struct sundog_device *sdev,
						struct dma_buf_attachment *attach,
						struct sg_table *sgt)
{
	u32 n_runs = sundog_guest_count_runs(sgt, attach->dmabuf->size);
	struct sundog_guest *guest;

	if (!n_runs)
		return ERR_PTR(-EOPNOTSUPP);
	guest = kvzalloc(struct_size(guest, runs, n_runs), GFP_KERNEL_ACCOUNT);
	if (!guest)
		return ERR_PTR(-ENOMEM);
	guest->n_runs = n_runs;
	guest->attach = attach;
	guest->sgt = sgt;
	get_dma_buf(attach->dmabuf);
	atomic_inc(&sdev->stats.imported);
	sundog_guest_fill_runs(guest);
	return guest;
}

static int sundog_guest_insert(struct sundog_device *sdev, struct sundog_guest *guest)
{
	const u64 pages = guest->attach->dmabuf->size >> PAGE_SHIFT;
	struct sundog_guest_heap *heap = &sdev->guest;
	int ret;

	mutex_lock(&heap->lock);
	ret = heap->broken ? -EIO : drm_mm_insert_node(&heap->mm, &guest->node, pages);
	if (!ret)
		ret = sundog_guest_map_runs(sdev, guest);
	mutex_unlock(&heap->lock);
	return ret;
}

/* Does the device have the heap now? */
static bool sundog_guest_has_heap(struct sundog_device *sdev)
{
	bool ret = false;
	int idx;

	if (sdev->guest.list && drm_dev_enter(&sdev->drm, &idx)) {
		ret = sundog_read64(sdev, SUNDOG_REG_FEATURES) & SUNDOG_FEATURE_HEAP_GUEST;
		drm_dev_exit(idx);
	}
	return ret;
}

/**
 * sundog_guest_map() - map another driver's dma-buf into the device
 * @sdev: device
 * @dma_buf: dma-buf
 *
 * Return: the pages, or -EOPNOTSUPP if the device has no heap GUEST or cannot have these pages, or
 * another error pointer.
 */
struct sundog_guest *sundog_guest_map(struct sundog_device *sdev, struct dma_buf *dma_buf)
{
	struct dma_buf_attachment *attach;
	struct sundog_guest *guest;
	struct sg_table *sgt;
	int ret;

	if (!sundog_guest_has_heap(sdev))
		return ERR_PTR(-EOPNOTSUPP);
	attach = dma_buf_attach(dma_buf, sdev->drm.dev);
	if (IS_ERR(attach))
		return ERR_CAST(attach);
	sgt = dma_buf_map_attachment_unlocked(attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt)) {
		guest = ERR_CAST(sgt);
		goto err_detach;
	}
	guest = sundog_guest_create(sdev, attach, sgt);
	if (IS_ERR(guest))
		goto err_unmap;
	ret = sundog_guest_insert(sdev, guest);
	if (!ret)
		return guest;
	sundog_guest_free(sdev, guest);
	return ERR_PTR(ret);

err_unmap:
	dma_buf_unmap_attachment_unlocked(attach, sgt, DMA_BIDIRECTIONAL);
err_detach:
	dma_buf_detach(dma_buf, attach);
	return guest;
}

/**
 * sundog_guest_unmap() - begin to take pages back
 * @sdev: device
 * @guest: pages that nothing in the allocation table names any more, and no job uses
 */
void sundog_guest_unmap(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = &sdev->guest;

	mutex_lock(&heap->lock);
	sundog_guest_unmap_runs(sdev, guest, guest->n_runs);
	mutex_unlock(&heap->lock);
}

/**
 * sundog_guest_free() - give pages back to their exporter once the device has none of them
 * @sdev: device
 * @guest: pages that were not mapped, or that sundog_guest_unmap() was called for
 */
void sundog_guest_free(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sundog_guest_heap *heap = &sdev->guest;
	struct dma_buf *dma_buf = guest->attach->dmabuf;

	might_sleep();
	if (guest->lost ||
	    !wait_event_timeout(heap->wait, sundog_guest_is_unmapped(sdev, guest->last_unmap),
				SUNDOG_GUEST_UNMAP_TIMEOUT)) {
		drm_err(&sdev->drm, "the device keeps %zu bytes of imported pages\n",
			dma_buf->size);
		return;
	}
	mutex_lock(&heap->lock);
	if (drm_mm_node_allocated(&guest->node))
		drm_mm_remove_node(&guest->node);
	mutex_unlock(&heap->lock);
	dma_buf_unmap_attachment_unlocked(guest->attach, guest->sgt, DMA_BIDIRECTIONAL);
	dma_buf_detach(dma_buf, guest->attach);
	dma_buf_put(dma_buf);
	atomic_dec(&sdev->stats.imported);
	kvfree(guest);
}

/**
 * sundog_guest_event() - the device mapped pages or gave some back
 * @sdev: device
 */
void sundog_guest_event(struct sundog_device *sdev)
{
	wake_up_all(&sdev->guest.wait);
}

/**
 * sundog_guest_gone() - the device was reset when it was unbound: it has no pages any more
 * @sdev: device
 */
void sundog_guest_gone(struct sundog_device *sdev)
{
	WRITE_ONCE(sdev->guest.gone, true);
	wake_up_all(&sdev->guest.wait);
}

/**
 * sundog_guest_init() - set up heap GUEST, if the device has one
 * @sdev: device, with registers mapped
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_guest_init(struct sundog_device *sdev)
{
	const u64 size = sundog_read64(sdev, SUNDOG_REG_GUEST_HEAP_SIZE);
	struct sundog_guest_heap *heap = &sdev->guest;
	struct device *dev = sdev->drm.dev;

	mutex_init(&heap->lock);
	init_waitqueue_head(&heap->wait);
	drm_mm_init(&heap->mm, 0, max(size >> PAGE_SHIFT, 1));
	if (!size)
		return 0;
	/* Bounce buffers are copies, which go stale. */
	if (dma_max_mapping_size(dev) != SIZE_MAX) {
		drm_info(&sdev->drm, "DMA is bounced, other devices' buffers cannot be shared\n");
		return 0;
	}
	heap->list = dmam_alloc_coherent(dev, SUNDOG_PAGE_SIZE, &heap->list_addr, GFP_KERNEL);
	return heap->list ? 0 : -ENOMEM;
}

/**
 * sundog_guest_fini() - undo sundog_guest_init()
 * @sdev: device without imports
 */
void sundog_guest_fini(struct sundog_device *sdev)
{
	drm_mm_takedown(&sdev->guest.mm);
	mutex_destroy(&sdev->guest.lock);
}
