// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The GEM hooks of allocations (struct drm_gem_object_funcs), CPU mappings, and dumb buffers.
 *
 * CPU mappings are filled by faults through TTM, so that a BO can move while it is mapped. They are
 * write-back, see sundog_device.c. The DRM core calls the hooks in process context. Hooks that it
 * calls with the dma_resv locked try to make space once, and do not wait for busy BOs.
 */

#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/io.h>
#include <linux/iosys-map.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/drm_mode.h>
#include <drm/drm_prime.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>

#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_file.h"
#include "sundog_gem.h"
#include "sundog_guest.h"
#include "sundog_pin.h"
#include "sundog_prime.h"
#include "sundog_quota.h"
#include "sundog_resource.h"
#include "sundog_sched.h"
#include "sundog_stats.h"

/* Pages that one fault maps. Textures and streams are accessed from end to end, so map ahead. */
#define SUNDOG_PREFAULT_PAGES	256

/* The CPU accesses VRAM and pages of the guest alike. Only an unpopulated BO needs a placement. */
static int sundog_gem_place(struct ttm_buffer_object *tbo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_placement cpu = sundog_placement_cpu;

	dma_resv_assert_held(tbo->base.resv);
	if (tbo->resource->mem_type != SUNDOG_PL_UNPOPULATED)
		return 0;
	return ttm_bo_validate(tbo, &cpu, &ctx);
}

static vm_fault_t sundog_gem_fault_reserved(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;

	switch (sundog_gem_place(vma->vm_private_data)) {
	case 0:
		return ttm_bo_vm_fault_reserved(vmf, vma->vm_page_prot, SUNDOG_PREFAULT_PAGES);
	case -EINTR:
	case -ERESTARTSYS:
		return VM_FAULT_NOPAGE;
	case -ENOMEM:
		return VM_FAULT_OOM;
	case -ENODEV:
		/* The device is being unplugged: the next fault maps a dummy page. */
		return VM_FAULT_NOPAGE;
	default:
		return VM_FAULT_SIGBUS;
	}
}

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
		ret = sundog_gem_fault_reserved(vmf);
		drm_dev_exit(idx);
	} else {
		ret = ttm_bo_vm_dummy_page(vmf, vma->vm_page_prot);
	}
	/* ttm_bo_vm_fault_reserved() has dropped the lock to wait for a fence. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	dma_resv_unlock(tbo->base.resv);
	return ret;
}

/* Debuggers access the pages that a fault would map. */
static int sundog_gem_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len,
			     int write)
{
	struct ttm_buffer_object *tbo = vma->vm_private_data;
	int ret;

	ret = dma_resv_lock_interruptible(tbo->base.resv, NULL);
	if (ret)
		return ret;
	ret = sundog_gem_place(tbo);
	dma_resv_unlock(tbo->base.resv);
	return ret ?: ttm_bo_vm_access(vma, addr, buf, len, write);
}

static const struct vm_operations_struct sundog_gem_vm_ops = {
	.fault = sundog_gem_fault,
	.open = ttm_bo_vm_open,
	.close = ttm_bo_vm_close,
	.access = sundog_gem_access,
};

/*
 * The other TTM reference may be that of a job whose end no thread waits for, so request an
 * interrupt. It may also be that of a mapping, on kernels where mappings hold the TTM object. A BO
 * that no job has listed needs no interrupt.
 */
static void sundog_gem_force_irq(struct sundog_bo *bo)
{
	/* Pairs with sundog_submit_note_update(). */
	smp_mb();
	if (READ_ONCE(bo->was_listed) || READ_ONCE(bo->in_snapshot))
		sundog_sched_force_irq(sundog_bo_device(bo), bo->tbo.base.resv);
}

