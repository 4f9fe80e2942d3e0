/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_GUEST_H_
#define _SUNDOG_GUEST_H_

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_mm.h>
#include <drm/ttm/ttm_resource.h>

struct dma_buf;
struct dma_buf_attachment;
struct sg_table;
struct sundog_bo;
struct sundog_device;
struct sundog_guest;
struct sundog_quota;
struct ttm_resource;
struct ttm_resource_manager_func;
struct ttm_tt;

/**
 * struct sundog_guest_heap - the device's heap GUEST
 */
struct sundog_guest_heap {
	/** @ranges_lock: protects @mm, @users and @n_maps; nobody waits under it */
	struct mutex ranges_lock;
	/** @mm: what is used, in pages */
	struct drm_mm mm;
	/** @users: all ranges with pages */
	struct list_head users;
	/** @n_maps: maps of all ranges in @mm; of those without pages, as many as there can be */
	u32 n_maps;
	/** @map_lock: protects @list; held until the device has answered a map */
	struct mutex map_lock;
	/** @lock: protects @n_unmaps and the registers; nobody waits under it */
	struct mutex lock;
	/** @list: the page that tells the device about runs, NULL: there is no heap */
	__le64 *list;
	/** @list_addr: its address on the bus */
	dma_addr_t list_addr;
	/** @n_unmaps: writes to GUEST_UNMAP ever */
	u32 n_unmaps;
	/** @stuck: the device did not answer in time */
	bool stuck;
	/** @gone: the device was reset, it has no pages any more; written under @ranges_lock */
	bool gone;
	/** @wait: woken by the device's event, and when an import is mapped */
	wait_queue_head_t wait;
	/** @put_work: drops the last references to @dying */
	struct work_struct put_work;
	/** @dying: allocations in TT, by sundog_bo.in_owner; protected by @ranges_lock */
	struct list_head dying;
};

/**
 * struct sundog_guest_ops - what the two kinds of ranges do when the device has none of their pages
 */
struct sundog_guest_ops {
	/** @unmap_dma: end the pages' mapping for DMA, and free @sgt */
	void (*unmap_dma)(struct sundog_device *sdev, struct sundog_guest *guest,
			  struct sg_table *sgt);
	/** @release: free a range without pages that nobody refers to */
	void (*release)(struct sundog_device *sdev, struct sundog_guest *guest);
};

/**
 * enum sundog_import_state - does the device have the pages of an import?
 */
enum sundog_import_state {
	/** @SUNDOG_IMPORT_NEW: no, nobody asked */
	SUNDOG_IMPORT_NEW,
	/** @SUNDOG_IMPORT_MAPPING: a work item asks the device */
	SUNDOG_IMPORT_MAPPING,
	/** @SUNDOG_IMPORT_MAPPED: yes, or, with an error, perhaps some of them */
	SUNDOG_IMPORT_MAPPED,
};

/**
 * struct sundog_guest - a range of heap GUEST, and the pages that are mapped there
 */
struct sundog_guest {
	/** @ops: what kind it is; constant */
	const struct sundog_guest_ops *ops;
	/** @res: the place of the allocation; for its life if that was imported */
	struct ttm_resource res;
	/** @node: the range in the heap */
	struct drm_mm_node node;
	/** @in_users: in the heap's list, while there is @sgt; protected by its ranges_lock */
	struct list_head in_users;
	/** @n_maps: its part of the heap's; protected by the heap's ranges_lock */
	u32 n_maps;
	/** @quota: @n_maps are charged to it, with a reference; NULL: to nobody */
	struct sundog_quota *quota;
	/** @attach: attachment to another driver's dma-buf, with a reference to that; else NULL */
	struct dma_buf_attachment *attach;
	/** @sgt: the pages, as the device reaches them; NULL without, or when the device is gone */
	struct sg_table *sgt;
	/** @unmapping: some were mapped, and are to be taken back */
	bool unmapping;
	/** @last_unmap: number of the write to GUEST_UNMAP that takes the last of them back */
	u32 last_unmap;
	/** @lost: the device did not answer, it may have them until it is reset */
	bool lost;
	/** @abandoned: it is lost, and its owner gone; protected by the heap's ranges_lock */
	bool abandoned;
	/** @n_runs: length of @runs */
	u32 n_runs;
	/** @runs: the pages as the device is told, or NULL */
	u64 *runs;
	/** @sdev: of an import: device */
	struct sundog_device *sdev;
	/** @map_work: of an import: has the device map the pages */
	struct work_struct map_work;
	/** @state: of an import: written under ranges_lock, and by @map_work */
	enum sundog_import_state state;
	/** @error: of an import: why it could not be mapped; written by @map_work */
	int error;
};

int sundog_guest_init(struct sundog_device *sdev);
void sundog_guest_put_later(struct sundog_bo *bo);
void sundog_guest_flush(struct sundog_device *sdev);
void sundog_guest_fini(struct sundog_device *sdev);
bool sundog_guest_is_used(struct sundog_device *sdev);
void sundog_guest_restart(struct sundog_device *sdev);
void sundog_guest_event(struct sundog_device *sdev);
void sundog_guest_gone(struct sundog_device *sdev);
bool sundog_guest_has_heap(struct sundog_device *sdev);
int sundog_guest_charge(struct sundog_device *sdev, struct sundog_guest *guest,
			struct sundog_quota *quota);

extern const struct ttm_resource_manager_func sundog_tt_func;

int sundog_tt_bind(struct sundog_device *sdev, struct ttm_resource *res, struct ttm_tt *tt);
int sundog_tt_unbind(struct sundog_device *sdev, struct ttm_resource *res);
bool sundog_tt_is_lost(struct sundog_device *sdev, struct ttm_resource *res);

struct sundog_guest *sundog_import_attach(struct sundog_device *sdev, struct dma_buf *dma_buf);
int sundog_import_map(struct sundog_guest *guest);
void sundog_import_free(struct sundog_device *sdev, struct sundog_guest *guest);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
u32 sundog_guest_run_pages(u64 run);
void sundog_guest_clear_runs(struct sundog_guest *guest);
int sundog_guest_set_pages(struct sundog_device *sdev, struct sundog_guest *guest,
			   struct sg_table *sgt, u64 size);
struct sg_table *sundog_guest_take_sgt(struct sundog_guest_heap *heap, struct sundog_guest *guest);
u32 sundog_guest_count_maps(const struct sundog_guest *guest);
int sundog_guest_map(struct sundog_device *sdev, struct sundog_guest *guest);
int sundog_guest_wait(struct sundog_device *sdev, struct sundog_guest *guest);
void sundog_import_map_work(struct work_struct *work);
#endif

#endif
