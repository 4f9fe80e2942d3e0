/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * struct sundog_bo and its accessors. The parts of memory management below sundog_bo.c include this
 * file; sundog_bo.h declares the functions.
 */
#ifndef _SUNDOG_BO_TYPES_H_
#define _SUNDOG_BO_TYPES_H_

#include <linux/atomic.h>
#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/types.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "sundog_device.h"

/** SUNDOG_PL_UNPOPULATED - TTM's number of the placement of unpopulated allocations */
#define SUNDOG_PL_UNPOPULATED	TTM_PL_PRIV
/** SUNDOG_PL_GUEST - TTM's number of the placement of imports; TTM_PL_TT is for our own pages */
#define SUNDOG_PL_GUEST		(TTM_PL_PRIV + 1)

struct dma_buf;
struct sundog_guest;
struct sundog_list_entry;
struct sundog_pin_work;
struct sundog_quota;
struct sundog_resource;
struct sundog_vram_owner;

/**
 * struct sundog_private - private data of user space; immutable, freed with its holder
 */
struct sundog_private {
	/** @size: size of @data in bytes */
	u32 size;
	/** @data: the data */
	u8 data[] __counted_by(size);
};

/**
 * struct sundog_file_resv - dma_resv that all PRIVATE allocations of a file share
 *
 * They have one lock and one set of fences, so a submission that uses thousands of them locks once.
 * The cost is that no PRIVATE allocation of a file is idle while another one is busy.
 */
struct sundog_file_resv {
	/**
	 * @base: GEM object without memory, whose dma_resv it is, so that drm_exec can lock it;
	 * references are held by the file and by its PRIVATE allocations
	 */
	struct drm_gem_object base;
	/** @version: number of changes that invalidated list snapshots, plus 1 */
	atomic64_t version;
};

/** SUNDOG_NOT_LISTED - value of sundog_bo.list_pos while no SUBMIT lists the BO */
#define SUNDOG_NOT_LISTED	U32_MAX

/**
 * struct sundog_bo - an allocation, one GEM object
 *
 * Handles, the owning resource, dma-bufs and framebuffers hold GEM references. Jobs and mappings
 * hold TTM references only. The last GEM reference makes the allocation a zombie. It is freed when
 * the last TTM reference is dropped and the last fence has signalled.
 */
struct sundog_bo {
	/** @tbo: TTM object, which embeds the GEM object */
	struct ttm_buffer_object tbo;
	/** @unpopulated: resource of the first placement, unless @guest */
	struct ttm_resource unpopulated;
	/** @guest: pages of an import, its only placement; NULL for other allocations */
	struct sundog_guest *guest;
	/** @vram_owner: owner of its extents while in VRAM; constant, valid while @quota is */
	struct sundog_vram_owner *vram_owner;
	/** @handle: device handle; constant */
	u32 handle;
	/** @list_pos: index in the list of the SUBMIT that holds the dma_resv, which protects it */
	u32 list_pos;
	/** @generation: generation of the published placement, or 0; written under the dma_resv */
	u64 generation;
	/** @birth: generation of the first published placement, or 0; protected by the dma_resv */
	u64 birth;
	/** @owner: resource that owns it; NULL: it is device-owned; protected by owner_lock */
	struct sundog_resource *owner;
	/**
	 * @in_owner: entry in the allocs of @owner, protected by the owner's lock; of a zombie in
	 * TT: entry in sundog_guest_heap.dying, protected by the heap's ranges_lock
	 */
	struct list_head in_owner;
	/** @name: kres of @owner << 32 | index, or 0; written under owner_lock, read without */
	u64 name;
	/** @fdinfo_round: last round of fdinfo that has counted it; protected by fdinfo_lock */
	u64 fdinfo_round;
	/** @n_dma_bufs: number of dma-bufs that were not released yet; protected by owner_lock */
	u32 n_dma_bufs;
	/** @zombie: the last GEM reference was dropped */
	bool zombie;
	/** @in_guest: it was last published in heap GUEST; written under the dma_resv */
	bool in_guest;
	/** @has_memory: populated at some time; false for imports; written under the dma_resv */
	bool has_memory;
	/** @was_listed: a submission has listed it; written under the dma_resv, never cleared */
	bool was_listed;
	/** @in_snapshot: a list snapshot was made of it; never cleared */
	bool in_snapshot;
	/** @n_charged: objects uncharged with it: itself, and maybe the last id of its resource */
	u8 n_charged;
	/** @quota: quota that it is charged to, with a reference by the charge; or NULL */
	struct sundog_quota *quota;
	/** @file_resv: shared reservation of a PRIVATE allocation; NULL: it has its own dma_resv */
	struct sundog_file_resv *file_resv;
	/** @pin_work: work item that pins it in VRAM for a commit, see sundog_pin.c; or NULL */
	struct sundog_pin_work *pin_work;
	/** @nothing: memory that kernel mappings after unplug have, or NULL; under the dma_resv */
	void *nothing;
	/** @n_nothing: number of these mappings; protected by the dma_resv */
	u32 n_nothing;
	/** @priv: private data, or NULL; freed with the allocation */
	struct sundog_private *priv;
};