static void sundog_gem_free(struct drm_gem_object *obj)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	struct sundog_device *sdev = sundog_bo_device(bo);

	WRITE_ONCE(bo->zombie, true);
	this_cpu_dec(sdev->stats->live);
	this_cpu_inc(sdev->stats->zombie);
	if (kref_read(&bo->tbo.kref) > 1)
		sundog_gem_force_irq(bo);
	if (READ_ONCE(bo->in_guest) && !bo->guest)
		sundog_guest_put_later(bo);
	else
		ttm_bo_fini(&bo->tbo);
}

/* Returns the pages of a BO in TT, for another driver. */
static struct sg_table *sundog_gem_get_sg_table(struct drm_gem_object *obj)
{
	struct ttm_tt *tt = to_sundog_bo(obj)->tbo.ttm;

	return drm_prime_pages_to_sg(obj->dev, tt->pages, tt->num_pages);
}

/* For a BO in TT, which another driver shares: most importers map what they have attached to. */
static int sundog_gem_vmap_pages(struct sundog_bo *bo, struct iosys_map *map)
{
	int ret = ttm_bo_vmap(&bo->tbo, map);

	if (!ret)
		ttm_bo_pin(&bo->tbo);
	return ret;
}

/* The caller holds the dma_resv, and must not wait for VRAM that other clients use. */
static int sundog_gem_vmap_away(struct sundog_bo *bo, struct iosys_map *map)
{
	struct ttm_operation_ctx ctx = { .interruptible = false };
	struct ttm_placement system = sundog_placement_system;
	int ret = ttm_bo_validate(&bo->tbo, &system, &ctx);

	return ret ?: sundog_gem_vmap_pages(bo, map);
}

/*
 * VRAM is not accessible after unplug, but callers such as the console do not expect that vmap
 * fails. They get memory whose contents are discarded.
 */
static int sundog_gem_vmap_nothing(struct sundog_bo *bo, struct iosys_map *map)
{
	if (!bo->n_nothing)
		bo->nothing = vzalloc(bo->tbo.base.size);
	if (!bo->nothing)
		return -ENOMEM;
	bo->n_nothing++;
	ttm_bo_pin(&bo->tbo);
	iosys_map_set_vaddr(map, bo->nothing);
	return 0;
}

static void sundog_gem_vunmap_nothing(struct sundog_bo *bo)
{
	if (--bo->n_nothing)
		return;
	vfree(bo->nothing);
	bo->nothing = NULL;
}

/*
 * Other drivers may keep a mapping when this driver is unbound: those that map a dma-buf without
 * attaching to it. So it must not be a part of &sundog_device.vram, which ends then.
 */
static int sundog_gem_vmap_vram(struct sundog_bo *bo, struct iosys_map *map)
{
	struct sundog_device *sdev = sundog_bo_device(bo);
	int ret = sundog_pin_vram_locked(bo);
	void *vaddr;

	if (ret)
		return ret;
	vaddr = memremap(sdev->vram_base + sundog_bo_vram_offset(bo), bo->tbo.base.size,
			 MEMREMAP_WB);
	if (!vaddr) {
		ttm_bo_unpin(&bo->tbo);
		return -ENOMEM;
	}
	iosys_map_set_vaddr(map, vaddr);
	return 0;
}

static int sundog_gem_vmap_unplugged(struct sundog_bo *bo, struct iosys_map *map)
{
	switch (bo->tbo.resource->mem_type) {
	case SUNDOG_PL_UNPOPULATED:
	case TTM_PL_VRAM:
		return sundog_gem_vmap_nothing(bo, map);
	default:
		return sundog_gem_vmap_pages(bo, map);
	}
}

static int sundog_gem_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	int ret;

	if (bo->guest)
		return -EINVAL;
	if (drm_dev_is_unplugged(obj->dev))
		return sundog_gem_vmap_unplugged(bo, map);
	if (bo->tbo.pin_count && bo->tbo.resource->mem_type != TTM_PL_VRAM)
		return sundog_gem_vmap_pages(bo, map);
	ret = sundog_gem_vmap_vram(bo, map);
	if (ret == -ENODEV)
		return sundog_gem_vmap_unplugged(bo, map);
	if (ret == -ENOSPC)
		return sundog_gem_vmap_away(bo, map);
	return ret;
}

