/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * An allocation, and what can be read from it. The parts of memory management below sundog_bo.c
 * include this; its functions are in sundog_bo.h.
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

/** SUNDOG_PL_UNPOPULATED - TTM's number for the placement of what was never used */
#define SUNDOG_PL_UNPOPULATED	TTM_PL_PRIV
/** SUNDOG_PL_GUEST - TTM's number for the placement of what was imported; TTM_PL_TT is our own */
#define SUNDOG_PL_GUEST		(TTM_PL_PRIV + 1)

struct dma_buf;
struct sundog_guest;
struct sundog_list_entry;
struct sundog_pin_work;
struct sundog_quota;
struct sundog_resource;
struct sundog_vram_owner;

/**
 * struct sundog_private - private data that user space attached; immutable, counted by its owner
 */
struct sundog_private {
	/** @size: bytes */
	u32 size;
	/** @data: the bytes */
	u8 data[] __counted_by(size);
};

/**
 * struct sundog_file_resv - the reservation that all PRIVATE allocations of a file share
 *
 * One lock and one set of fences, however many they are: a submission that uses thousands of them
 * takes it once. What they cost is that none of them is idle while another is not.
 */
struct sundog_file_resv {
	/** @kref: held by the file and by its PRIVATE allocations */
	struct kref kref;
	/** @resv: the reservation */
	struct dma_resv resv;
	/** @version: counts changes to allocations that residency lists noted; from 1 on */
	atomic64_t version;
};

/** SUNDOG_NOT_LISTED - value of sundog_bo.list_pos outside of a submission */
#define SUNDOG_NOT_LISTED	U32_MAX

/**
 * struct sundog_bo - an allocation: one GEM object
 *
 * References: the GEM object is held by handles, by the resource that owns it, by dma-bufs and by
 * framebuffers. Jobs and mappings hold only the TTM object, which lives a little longer. The last
 * GEM reference makes the allocation a zombie, the last TTM reference and the last fence free it.
 */
struct sundog_bo {
	/** @tbo: TTM object, with the GEM object in it */
	struct ttm_buffer_object tbo;
	/** @unpopulated: the first of its places */
	struct ttm_resource unpopulated;
	/** @guest: pages that it was imported from, its only place; NULL for memory of our own */
	struct sundog_guest *guest;
	/** @vram_owner: in whose extents it is while it is in VRAM; constant, while @quota is */
	struct sundog_vram_owner *vram_owner;
	/** @handle: device handle, from birth to death */
	u32 handle;
	/** @list_pos: place in the submission that is being built; protected by the dma_resv */
	u32 list_pos;
	/** @generation: of the placement on the device, 0 without; written under the dma_resv */
	u64 generation;
	/** @birth: generation of the first placement, 0 before; protected by the dma_resv */
	u64 birth;
	/** @owner: resource that owns it, NULL: the device; protected by owner_lock */
	struct sundog_resource *owner;
	/** @in_owner: in the owner's allocs; protected by the owner's lock */
	struct list_head in_owner;
	/** @name: owner's kres << 32 | index, 0 without; written under owner_lock, read freely */
	u64 name;
	/** @fdinfo_round: when it was counted the last time; protected by fdinfo_lock */
	u64 fdinfo_round;
	/** @n_dma_bufs: dma-bufs that were not released yet; protected by owner_lock */
	u32 n_dma_bufs;
	/** @zombie: the last GEM reference is gone */
	bool zombie;
	/** @in_guest: where it is placed is heap GUEST; written under the dma_resv */
	bool in_guest;
	/** @has_memory: it is not nowhere any more; written under the dma_resv */
	bool has_memory;
	/** @was_listed: some submission listed it; written under the dma_resv, stays so */
	bool was_listed;
	/** @in_snapshot: some residency list wrote down its name and place; stays so */
	bool in_snapshot;
	/** @n_charged: objects given back with it: itself, and its resource's id at last */
	u8 n_charged;
	/** @quota: what it is charged to; NULL: nobody */
	struct sundog_quota *quota;
	/** @file_resv: its dma_resv, if it is PRIVATE; NULL: it has one of its own */
	struct sundog_file_resv *file_resv;
	/** @pin_work: brings it into VRAM for a commit, see sundog_pin.c; or NULL */
	struct sundog_pin_work *pin_work;
	/** @priv: private data, or NULL; freed with the allocation */
	struct sundog_private *priv;
};

/**
 * to_sundog_bo() - downcast
 * @obj: GEM object of a sundog device
 *
 * Return: the allocation.
 */
static inline struct sundog_bo *to_sundog_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct sundog_bo, tbo.base);
}

/**
 * sundog_bo_device() - device of an allocation
 * @bo: allocation
 *
 * Return: the device.
 */
static inline struct sundog_device *sundog_bo_device(struct sundog_bo *bo)
{
	return to_sundog_device(bo->tbo.base.dev);
}

/**
 * sundog_bo_is_placed() - can the device work on an allocation where it is?
 * @bo: allocation
 *
 * Return: the answer, for good while its dma_resv is locked, otherwise for now.
 */
static inline bool sundog_bo_is_placed(const struct sundog_bo *bo)
{
	return READ_ONCE(bo->generation);
}

/**
 * sundog_bo_needs_vram() - does an allocation have to be in VRAM for the device to work on it?
 * @bo: allocation, its dma_resv is locked
 *
 * Return: the answer; no, if it was imported, or if another driver shares its pages.
 */
static inline bool sundog_bo_needs_vram(const struct sundog_bo *bo)
{
	return !bo->guest && !(bo->tbo.pin_count && bo->tbo.resource->mem_type == TTM_PL_TT);
}

/**
 * sundog_bo_is_ready() - is an allocation where a submission wants it?
 * @bo: allocation, its dma_resv is locked
 *
 * Return: the answer.
 */
static inline bool sundog_bo_is_ready(const struct sundog_bo *bo)
{
	return sundog_bo_is_placed(bo) && !(bo->in_guest && sundog_bo_needs_vram(bo));
}

/**
 * sundog_bo_is_idle() - has everything that was to be done with an allocation been done?
 * @bo: allocation
 *
 * PRIVATE allocations share their fences: they are idle when all of the file's jobs are done.
 *
 * Return: the answer, for good while its dma_resv is locked, otherwise for now.
 */
static inline bool sundog_bo_is_idle(const struct sundog_bo *bo)
{
	return dma_resv_test_signaled(bo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/**
 * sundog_bo_is_unused() - is there no work that has to be waited for before an allocation moves?
 * @bo: allocation
 *
 * What a job uses stays in its place until the job is done. So a PRIVATE one that the device does
 * not reach is used by none, whatever the fences say that it shares.
 *
 * Return: the answer, for good while its dma_resv is locked, otherwise for now.
 */
static inline bool sundog_bo_is_unused(const struct sundog_bo *bo)
{
	return sundog_bo_is_idle(bo) || (bo->file_resv && !sundog_bo_is_placed(bo));
}

/**
 * sundog_bo_vram_offset() - where in VRAM an allocation is
 * @bo: allocation that is in VRAM and cannot move now (pinned, or its dma_resv is locked)
 *
 * Return: byte offset in VRAM.
 */
static inline u64 sundog_bo_vram_offset(struct sundog_bo *bo)
{
	return (u64)bo->tbo.resource->start << PAGE_SHIFT;
}

#endif
