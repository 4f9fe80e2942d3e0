// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * VRAM as a TTM resource manager: which pages are free, and which of those hold old data.
 *
 * Free ranges are in drm_mm, whose trees find a place in logarithmic time with a million small
 * allocations alive. (drm_buddy of Linux 6.12 keeps its free blocks in sorted lists, which are
 * linear in the number of fragments.) An allocation is one range.
 *
 * A page is dirty when it is free and may hold what its last owner wrote; a clean one reads as
 * zero. Who gets pages clears the dirty ones and never touches the clean ones, so VRAM takes
 * memory of the host only where it was used. Dirty pages become clean in batches, when the device
 * can discard: a worker holds a dirty range in drm_mm, gives its memory back to the host, and
 * frees the range again. Every page is dirty when the driver loads and the device cannot discard.
 *
 * Locks: @lock for drm_mm and the bitmap, innermost. @discard_lock around it, while the worker
 * holds a range that nobody asked for: who finds no place looks again with it held.
 */

#include <linux/bitmap.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <drm/drm_mm.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "sundog_device.h"
#include "sundog_vram.h"
#include "sundog_wq.h"

/* How long freed pages are kept for whoever wants some next. */
#define SUNDOG_DISCARD_DELAY	(HZ / 2)
/* Ranges below this many pages are not worth an exit to the host; clearing them costs less. */
#define SUNDOG_DISCARD_MIN	16

/* Bytes that are cleared between two looks at whether somebody else wants the CPU. */
#define SUNDOG_CLEAR_STEP	SZ_1M

/**
 * struct sundog_vram - the manager
 */
struct sundog_vram {
	/** @base: TTM's part */
	struct ttm_resource_manager base;
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @lock: protects @mm and @dirty */
	spinlock_t lock;
	/** @mm: what is used, in pages */
	struct drm_mm mm;
	/** @dirty: a bit for each page, see above; those of a range are its owner's to read */
	unsigned long *dirty;
	/** @can_discard: the device has the register */
	bool can_discard;
	/** @discard_lock: see above */
	struct mutex discard_lock;
	/** @discard_work: makes dirty pages clean */
	struct delayed_work discard_work;
};

/**
 * struct sundog_vram_node - a range of VRAM
 */
struct sundog_vram_node {
	/** @base: TTM's part */
	struct ttm_resource base;
	/** @node: the range, in pages */
	struct drm_mm_node node;
};

static struct sundog_vram *to_vram(struct ttm_resource_manager *man)
{
	return container_of(man, struct sundog_vram, base);
}

static struct sundog_vram *sundog_vram_of(struct sundog_device *sdev)
{
	return to_vram(ttm_manager_type(&sdev->ttm, TTM_PL_VRAM));
}

static int sundog_vram_insert(struct sundog_vram *vram, struct drm_mm_node *node, u64 pages)
{
	int ret;

	spin_lock(&vram->lock);
	ret = drm_mm_insert_node(&vram->mm, node, pages);
	spin_unlock(&vram->lock);
	return ret;
}

static int sundog_vram_find(struct sundog_vram *vram, struct drm_mm_node *node, u64 pages)
{
	int ret = sundog_vram_insert(vram, node, pages);

	if (ret != -ENOSPC)
		return ret;
	mutex_lock(&vram->discard_lock);
	ret = sundog_vram_insert(vram, node, pages);
	mutex_unlock(&vram->discard_lock);
	return ret;
}

static int sundog_vram_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *tbo,
			     const struct ttm_place *place, struct ttm_resource **res)
{
	struct sundog_vram_node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	int ret;

	if (!node)
		return -ENOMEM;
	ttm_resource_init(tbo, place, &node->base);
	ret = sundog_vram_find(to_vram(man), &node->node, PFN_UP(node->base.size));
	if (ret) {
		ttm_resource_fini(man, &node->base);
		kfree(node);
		return ret;
	}
	node->base.start = node->node.start;
	*res = &node->base;
	return 0;
}

