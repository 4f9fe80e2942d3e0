// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Allocations (BOs): creation, import, placements, publication in the allocation table, release.
 *
 * Ioctls, TTM hooks and eviction call this file in process context. The dma_resv of a BO protects
 * its placement. The comment of struct sundog_bo describes its lifetime. The TTM hooks are in
 * sundog_ttm.c, the GEM hooks in sundog_gem.c.
 *
 * The placements of an allocation:
 *
 *	unpopulated	created, never used: no memory, reads as zero
 *	VRAM		used by the device
 *	system		pages of the guest: evicted from VRAM, or used by the CPU alone while VRAM
 *			was full. TTM swaps them out beyond its pages_limit.
 *	TT		pages of the guest, bound to the device (sundog_guest.c) while another
 *			driver is attached, and then until the next use
 *	guest		imports only, which never leave it: pages of another driver's dma-buf, bound
 *			to the device at first use (sundog_guest.c)
 *
 * Each user of an allocation moves it to the placement that it needs. Submissions, pins and kernel
 * mappings move it into VRAM, and evict other BOs for that (sundog_evict.c). A CPU fault moves an
 * unpopulated BO into VRAM if there is free space, else into system. An attachment of another
 * driver moves it into TT. TT is entered and left through system. No BO becomes unpopulated again.
 */

#include <linux/dma-buf.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/ttm/ttm_placement.h>
#include "uapi/sundog_drm.h"

#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_file.h"
#include "sundog_guest.h"
#include "sundog_quota.h"
#include "sundog_stats.h"
#include "sundog_table.h"
#include "sundog_trace.h"

static const struct ttm_place sundog_system_place = { .mem_type = TTM_PL_SYSTEM };
static const struct ttm_place sundog_tt_place = { .mem_type = TTM_PL_TT };
static const struct ttm_place sundog_cpu_places[] = {
	{ .mem_type = TTM_PL_VRAM, .flags = TTM_PL_FLAG_DESIRED },
	{ .mem_type = TTM_PL_SYSTEM, .flags = TTM_PL_FLAG_FALLBACK },
};

/** sundog_placement_system - placement in pages of the guest */
const struct ttm_placement sundog_placement_system = {
	.num_placement = 1,
	.placement = &sundog_system_place,
};

/** sundog_placement_tt - placement in pages of the guest that the device and other drivers reach */
const struct ttm_placement sundog_placement_tt = {
	.num_placement = 1,
	.placement = &sundog_tt_place,
};

/** sundog_placement_cpu - placement in VRAM if no BO must be evicted for that, else in system */
const struct ttm_placement sundog_placement_cpu = {
	.num_placement = ARRAY_SIZE(sundog_cpu_places),
	.placement = sundog_cpu_places,
};

/* The placements of new allocations. */
static const struct ttm_place sundog_unpopulated_place = { .mem_type = SUNDOG_PL_UNPOPULATED };
static const struct ttm_place sundog_guest_place = { .mem_type = SUNDOG_PL_GUEST };

/* There may be a million allocations, and kmalloc() would round each up to a kilobyte. */
static struct kmem_cache *sundog_bo_cache;

static void sundog_file_resv_free(struct drm_gem_object *obj)
{
	drm_gem_object_release(obj);
	kfree(container_of(obj, struct sundog_file_resv, base));
}

static const struct drm_gem_object_funcs sundog_file_resv_funcs = {
	.free = sundog_file_resv_free,
};

/**
 * sundog_file_resv_create() - create the dma_resv that the PRIVATE allocations of a file share
 * @drm: DRM device
 *
 * Return: the reservation with one reference, or NULL if there is no memory.
 */
struct sundog_file_resv *sundog_file_resv_create(struct drm_device *drm)
{
	struct sundog_file_resv *shared = kzalloc_obj(*shared, GFP_KERNEL_ACCOUNT);

	if (!shared)
		return NULL;
	shared->base.funcs = &sundog_file_resv_funcs;
	drm_gem_private_object_init(drm, &shared->base, PAGE_SIZE);
	atomic64_set(&shared->version, 1);
	return shared;
}

/**
 * sundog_file_resv_put() - drop a reference to a shared reservation
 * @shared: reservation
 */
void sundog_file_resv_put(struct sundog_file_resv *shared)
{
	drm_gem_object_put(&shared->base);
}

/**
 * sundog_bo_can_move() - check whether allocations may leave VRAM
 * @sdev: device
 *
 * They may if their bytes mean the same in another placement, and if no channel may still write
 * them after its fences have signalled. Cheap, because eviction calls this for each candidate.
 *
 * Return: true if allocations may move; may change at any time.
 */
