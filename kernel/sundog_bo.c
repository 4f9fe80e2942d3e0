// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Allocations as GEM objects: creation, mapping, pinning, release.
 *
 * The lifetime is described at struct sundog_bo. Mappings are filled by faults through TTM, so that
 * an allocation could move under them; they are write-back, see sundog_device.c.
 */

#include <linux/iosys-map.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/ttm/ttm_placement.h>

#include "sundog_bo.h"
#include "sundog_compat.h"
#include "sundog_device.h"
#include "sundog_prime.h"
#include "sundog_table.h"
#include "sundog_trace.h"
#include "sundog_ttm.h"

/* Pages that one fault maps. Textures and streams are touched from end to end, so map ahead. */
#define SUNDOG_PREFAULT_PAGES	256

/* How long a new allocation waits for the memory of old ones that is about to be free. */
#define SUNDOG_ROOM_TIMEOUT	(10 * HZ)
/* The same when no job runs: what is being freed this moment. */
#define SUNDOG_FREE_TIMEOUT	(HZ / 10)

/* Bytes that are cleared between two looks at whether somebody else wants the CPU. */
#define SUNDOG_CLEAR_STEP	SZ_1M

static vm_fault_t sundog_gem_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct ttm_buffer_object *tbo = vma->vm_private_data;
	vm_fault_t ret;
	int idx;

	ret = ttm_bo_vm_reserve(tbo, vmf);
	if (ret)
		return ret;
	if (drm_dev_enter(tbo->base.dev, &idx)) {
		ret = ttm_bo_vm_fault_reserved(vmf, vma->vm_page_prot, SUNDOG_PREFAULT_PAGES);
		drm_dev_exit(idx);
	} else {
		ret = ttm_bo_vm_dummy_page(vmf, vma->vm_page_prot);
	}
	/* TTM waited, and dropped the lock for it. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	dma_resv_unlock(tbo->base.resv);
	return ret;
}

static const struct vm_operations_struct sundog_gem_vm_ops = {
	.fault = sundog_gem_fault,
	.open = ttm_bo_vm_open,
	.close = ttm_bo_vm_close,
	.access = ttm_bo_vm_access,
};

static void sundog_gem_free(struct drm_gem_object *obj)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	struct sundog_stats *stats = &sundog_bo_device(bo)->stats;

	bo->zombie = true;
	atomic_dec(&stats->live);
	atomic_inc(&stats->zombie);
	ttm_bo_put(&bo->tbo);
}

static int sundog_gem_pin(struct drm_gem_object *obj)
{
	struct ttm_buffer_object *tbo = &to_sundog_bo(obj)->tbo;
	struct ttm_operation_ctx ctx = { .interruptible = false };
	struct ttm_placement vram = sundog_ttm_vram;
	int ret;

	dma_resv_assert_held(obj->resv);
	ret = ttm_bo_validate(tbo, &vram, &ctx);
	if (!ret)
		ttm_bo_pin(tbo);
	return ret;
}

static void sundog_gem_unpin(struct drm_gem_object *obj)
{
	dma_resv_assert_held(obj->resv);
	ttm_bo_unpin(&to_sundog_bo(obj)->tbo);
}

static int sundog_gem_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	int ret;

	if (drm_dev_is_unplugged(obj->dev))
		return -ENODEV;
	ret = sundog_gem_pin(obj);
	if (!ret)
		iosys_map_set_vaddr(map, sundog_bo_device(bo)->vram + sundog_bo_vram_offset(bo));
	return ret;
}

static void sundog_gem_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	sundog_gem_unpin(obj);
}

static const struct drm_gem_object_funcs sundog_gem_funcs = {
	.free = sundog_gem_free,
	.export = sundog_prime_export,
	.pin = sundog_gem_pin,
	.unpin = sundog_gem_unpin,
	.vmap = sundog_gem_vmap,
	.vunmap = sundog_gem_vunmap,
	.mmap = drm_gem_ttm_mmap,
	.print_info = drm_gem_ttm_print_info,
	.vm_ops = &sundog_gem_vm_ops,
};

static void sundog_bo_destroy(struct ttm_buffer_object *tbo)
{
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);
	struct sundog_device *sdev = sundog_bo_device(bo);

	trace_sundog_free(bo->handle, tbo->base.size);
	if (bo->placed) {
		atomic_inc(&sdev->n_freed);
		/* Before the count of zombies: who sees none left sees that one was freed. */
		smp_mb__after_atomic();
	}
	atomic_dec(bo->zombie ? &sdev->stats.zombie : &sdev->stats.live);
	sundog_table_release(sdev, bo->handle);
	drm_gem_object_release(&tbo->base);
	if (bo->placed)
		wake_up(&sdev->room_wait);
	kfree(bo->priv);
	kfree(bo);
}

static struct sundog_bo *sundog_bo_try_create(struct sundog_device *sdev, u64 size,
					      struct sundog_private *priv)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_placement vram = sundog_ttm_vram;
	struct sundog_bo *bo;
	int ret;

	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	ret = sundog_table_reserve(sdev);
	if (ret < 0) {
		kfree(bo);
		return ERR_PTR(ret);
	}
	bo->handle = ret;
	bo->list_pos = SUNDOG_NOT_LISTED;
	bo->tbo.base.funcs = &sundog_gem_funcs;
	drm_gem_private_object_init(&sdev->drm, &bo->tbo.base, size);
	atomic_inc(&sdev->stats.live);

	/* On failure this ends in sundog_bo_destroy(). */
	ret = ttm_bo_init_reserved(&sdev->ttm, &bo->tbo, ttm_bo_type_device, &vram, 0, &ctx,
				   NULL, NULL, sundog_bo_destroy);
	if (ret)
		/* TTM says ENOMEM also when it finds no place, which it nearly always means. */
		return ERR_PTR(ret == -ENOMEM ? -ENOSPC : ret);
	ttm_bo_unreserve(&bo->tbo);

	bo->placed = true;
	bo->priv = priv;
	trace_sundog_alloc(bo->handle, size);
	return bo;
}