static void sundog_vram_free(struct ttm_resource_manager *man, struct ttm_resource *res)
{
	struct sundog_vram_node *node = container_of(res, struct sundog_vram_node, base);
	struct sundog_vram *vram = to_vram(man);

	spin_lock(&vram->lock);
	bitmap_set(vram->dirty, node->node.start, node->node.size);
	drm_mm_remove_node(&node->node);
	spin_unlock(&vram->lock);
	ttm_resource_fini(man, res);
	kfree(node);
	if (vram->can_discard)
		queue_delayed_work(sundog_wq, &vram->discard_work, SUNDOG_DISCARD_DELAY);
}

static void sundog_vram_debug(struct ttm_resource_manager *man, struct drm_printer *printer)
{
	struct sundog_vram *vram = to_vram(man);
	unsigned long dirty;

	spin_lock(&vram->lock);
	dirty = bitmap_weight(vram->dirty, man->size);
	spin_unlock(&vram->lock);
	drm_printf(printer, "  dirty: %lu\n", dirty);
}

static const struct ttm_resource_manager_func sundog_vram_func = {
	.alloc = sundog_vram_alloc,
	.free = sundog_vram_free,
	.debug = sundog_vram_debug,
};

/* The caller has the pages to itself, and is inside drm_dev_enter(). */
static void sundog_vram_discard(struct sundog_device *sdev, unsigned long first, unsigned long n)
{
	sundog_write64(sdev, SUNDOG_REG_DISCARD_OFFSET, (u64)first << PAGE_SHIFT);
	sundog_write(sdev, SUNDOG_REG_DISCARD, n);
}

/* False if some of the pages were taken meanwhile, by one who did not clear them yet. */
static bool sundog_vram_discard_free(struct sundog_vram *vram, unsigned long first,
				     unsigned long n)
{
	struct drm_mm_node node = { .start = first, .size = n };
	int ret;

	mutex_lock(&vram->discard_lock);
	spin_lock(&vram->lock);
	ret = drm_mm_reserve_node(&vram->mm, &node);
	spin_unlock(&vram->lock);
	if (!ret) {
		sundog_vram_discard(vram->sdev, first, n);
		spin_lock(&vram->lock);
		bitmap_clear(vram->dirty, first, n);
		drm_mm_remove_node(&node);
		spin_unlock(&vram->lock);
	}
	mutex_unlock(&vram->discard_lock);
	return !ret;
}

/* Looks at the bitmap without the lock: what it misses has its own free to queue the work again. */
static void sundog_vram_discard_work(struct work_struct *work)
{
	struct sundog_vram *vram = container_of(work, struct sundog_vram, discard_work.work);
	unsigned long first, end, n;
	bool again = false;
	int idx;

	if (!drm_dev_enter(&vram->sdev->drm, &idx))
		return;
	for_each_set_bitrange(first, end, vram->dirty, vram->base.size) {
		if (end - first < SUNDOG_DISCARD_MIN)
			continue;
		for (; first < end; first += n) {
			n = min(end - first, (unsigned long)SUNDOG_MAX_DISCARD);
			if (!sundog_vram_discard_free(vram, first, n))
				again = true;
			cond_resched();
		}
	}
	drm_dev_exit(idx);
	if (again)
		queue_delayed_work(sundog_wq, &vram->discard_work, SUNDOG_DISCARD_DELAY);
}

/* What an earlier driver left behind is not for anybody. */
static void sundog_vram_forget(struct sundog_vram *vram)
{
	unsigned long first, n;

	if (!vram->can_discard) {
		bitmap_fill(vram->dirty, vram->base.size);
		return;
	}
	for (first = 0; first < vram->base.size; first += n) {
		n = min(vram->base.size - first, (u64)SUNDOG_MAX_DISCARD);
		sundog_vram_discard(vram->sdev, first, n);
	}
}

