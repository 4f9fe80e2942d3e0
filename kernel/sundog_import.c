// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Pages of other drivers' dma-bufs as memory of the device, in heap GUEST.
 *
 * An import attaches to the dma-buf, which keeps the pages where they are until the device has
 * given them back. That may be long after the allocation that was made of them died.
 */

#include <linux/dma-buf.h>
#include <linux/slab.h>

#include "sundog_device.h"
#include "sundog_guest.h"
#include "sundog_import.h"
#include "sundog_stats.h"
#include "sundog_wq.h"

static void sundog_import_unmap_dma(struct sundog_device *sdev, struct sundog_guest *guest,
				    struct sg_table *sgt)
{
	dma_buf_unmap_attachment_unlocked(guest->attach, sgt, DMA_BIDIRECTIONAL);
}

static void sundog_import_release(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct dma_buf *dma_buf = guest->attach->dmabuf;

	sundog_guest_remove(sdev, guest);
	dma_buf_detach(dma_buf, guest->attach);
	dma_buf_put(dma_buf);
	this_cpu_dec(sdev->stats->imported);
	kfree(guest);
}

/* The wait for the device cannot be interrupted, so no caller of an ioctl does it. */
static void sundog_import_map_work(struct work_struct *work)
{
	struct sundog_guest *guest = container_of(work, struct sundog_guest, map_work);
	struct sundog_guest_heap *heap = guest->sdev->guest;
	int ret = sundog_guest_map(guest->sdev, guest);

	WRITE_ONCE(guest->error, ret);
	/* Pairs with sundog_import_map(). Nothing was asked for if the device was busy. */
	smp_store_release(&guest->state,
			  ret == -EBUSY ? SUNDOG_IMPORT_NEW : SUNDOG_IMPORT_MAPPED);
	wake_up_all(&heap->wait);
}

static const struct sundog_guest_ops sundog_import_guest_ops = {
	.unmap_dma = sundog_import_unmap_dma,
	.release = sundog_import_release,
};

/* Takes over the attachment and its pages, on success. */
static struct sundog_guest *sundog_import_create(struct sundog_device *sdev,
						 struct dma_buf_attachment *attach,
						 struct sg_table *sgt)
{
	struct sundog_guest *guest = kzalloc(sizeof(*guest), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!guest)
		return ERR_PTR(-ENOMEM);
	guest->ops = &sundog_import_guest_ops;
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

/**
 * sundog_import_attach() - get the pages of another driver's dma-buf, and a range in the heap
 * @sdev: device
 * @dma_buf: dma-buf
 *
 * The device is not asked yet, for the caller may not wait: see sundog_import_map().
 *
 * Return: the pages, or -EOPNOTSUPP if the device has no heap GUEST or cannot have these pages, or
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
		return ERR_CAST(attach);
	sgt = dma_buf_map_attachment_unlocked(attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt)) {
		guest = ERR_CAST(sgt);
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
	/* -ENOSPC is for VRAM. */
	return ERR_PTR(ret == -ENOSPC ? -EBUSY : ret);

err_unmap:
	dma_buf_unmap_attachment_unlocked(attach, sgt, DMA_BIDIRECTIONAL);
err_detach:
	dma_buf_detach(dma_buf, attach);
	return guest;
}

/**
 * sundog_import_map() - wait until the device has the pages
 * @guest: pages; the caller has a reference to their allocation, and no lock
 *
 * A map that fails is not tried again: some pages may have been mapped, and be on their way back.
 *
 * Return: 0, -ERESTARTSYS, -EBUSY if the device takes none for now, -EOPNOTSUPP if it cannot have
 * these pages, or another negative error code.
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
	/* Pairs with sundog_import_map_work(). */
	ret = wait_event_interruptible(heap->wait,
				       smp_load_acquire(&guest->state) != SUNDOG_IMPORT_MAPPING);
	return ret ?: READ_ONCE(guest->error);
}

/**
 * sundog_import_free() - give pages back to their exporter once the device has none of them
 * @sdev: device
 * @guest: pages that nothing in the allocation table names any more, and no job uses
 */
void sundog_import_free(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sg_table *sgt;

	/* A caller that was interrupted has left the work. */
	cancel_work_sync(&guest->map_work);
	if (guest->state == SUNDOG_IMPORT_MAPPED && !guest->error)
		sundog_guest_unmap(sdev, guest);
	if (sundog_guest_wait(sdev, guest) && sundog_guest_abandon(sdev, guest))
		return;
	sgt = sundog_guest_clear_pages(sdev, guest);
	if (sgt)
		sundog_import_unmap_dma(sdev, guest, sgt);
	sundog_import_release(sdev, guest);
}