/*
 * VRAM is full: wait until an allocation was freed since @n_freed was read, for as long as there
 * are some that nobody can name any more and that jobs keep. Positive: try again; 0: there is
 * none; -ERESTARTSYS.
 */
static int sundog_bo_wait_for_room(struct sundog_device *sdev, int n_freed, unsigned long end)
{
	const bool coming = atomic_read(&sdev->stats.zombie);
	const bool jobs = atomic_read(&sdev->stats.jobs);
	long left = (long)(end - jiffies);

	smp_rmb();	/* pairs with sundog_bo_destroy() */
	if (left <= 0 || (!coming && atomic_read(&sdev->n_freed) == n_freed))
		return 0;
	if (!jobs)
		left = min_t(long, left, SUNDOG_FREE_TIMEOUT);
	return wait_event_interruptible_timeout(sdev->room_wait,
						atomic_read(&sdev->n_freed) != n_freed, left);
}

/**
 * sundog_bo_create() - make an allocation in VRAM, cleared
 * @sdev: device
 * @size: bytes, rounded up to pages
 * @priv: private data or NULL; taken over on success
 *
 * When VRAM is full, this waits a while for allocations that were given up to become free.
 *
 * Return: the allocation with one GEM reference, or -EINVAL, -ENOMEM, -ENOSPC or -ERESTARTSYS.
 */
struct sundog_bo *sundog_bo_create(struct sundog_device *sdev, u64 size,
				   struct sundog_private *priv)
{
	const unsigned long end = jiffies + SUNDOG_ROOM_TIMEOUT;
	struct sundog_bo *bo;
	int n_freed, ret;

	if (!size)
		return ERR_PTR(-EINVAL);
	if (size > sdev->vram_size)
		return ERR_PTR(-ENOSPC);
	size = PAGE_ALIGN(size);

	for (;;) {
		n_freed = atomic_read(&sdev->n_freed);
		bo = sundog_bo_try_create(sdev, size, priv);
		if (bo != ERR_PTR(-ENOSPC))
			return bo;
		ret = sundog_bo_wait_for_room(sdev, n_freed, end);
		if (ret <= 0)
			return ret ? ERR_PTR(ret) : bo;
	}
}

/**
 * sundog_bo_clear() - fill an allocation with zeroes
 * @bo: allocation that just got its place in VRAM, inside drm_dev_enter()
 */
void sundog_bo_clear(struct sundog_bo *bo)
{
	void *addr = sundog_bo_device(bo)->vram + sundog_bo_vram_offset(bo);
	size_t offset, n;

	/* Not memset() or clear_page(): they may store bytes, slow where that is emulated. */
	for (offset = 0; offset < bo->tbo.base.size; offset += n) {
		n = min_t(size_t, bo->tbo.base.size - offset, SUNDOG_CLEAR_STEP);
		memset64(addr + offset, 0, n / sizeof(u64));
		cond_resched();
	}
}

/**
 * sundog_bo_pin() - keep an allocation where it is, in VRAM
 * @bo: allocation
 *
 * Return: 0 or a negative error code.
 */
int sundog_bo_pin(struct sundog_bo *bo)
{
	struct drm_gem_object *obj = &bo->tbo.base;
	int ret;

	dma_resv_lock(obj->resv, NULL);
	ret = sundog_gem_pin(obj);
	dma_resv_unlock(obj->resv);
	return ret;
}

/**
 * sundog_bo_unpin() - undo sundog_bo_pin()
 * @bo: allocation
 */
void sundog_bo_unpin(struct sundog_bo *bo)
{
	struct drm_gem_object *obj = &bo->tbo.base;

	dma_resv_lock(obj->resv, NULL);
	sundog_gem_unpin(obj);
	dma_resv_unlock(obj->resv);
}

/**
 * sundog_bo_put() - drop a GEM reference
 * @bo: allocation
 */
void sundog_bo_put(struct sundog_bo *bo)
{
	drm_gem_object_put(&bo->tbo.base);
}

/**
 * sundog_bo_lookup() - find the allocation behind a GEM handle
 * @file: DRM file
 * @handle: GEM handle
 *
 * Return: the allocation with a GEM reference, or NULL.
 */
struct sundog_bo *sundog_bo_lookup(struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);

	return obj ? to_sundog_bo(obj) : NULL;
}

/**
 * sundog_bo_dumb_create() - &drm_driver.dumb_create: a device-owned allocation
 * @file: DRM file
 * @drm: DRM device
 * @args: ioctl arguments
 *
 * Return: 0 or a negative error code.
 */
int sundog_bo_dumb_create(struct drm_file *file, struct drm_device *drm,
			  struct drm_mode_create_dumb *args)
{
	struct sundog_bo *bo;
	int ret;

	/*
	 * The DRM core made sure that a row fits 32 bits. Rounded up it may wrap to 0, then so is
	 * the size, which is refused.
	 */
	args->pitch = ALIGN(args->width * DIV_ROUND_UP(args->bpp, 8), 64);
	args->size = PAGE_ALIGN((u64)args->pitch * args->height);

	bo = sundog_bo_create(to_sundog_device(drm), args->size, NULL);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = drm_gem_handle_create(file, &bo->tbo.base, &args->handle);
	sundog_bo_put(bo);
	return ret;
}