/**
 * sundog_vram_init() - set up the manager of VRAM
 * @sdev: device, with registers mapped and @ttm initialised
 *
 * Return: 0 or -ENOMEM.
 */
int sundog_vram_init(struct sundog_device *sdev)
{
	const u64 pages = sdev->vram_size >> PAGE_SHIFT;
	struct sundog_vram *vram = kzalloc(sizeof(*vram), GFP_KERNEL);

	if (!vram)
		return -ENOMEM;
	vram->dirty = kvcalloc(BITS_TO_LONGS(pages), sizeof(long), GFP_KERNEL);
	if (!vram->dirty) {
		kfree(vram);
		return -ENOMEM;
	}
	vram->sdev = sdev;
	vram->can_discard = sundog_read64(sdev, SUNDOG_REG_FEATURES) & SUNDOG_FEATURE_DISCARD;
	vram->base.func = &sundog_vram_func;
	spin_lock_init(&vram->lock);
	mutex_init(&vram->discard_lock);
	INIT_DELAYED_WORK(&vram->discard_work, sundog_vram_discard_work);
	drm_mm_init(&vram->mm, 0, pages);
	ttm_resource_manager_init(&vram->base, &sdev->ttm, pages);
	sundog_vram_forget(vram);
	ttm_set_driver_manager(&sdev->ttm, TTM_PL_VRAM, &vram->base);
	ttm_resource_manager_set_used(&vram->base, true);
	return 0;
}

/**
 * sundog_vram_fini() - undo sundog_vram_init()
 * @sdev: device without allocations
 */
void sundog_vram_fini(struct sundog_device *sdev)
{
	struct sundog_vram *vram = sundog_vram_of(sdev);

	ttm_resource_manager_set_used(&vram->base, false);
	drm_WARN_ON(&sdev->drm, ttm_resource_manager_evict_all(&sdev->ttm, &vram->base));
	cancel_delayed_work_sync(&vram->discard_work);
	ttm_resource_manager_cleanup(&vram->base);
	ttm_set_driver_manager(&sdev->ttm, TTM_PL_VRAM, NULL);
	drm_mm_takedown(&vram->mm);
	mutex_destroy(&vram->discard_lock);
	kvfree(vram->dirty);
	kfree(vram);
}

/**
 * sundog_vram_clear() - make a range read as zero
 * @sdev: device; the caller is inside drm_dev_enter()
 * @res: range that was just allocated
 */
void sundog_vram_clear(struct sundog_device *sdev, const struct ttm_resource *res)
{
	struct sundog_vram *vram = sundog_vram_of(sdev);
	unsigned long first = res->start, end, past = first + PFN_UP(res->size);
	size_t offset, size, n;

	for_each_set_bitrange_from(first, end, vram->dirty, past) {
		offset = first << PAGE_SHIFT;
		/* Not memset() or clear_page(): they may store bytes, slow when emulated. */
		for (size = (end - first) << PAGE_SHIFT; size; size -= n, offset += n) {
			n = min_t(size_t, size, SUNDOG_CLEAR_STEP);
			memset64(sdev->vram + offset, 0, n / sizeof(u64));
			cond_resched();
		}
	}
	sundog_vram_claim(sdev, res);
}

/**
 * sundog_vram_claim() - a range's old contents are gone
 * @sdev: device
 * @res: range that was just allocated, and written from end to end
 */
void sundog_vram_claim(struct sundog_device *sdev, const struct ttm_resource *res)
{
	struct sundog_vram *vram = sundog_vram_of(sdev);

	spin_lock(&vram->lock);
	bitmap_clear(vram->dirty, res->start, PFN_UP(res->size));
	spin_unlock(&vram->lock);
}

/**
 * sundog_vram_used() - how much VRAM is in use
 * @sdev: device
 *
 * Return: bytes.
 */
u64 sundog_vram_used(struct sundog_device *sdev)
{
	return ttm_resource_manager_usage(ttm_manager_type(&sdev->ttm, TTM_PL_VRAM));
}
