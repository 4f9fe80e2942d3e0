/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Residency lists of a DRM file. */
#ifndef _SUNDOG_RESLIST_H_
#define _SUNDOG_RESLIST_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct drm_device;
struct drm_file;
struct sundog_bo;
struct sundog_file;
struct sundog_quota;
struct sundog_private_list;

/**
 * struct sundog_reslist_entry - an allocation on a residency list
 */
struct sundog_reslist_entry {
	/** @bo: allocation, with a GEM reference */
	struct sundog_bo *bo;
	/** @flags: DRM_SUNDOG_SUBMIT_*; 0 while the update that adds the entry may fail */
	u32 flags;
	/** @wanted: new value of @flags in the running update; 0 removes the entry */
	u32 wanted;
	/** @touched: node in sundog_reslist.touched while an update names the entry */
	struct list_head touched;
};

/**
 * struct sundog_reslist - a residency list: allocations that many submissions use
 */
struct sundog_reslist {
	/** @kref: held by the id and by running ioctls */
	struct kref kref;
	/** @quota: quota of the file; the list and each entry are charged to it as an object */
	struct sundog_quota *quota;
	/** @lock: protects the members below; taken outside of every dma_resv */
	struct mutex lock;
	/** @entries: struct sundog_reslist_entry of BOs that are not PRIVATE, by device handle */
	struct xarray entries;
	/** @private: struct sundog_reslist_entry of PRIVATE BOs, by device handle */
	struct xarray private;
	/** @n: number of entries in @entries and @private */
	u32 n;
	/** @n_private: number of entries in @private */
	u32 n_private;
	/** @touched: entries that the running update names */
	struct list_head touched;
	/** @privates: private list made of @private; NULL from an update to the next SUBMIT */
	struct sundog_private_list *privates;
};

#define SUNDOG_SUBMIT_ACCESS	(DRM_SUNDOG_SUBMIT_READ | DRM_SUNDOG_SUBMIT_WRITE)

bool sundog_reslist_flags_are_valid(u32 flags);
struct sundog_reslist *sundog_reslist_lookup(struct drm_file *file, u32 id);
int sundog_reslist_privates(struct sundog_reslist *list, struct sundog_private_list **privates);
bool sundog_reslist_has_privates(const struct sundog_reslist *list,
				 const struct sundog_private_list *privates);
void sundog_reslist_put(struct sundog_reslist *list);
void sundog_reslist_file_close(struct sundog_file *sfile);

int sundog_ioctl_reslist_create(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_reslist_update(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_reslist_destroy(struct drm_device *drm, void *data, struct drm_file *file);

#endif