bool sundog_bo_can_move(struct sundog_device *sdev)
{
	u64 features = READ_ONCE(sdev->features);

	if (atomic_read(&sdev->wedged))
		return false;
	return features & SUNDOG_FEATURE_RAW_MOVE || !(features & SUNDOG_FEATURE_RENDER);
}

/**
 * sundog_bo_changed() - invalidate the list snapshots that an allocation is in
 * @bo: allocation whose placement or name has just changed
 */
void sundog_bo_changed(struct sundog_bo *bo)
{
	/* Pairs with sundog_private_list_fill(). */
	smp_mb();
	if (READ_ONCE(bo->in_snapshot))
		atomic64_inc(&bo->file_resv->version);
}

/**
 * sundog_bo_list_entry() - fill the list entry of an allocation in a submission
 * @bo: allocation, its dma_resv is locked
 * @flags: DRM_SUNDOG_SUBMIT_*
 * @entry: entry to be filled in
 */
void sundog_bo_list_entry(const struct sundog_bo *bo, u32 flags, struct sundog_list_entry *entry)
{
	const u64 name = READ_ONCE(bo->name);
	u32 access = 0;

	if (flags & DRM_SUNDOG_SUBMIT_READ)
		access |= SUNDOG_ACCESS_READ;
	if (flags & DRM_SUNDOG_SUBMIT_WRITE)
		access |= SUNDOG_ACCESS_WRITE;
	*entry = (struct sundog_list_entry) {
		.kres = cpu_to_le32(upper_32_bits(name)),
		.index = cpu_to_le32(name ? lower_32_bits(name) : bo->handle),
		.handle = cpu_to_le32(bo->handle),
		.access = cpu_to_le32(access),
		.generation = cpu_to_le64(bo->generation),
	};
}

/**
 * sundog_bo_publish() - write the placement of an allocation to the table, if the device reaches it
 * @bo: allocation, its dma_resv is locked
 *
 * Does nothing if the device is unplugged.
 */
void sundog_bo_publish(struct sundog_bo *bo)
{
	const struct ttm_resource *res = bo->tbo.resource;
	u64 generation;
	u32 heap;
	int idx;

	switch (res->mem_type) {
	case TTM_PL_VRAM:
		heap = SUNDOG_HEAP_VRAM;
		break;
	case TTM_PL_TT:
	case SUNDOG_PL_GUEST:
		heap = SUNDOG_HEAP_GUEST;
		break;
	default:
		return;
	}
	if (!drm_dev_enter(bo->tbo.base.dev, &idx))
		return;
	generation = sundog_table_set(sundog_bo_device(bo), bo->handle, heap,
				      (u64)res->start << PAGE_SHIFT, bo->tbo.base.size, bo->birth);
	drm_dev_exit(idx);
	if (!bo->birth)
		bo->birth = generation;
	WRITE_ONCE(bo->in_guest, heap == SUNDOG_HEAP_GUEST);
	WRITE_ONCE(bo->generation, generation);
	sundog_bo_changed(bo);
}

/**
 * sundog_bo_unpublish() - clear the entry of an allocation in the allocation table
 * @bo: unused allocation, its dma_resv is locked
 */
void sundog_bo_unpublish(struct sundog_bo *bo)
{
	if (!bo->generation)
		return;
	sundog_table_clear(sundog_bo_device(bo), bo->handle);
	WRITE_ONCE(bo->generation, 0);
	sundog_bo_changed(bo);
}

static void sundog_bo_destroy(struct ttm_buffer_object *tbo)
{
	struct sundog_bo *bo = to_sundog_bo(&tbo->base);
	struct sundog_device *sdev = sundog_bo_device(bo);

	trace_sundog_free(bo->handle, tbo->base.size);
	if (bo->zombie)
		this_cpu_dec(sdev->stats->zombie);
	else
		this_cpu_dec(sdev->stats->live);
	sundog_table_release(sdev, bo->handle);
	drm_gem_object_release(&tbo->base);
	if (bo->guest)
		sundog_import_free(sdev, bo->guest);
	if (bo->file_resv)
		sundog_file_resv_put(bo->file_resv);
	if (bo->quota)
		sundog_quota_uncharge(bo->quota, bo->n_charged,
				      bo->guest ? 0 : tbo->base.size);
	kfree(bo->priv);
	kmem_cache_free(sundog_bo_cache, bo);
}

