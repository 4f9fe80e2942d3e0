// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * TTM's placement TT: our own pages as memory of the device, in heap GUEST.
 *
 * A range in the heap is the place, the pages are those of the allocation's ttm_tt, which TTM
 * allocates, evicts and swaps as it does in system. A move from there binds them, a move back to
 * there unbinds them, and there is no other way in or out. Imports have no ttm_tt, and a placement
 * that never needs one: see sundog_bo.c.
 *
 * All of this runs with the allocation's dma_resv locked.
 */

#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_prime.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_tt.h>

#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_guest.h"
#include "sundog_tt.h"

static struct sundog_guest *to_guest(struct ttm_resource *res)
{
	return container_of(res, struct sundog_guest, res);
}

static struct sundog_device *sundog_tt_device(struct ttm_resource_manager *man)
{
	return container_of(man, struct sundog_device, tt);
}

static void sundog_tt_unmap_dma(struct sundog_device *sdev, struct sundog_guest *guest,
				struct sg_table *sgt)
{
	dma_unmap_sgtable(sdev->drm.dev, sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(sgt);
	kfree(sgt);
}

static void sundog_tt_release(struct sundog_device *sdev, struct sundog_guest *guest)
{
	sundog_guest_remove(sdev, guest);
	kfree(guest);
}

static const struct sundog_guest_ops sundog_tt_guest_ops = {
	.unmap_dma = sundog_tt_unmap_dma,
	.release = sundog_tt_release,
};

/* Nobody knows yet where the pages will be, so there are maps for the worst. */
static int sundog_tt_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *tbo,
			   const struct ttm_place *place, struct ttm_resource **res)
{
	struct sundog_device *sdev = sundog_tt_device(man);
	const u64 pages = PFN_UP(tbo->base.size);
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);
	struct sundog_guest *guest;
	int ret;

	guest = kzalloc(sizeof(*guest), GFP_KERNEL_ACCOUNT);
	if (!guest)
		return -ENOMEM;
	guest->ops = &sundog_tt_guest_ops;
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
		sundog_tt_release(sdev, guest);
}

/** sundog_tt_func - TTM's manager of TT */
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

static void sundog_tt_clear_pages(struct sundog_device *sdev, struct sundog_guest *guest)
{
	struct sg_table *sgt = sundog_guest_clear_pages(sdev, guest);

	if (sgt)
		sundog_tt_unmap_dma(sdev, guest, sgt);
}

/* Whoever unbinds the device waits for this, and undoes it. */
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
			sundog_tt_unmap_dma(sdev, guest, sgt);
	}
	drm_dev_exit(idx);
	return ret;
}

/**
 * sundog_tt_bind() - map an allocation's pages into the device
 * @sdev: device
 * @res: range in TT
 * @tt: the pages
 *
 * Return: 0, -EOPNOTSUPP if the device cannot have these pages, or another negative error code.
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
		sundog_tt_clear_pages(sdev, guest);
	return ret;
}

/**
 * sundog_tt_unbind() - take an allocation's pages back from the device
 * @sdev: device
 * @res: range in TT, which nothing in the allocation table names any more and no job uses
 *
 * Return: 0, or -EIO if the device may have the pages until it is reset.
 */
int sundog_tt_unbind(struct sundog_device *sdev, struct ttm_resource *res)
{
	struct sundog_guest *guest = to_guest(res);
	int ret;

	if (!guest->lost)
		sundog_guest_unmap(sdev, guest);
	ret = sundog_guest_wait(sdev, guest);
	if (ret)
		return ret;
	sundog_tt_clear_pages(sdev, guest);
	return 0;
}

/**
 * sundog_tt_is_lost() - may the device have an allocation's pages until it is reset?
 * @sdev: device
 * @res: range in TT
 *
 * Return: the answer.
 */
bool sundog_tt_is_lost(struct sundog_device *sdev, struct ttm_resource *res)
{
	return sundog_guest_is_lost(sdev, to_guest(res));
}
