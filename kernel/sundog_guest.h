/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_GUEST_H_
#define _SUNDOG_GUEST_H_

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <drm/drm_mm.h>
#include <drm/ttm/ttm_resource.h>

struct dma_buf;
struct dma_buf_attachment;
struct sg_table;
struct sundog_device;

/** SUNDOG_PL_GUEST - TTM's number for the placement of what was imported */
#define SUNDOG_PL_GUEST	(TTM_PL_PRIV + 1)

/**
 * struct sundog_guest_heap - the device's heap GUEST
 */
struct sundog_guest_heap {
	/** @man: TTM's part; the places in it are the allocations' own */
	struct ttm_resource_manager man;
	/** @lock: protects @mm, @list, @n_unmaps and the registers; held while a map is made */
	struct mutex lock;
	/** @mm: what is used, in pages */
	struct drm_mm mm;
	/** @list: the page that tells the device about runs, NULL: there is no heap */
	__le64 *list;
	/** @list_addr: its address on the bus */
	dma_addr_t list_addr;
	/** @n_unmaps: writes to GUEST_UNMAP ever */
	u32 n_unmaps;
	/** @broken: the device did not answer; protected by @lock */
	bool broken;
	/** @gone: the device was reset for good, it has no pages any more */
	bool gone;
	/** @wait: woken by the device's event */
	wait_queue_head_t wait;
};

/**
 * struct sundog_guest - pages of another driver's dma-buf, mapped into heap GUEST
 */
struct sundog_guest {
	/** @res: the place of the allocation, for its life */
	struct ttm_resource res;
	/** @node: the range in the heap */
	struct drm_mm_node node;
	/** @attach: attachment to the dma-buf; holds a reference to that */
	struct dma_buf_attachment *attach;
	/** @sgt: its pages */
	struct sg_table *sgt;
	/** @last_unmap: number of the write to GUEST_UNMAP that takes the last of them back */
	u32 last_unmap;
	/** @lost: the device did not answer, it may have them for ever */
	bool lost;
	/** @n_runs: length of @runs */
	u32 n_runs;
	/** @runs: the pages as the device is told */
	u64 runs[] __counted_by(n_runs);
};

int sundog_guest_init(struct sundog_device *sdev);
void sundog_guest_fini(struct sundog_device *sdev);
void sundog_guest_event(struct sundog_device *sdev);
void sundog_guest_gone(struct sundog_device *sdev);
struct sundog_guest *sundog_guest_map(struct sundog_device *sdev, struct dma_buf *dma_buf);
void sundog_guest_unmap(struct sundog_device *sdev, struct sundog_guest *guest);
void sundog_guest_free(struct sundog_device *sdev, struct sundog_guest *guest);

#endif