/**
 * sundog_bo_is_ours() - check whether a TTM object is embedded in a struct sundog_bo
 * @tbo: TTM object
 *
 * Return: false for a ghost object, which TTM creates to free the old memory of an allocation after
 * a move.
 */
bool sundog_bo_is_ours(const struct ttm_buffer_object *tbo)
{
	return tbo->destroy == sundog_bo_destroy;
}

static struct sundog_bo *sundog_bo_new(struct sundog_device *sdev, u64 size)
{
	struct sundog_bo *bo;
	int ret;

	bo = kmem_cache_zalloc(sundog_bo_cache, GFP_KERNEL);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	ret = sundog_table_reserve(sdev);
	if (ret < 0) {
		kmem_cache_free(sundog_bo_cache, bo);
		return ERR_PTR(ret);
	}
	bo->handle = ret;
	bo->list_pos = SUNDOG_NOT_LISTED;
	bo->tbo.base.funcs = sdev->gem_funcs;
	drm_gem_private_object_init(&sdev->drm, &bo->tbo.base, size);
	this_cpu_inc(sdev->stats->live);
	return bo;
}

/*
 * Initializes the TTM object. An import gets its placement, other BOs are unpopulated. The resource
 * fits the placement from the start, so TTM has nothing to move, which makes this cheap. On failure
 * the allocation is freed, possibly later, together with its import.
 */
static int sundog_bo_init(struct sundog_bo *bo)
{
	struct sundog_device *sdev = sundog_bo_device(bo);
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct sundog_guest *guest = bo->guest;
	const struct ttm_place *place = guest ? &sundog_guest_place : &sundog_unpopulated_place;
	struct ttm_placement placement = { .num_placement = 1, .placement = place };
	struct dma_resv *resv = guest ? guest->attach->dmabuf->resv :
				bo->file_resv ? bo->file_resv->base.resv : NULL;
	struct ttm_buffer_object *tbo = &bo->tbo;
	int ret;

	/* The holder may wait for the device: SUBMIT, or a call that evicts PRIVATE memory. */
	if (resv && dma_resv_lock_interruptible(resv, NULL)) {
		sundog_bo_destroy(tbo);
		return -ERESTARTSYS;
	}
	tbo->bdev = &sdev->ttm;
	tbo->resource = guest ? &guest->res : &bo->unpopulated;
	ttm_resource_init(tbo, place, tbo->resource);
	tbo->resource->start = guest ? guest->node.start : 0;
	ret = ttm_bo_init_reserved(&sdev->ttm, tbo, guest ? ttm_bo_type_sg : ttm_bo_type_device,
				   &placement, 0, &ctx, guest ? guest->sgt : NULL, resv,
				   sundog_bo_destroy);
	if (!ret || resv)
		dma_resv_unlock(resv ?: tbo->base.resv);
	if (!ret)
		trace_sundog_alloc(bo->handle, tbo->base.size);
	/* No mmap offsets are left. In the uAPI -ENOSPC means that something does not fit VRAM. */
	return ret == -ENOSPC ? -ENOMEM : ret;
}

/**
 * sundog_bo_check_size() - check whether an allocation can have a size
 * @sdev: device
 * @size: size in bytes; allocations round it up to pages
 *
 * Return: 0, -EINVAL if it is 0, or -ENOSPC if it does not fit into VRAM.
 */
int sundog_bo_check_size(struct sundog_device *sdev, u64 size)
{
	if (!size)
		return -EINVAL;
	return size > sdev->vram_size ? -ENOSPC : 0;
}

/**
 * sundog_bo_create() - create an unpopulated allocation
 * @quota: quota of a file, to which one object and @size were charged; uncharged when the
 *	   allocation is freed, and on failure
 * @vram_owner: VRAM owner: the file's, or the common one
 * @size: size in bytes that passed sundog_bo_check_size(); rounded up to pages
 * @file_resv: reservation that the allocation shares with others, or NULL for one of its own
 *
 * Return: the allocation with one GEM reference, or -ENOMEM, -ERESTARTSYS or another error pointer.
 */
struct sundog_bo *sundog_bo_create(struct sundog_quota *quota, struct sundog_vram_owner *vram_owner,
				   u64 size, struct sundog_file_resv *file_resv)
{
	struct sundog_bo *bo;
	int ret;

	size = PAGE_ALIGN(size);
	bo = sundog_bo_new(quota->sdev, size);
	if (IS_ERR(bo)) {
		sundog_quota_uncharge(quota, 1, size);
		return bo;
	}
	bo->quota = quota;
	bo->n_charged = 1;
	bo->vram_owner = vram_owner;
	if (file_resv)
		drm_gem_object_get(&file_resv->base);
	bo->file_resv = file_resv;
	ret = sundog_bo_init(bo);
	return ret ? ERR_PTR(ret) : bo;
}