static void sundog_gem_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct sundog_bo *bo = to_sundog_bo(obj);

	/* The BO is pinned, so its placement is the one that was mapped. */
	if (map->vaddr == bo->nothing)
		sundog_gem_vunmap_nothing(bo);
	else if (bo->tbo.resource->mem_type == TTM_PL_VRAM)
		memunmap(map->vaddr);
	else
		ttm_bo_vunmap(&bo->tbo, map);
	ttm_bo_unpin(&bo->tbo);
}

/* The exporter of an import maps it, and may leave vm_ops NULL. */
static int sundog_gem_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	int ret;

	/* Each mapping would get a dummy page that is freed with the device only. */
	if (drm_dev_is_unplugged(obj->dev))
		return -ENODEV;
	if (!obj->import_attach)
		return drm_gem_ttm_mmap(obj, vma);
	vma->vm_private_data = NULL;
	vma->vm_ops = NULL;
	ret = dma_buf_mmap(obj->import_attach->dmabuf, vma, 0);
	/* The mapping holds the dma-buf instead of @obj. */
	if (!ret)
		drm_gem_object_put(obj);
	return ret;
}

/* For debugfs. TTM's helper prints placement flags with the names of placements. */
static void sundog_gem_print_info(struct drm_printer *p, unsigned int indent,
				  const struct drm_gem_object *obj)
{
	static const char *const places[] = {
		[TTM_PL_SYSTEM] = "system",
		[TTM_PL_TT] = "tt",
		[TTM_PL_VRAM] = "vram",
		[SUNDOG_PL_UNPOPULATED] = "unpopulated",
		[SUNDOG_PL_GUEST] = "guest",
	};
	const struct sundog_bo *bo = container_of(obj, struct sundog_bo, tbo.base);

	drm_printf_indent(p, indent, "allocation=%u\n", bo->handle);
	/* The holder of the lock may be moving the BO. */
	if (!dma_resv_trylock(obj->resv))
		return;
	drm_printf_indent(p, indent, "placement=%s\n", places[bo->tbo.resource->mem_type]);
	dma_resv_unlock(obj->resv);
}

/** sundog_gem_funcs - GEM hooks of allocations */
const struct drm_gem_object_funcs sundog_gem_funcs = {
	.open = sundog_handle_opened,
	.close = sundog_handle_closed,
	.free = sundog_gem_free,
	.export = sundog_prime_export,
	.get_sg_table = sundog_gem_get_sg_table,
	.vmap = sundog_gem_vmap,
	.vunmap = sundog_gem_vunmap,
	.mmap = sundog_gem_mmap,
	.print_info = sundog_gem_print_info,
	.vm_ops = &sundog_gem_vm_ops,
};

/**
 * sundog_gem_dumb_create() - create a device-owned allocation for &drm_driver.dumb_create
 * @file: DRM file
 * @drm: DRM device
 * @args: ioctl arguments
 *
 * Return: 0 or a negative error code.
 */
int sundog_gem_dumb_create(struct drm_file *file, struct drm_device *drm,
			   struct drm_mode_create_dumb *args)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_bo *bo;
	int ret;

	/*
	 * The DRM core has checked that a row fits 32 bits. The rounded pitch may wrap to 0. Then
	 * the size is 0, too, which sundog_bo_check_size() refuses.
	 */
	args->pitch = ALIGN(args->width * DIV_ROUND_UP(args->bpp, 8), 64);
	args->size = PAGE_ALIGN((u64)args->pitch * args->height);

	ret = sundog_bo_check_size(to_sundog_device(drm), args->size);
	if (!ret)
		ret = sundog_quota_charge(sfile->quota, 1, args->size);
	if (ret)
		return ret;
	bo = sundog_bo_create(sfile->quota, sfile->vram_owner, args->size, NULL);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = drm_gem_handle_create(file, &bo->tbo.base, &args->handle);
	sundog_bo_put(bo);
	return ret;
}
