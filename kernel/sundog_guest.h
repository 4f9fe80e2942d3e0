/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Heap GUEST: pages of the guest's RAM that the device maps. */
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
 * struct sundog_guest_heap - heap GUEST of a device
 */
struct sundog_guest_heap {
	/**
	 * @ranges_lock: protects @mm, @users, @n_maps and @n_unmapping; not held during a wait for
	 * the device
	 */
	struct mutex ranges_lock;
	/** @mm: ranges of the heap in use, in pages */
	struct drm_mm mm;
	/** @pages: size of the heap; constant */
	u64 pages;
	/** @users: list of all ranges with pages */
	struct list_head users;
	/** @n_maps: maps of all ranges in @mm; for ranges that are not mapped yet, the maximum */
	u32 n_maps;
	/** @n_unmapping: number of imports that threads unmap for DMA, which unbind waits for */
	u32 n_unmapping;
	/** @map_lock: protects @list; held until the device has answered a map */
	struct mutex map_lock;
	/** @lock: protects @n_unmaps and the registers; not held during a wait for the device */
	struct mutex lock;
	/** @list: page in which the device reads the runs of a map; NULL: there is no heap */
	__le64 *list;
	/** @list_addr: bus address of @list */
	dma_addr_t list_addr;
	/** @n_unmaps: number of writes to GUEST_UNMAP since the device was reset */
	u32 n_unmaps;
	/** @stuck: the device did not answer a map in time */
	bool stuck;
	/** @gone: the device was reset for the last time; written under @ranges_lock */
	bool gone;
	/** @kept: the last reset failed, so the device may have pages for ever */
	bool kept;
	/** @wait: woken by the event GUEST, and when the state or the pages of a range change */
	wait_queue_head_t wait;
	/** @put_work: work item that drops the last references to @dying */
	struct work_struct put_work;
	/** @dying: zombies in TT, by sundog_bo.in_owner; protected by @ranges_lock */
	struct list_head dying;
};

/**
 * enum sundog_import_state - state of the map of an import
 */
enum sundog_import_state {
	/** @SUNDOG_IMPORT_NEW: not requested */
	SUNDOG_IMPORT_NEW,
	/** @SUNDOG_IMPORT_MAPPING: the work item is queued or waits for the device */
	SUNDOG_IMPORT_MAPPING,
	/** @SUNDOG_IMPORT_MAPPED: mapped; with an error some pages may be mapped */
	SUNDOG_IMPORT_MAPPED,
};

/**
 * struct sundog_guest - range of heap GUEST, and the pages that are mapped there
 */
struct sundog_guest {
	/** @res: placement of the allocation; the only one of an import */
	struct ttm_resource res;
	/** @node: range in the heap, in pages */
	struct drm_mm_node node;
	/** @in_users: entry in the heap's list while there is @sgt; protected by its ranges_lock */
	struct list_head in_users;
	/** @n_maps: part of the heap's @n_maps; protected by the heap's ranges_lock */
	u32 n_maps;
	/** @n_charged: maps that @quota is charged; protected by the heap's ranges_lock */
	u32 n_charged;
	/** @quota: quota that @n_charged are charged to, with a reference; or NULL */
	struct sundog_quota *quota;
	/** @attach: attachment of an import, with a reference to its dma-buf; NULL: own pages */
	struct dma_buf_attachment *attach;
	/** @sgt: pages, mapped for DMA; NULL if there are none, or the device was unbound */
	struct sg_table *sgt;
	/** @unmapping: some pages were mapped, and the device has to return them */
	bool unmapping;
	/** @last_unmap: number of the write to GUEST_UNMAP that unmaps the last of them */
	u32 last_unmap;
	/** @lost: the device did not answer in time, and may have the pages until it is reset */
	bool lost;
	/** @abandoned: lost, and freed by its owner; protected by the heap's ranges_lock */
	bool abandoned;
	/** @n_runs: length of @runs */
	u32 n_runs;
	/** @runs: pages in the format of the device's list, in CPU byte order; or NULL */
	u64 *runs;
	/** @sdev: device; of imports only */
	struct sundog_device *sdev;
	/** @map_work: work item that maps the pages; of imports only */
	struct work_struct map_work;
	/** @state: of imports only; written under ranges_lock, and by @map_work */
	enum sundog_import_state state;
	/** @error: error of the map; of imports only, written by @map_work */
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
void sundog_guest_keep(struct sundog_device *sdev);
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
void sundog_guest_unmapped(struct sundog_guest_heap *heap);
u32 sundog_guest_count_maps(const struct sundog_guest *guest);
void sundog_guest_trim(struct sundog_guest_heap *heap, struct sundog_guest *guest, u32 n_maps);
int sundog_guest_map(struct sundog_device *sdev, struct sundog_guest *guest);
int sundog_guest_wait(struct sundog_device *sdev, struct sundog_guest *guest);
void sundog_import_map_work(struct work_struct *work);
#endif

#endif