/**
 * sundog_bo_import() - create an allocation from the dma-buf of another driver
 * @sdev: device
 * @dma_buf: dma-buf
 *
 * The allocation uses the dma_resv of the dma-buf, and never moves. sundog_bo_map_import() maps the
 * pages into the device when the allocation is first used.
 *
 * Return: the allocation with one GEM reference, -EOPNOTSUPP if the device cannot reach the pages,
 * -ERESTARTSYS or another error pointer.
 */
struct sundog_bo *sundog_bo_import(struct sundog_device *sdev, struct dma_buf *dma_buf)
{
	struct sundog_guest *guest = sundog_import_attach(sdev, dma_buf);
	struct sundog_bo *bo;
	int ret;

	if (IS_ERR(guest))
		return ERR_CAST(guest);
	bo = sundog_bo_new(sdev, dma_buf->size);
	if (IS_ERR(bo)) {
		sundog_import_free(sdev, guest);
		return bo;
	}
	bo->guest = guest;
	bo->tbo.base.import_attach = guest->attach;
	ret = sundog_bo_init(bo);
	return ret ? ERR_PTR(ret) : bo;
}

/**
 * sundog_bo_charge_import() - charge an import to the file that gets its first handle
 * @bo: import
 * @quota: quota of the file
 *
 * If two files get handles at the same time, only the first one is charged.
 *
 * Return: 0, or -EDQUOT if a quota of the file or of its user is exceeded.
 */
int sundog_bo_charge_import(struct sundog_bo *bo, struct sundog_quota *quota)
{
	int ret = sundog_quota_charge(quota, 1, 0);

	if (ret)
		return ret;
	ret = sundog_guest_charge(sundog_bo_device(bo), bo->guest, quota);
	if (ret) {
		sundog_quota_uncharge(quota, 1, 0);
		return ret == -EALREADY ? 0 : ret;
	}
	bo->quota = quota;
	bo->n_charged = 1;
	return 0;
}

/**
 * sundog_bo_map_import() - map the pages of an import into the device at its first use
 * @bo: allocation, import or not
 *
 * An import never moves, so the pages are mapped once. The caller holds no dma_resv: that of the
 * import belongs to another driver, and must not be held while this waits for the device.
 *
 * Return: 0, -EOPNOTSUPP if the device cannot map these pages, -EBUSY if it maps none for now,
 * -ERESTARTSYS or another negative error code.
 */
int sundog_bo_map_import(struct sundog_bo *bo)
{
	struct dma_resv *resv = bo->tbo.base.resv;
	int ret;

	if (!bo->guest || sundog_bo_is_placed(bo))
		return 0;
	ret = sundog_import_map(bo->guest);
	if (ret)
		return ret;
	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return ret;
	if (!sundog_bo_is_placed(bo))
		sundog_bo_publish(bo);
	dma_resv_unlock(resv);
	return 0;
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
 * sundog_bo_lookup() - find the allocation of a GEM handle
 * @file: DRM file
 * @handle: GEM handle
 *
 * Kernels without "drm/gem: Fix race in drm_gem_handle_create_tail()" publish a handle before
 * sundog_handle_opened() refuses it. So this checks again that a PRIVATE allocation is the file's.
 *
 * Return: the allocation with a GEM reference, or NULL.
 */
struct sundog_bo *sundog_bo_lookup(struct drm_file *file, u32 handle)
{
	const struct sundog_file *sfile = file->driver_priv;
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);
	struct sundog_bo *bo;

	if (!obj)
		return NULL;
	bo = to_sundog_bo(obj);
	if (sundog_bo_is_of_another(bo, sfile->resv)) {
		sundog_bo_put(bo);
		return NULL;
	}
	return bo;
}

/**
 * sundog_bo_module_init() - create the slab cache of allocations, for all devices
 *
 * Return: 0 or -ENOMEM.
 */
int __init sundog_bo_module_init(void)
{
	sundog_bo_cache = KMEM_CACHE(sundog_bo, SLAB_ACCOUNT);
	return sundog_bo_cache ? 0 : -ENOMEM;
}

/**
 * sundog_bo_module_exit() - undo sundog_bo_module_init(); no allocation exists any more
 */
void sundog_bo_module_exit(void)
{
	kmem_cache_destroy(sundog_bo_cache);
}