/**
 * to_sundog_bo() - get the allocation of a GEM object
 * @obj: GEM object of a sundog device
 *
 * Return: the allocation.
 */
static inline struct sundog_bo *to_sundog_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct sundog_bo, tbo.base);
}

/**
 * sundog_bo_device() - get the device of an allocation
 * @bo: allocation
 *
 * Return: the device.
 */
static inline struct sundog_device *sundog_bo_device(struct sundog_bo *bo)
{
	return to_sundog_device(bo->tbo.base.dev);
}

/**
 * sundog_bo_lock_obj() - get the GEM object to lock an allocation with drm_exec
 * @bo: allocation, perhaps one that another call may lock, too
 *
 * The object is the same for all PRIVATE allocations of a file, so it can be unlocked through each.
 *
 * Return: the object; valid as long as @bo.
 */
static inline struct drm_gem_object *sundog_bo_lock_obj(struct sundog_bo *bo)
{
	return bo->file_resv ? &bo->file_resv->base : &bo->tbo.base;
}

/**
 * sundog_bo_is_of_another() - check whether an allocation is PRIVATE in another file
 * @bo: allocation
 * @file_resv: dma_resv that the PRIVATE allocations of the file share
 *
 * Return: true if the file may have no handle to it.
 */
static inline bool sundog_bo_is_of_another(const struct sundog_bo *bo,
					   const struct sundog_file_resv *file_resv)
{
	return bo->file_resv && bo->file_resv != file_resv;
}

/**
 * sundog_bo_is_placed() - check whether the device can access an allocation in its placement
 * @bo: allocation
 *
 * Return: true if its placement is published; stable while its dma_resv is locked.
 */
static inline bool sundog_bo_is_placed(const struct sundog_bo *bo)
{
	return READ_ONCE(bo->generation);
}

/**
 * sundog_bo_needs_vram() - check whether the device uses an allocation in VRAM only
 * @bo: allocation, its dma_resv is locked
 *
 * Return: false for an import, and for an allocation that another driver shares.
 */
static inline bool sundog_bo_needs_vram(const struct sundog_bo *bo)
{
	return !bo->guest && !(bo->tbo.pin_count && bo->tbo.resource->mem_type == TTM_PL_TT);
}

/**
 * sundog_bo_is_ready() - check whether an allocation is in the placement that a submission needs
 * @bo: allocation, its dma_resv is locked
 *
 * Return: true if it need not move.
 */
static inline bool sundog_bo_is_ready(const struct sundog_bo *bo)
{
	return sundog_bo_is_placed(bo) && !(bo->in_guest && sundog_bo_needs_vram(bo));
}

/**
 * sundog_bo_is_idle() - check whether all fences of an allocation have signalled
 * @bo: allocation
 *
 * PRIVATE allocations share their fences: they are idle when all of the file's jobs are done.
 *
 * Return: true if it is idle, which cannot change while its dma_resv is locked.
 */
static inline bool sundog_bo_is_idle(const struct sundog_bo *bo)
{
	return dma_resv_test_signaled(bo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/**
 * sundog_bo_is_unused() - check whether an allocation can move without a wait for jobs
 * @bo: allocation
 *
 * An allocation keeps its placement until the jobs that use it are done. So no job uses a PRIVATE
 * one that is not published, whatever the state of the shared fences is.
 *
 * Return: true if it is unused, which cannot change while its dma_resv is locked.
 */
static inline bool sundog_bo_is_unused(const struct sundog_bo *bo)
{
	return sundog_bo_is_idle(bo) || (bo->file_resv && !sundog_bo_is_placed(bo));
}

/**
 * sundog_bo_vram_offset() - get the offset of an allocation in VRAM
 * @bo: allocation in VRAM that cannot move (pinned, or its dma_resv is locked)
 *
 * Return: byte offset in VRAM.
 */
static inline u64 sundog_bo_vram_offset(struct sundog_bo *bo)
{
	return (u64)bo->tbo.resource->start << PAGE_SHIFT;
}

#endif
