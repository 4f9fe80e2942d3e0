/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
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
	/** @flags: DRM_SUNDOG_SUBMIT_*; 0 while the call that adds it may fail */
	u32 flags;
	/** @wanted: what the update at work makes of @flags; 0 takes it off */
	u32 wanted;
	/** @touched: in the list's touched ones while an update names it */
	struct list_head touched;
};

/**
 * struct sundog_reslist - a residency list: allocations that many submissions use
 */
struct sundog_reslist {
	/** @kref: held by the id and by ioctls at work on it */
	struct kref kref;
	/** @quota: the list and each of its entries are charged to it as objects */
	struct sundog_quota *quota;
	/** @lock: protects the entries; outside of every dma_resv */
	struct mutex lock;
	/** @entries: struct sundog_reslist_entry by device handle of the allocation */
	struct xarray entries;
	/** @private: the same for PRIVATE allocations, which are not in @entries */
	struct xarray private;
	/** @n: how many there are */
	u32 n;
	/** @n_private: how many of them are in @private */
	u32 n_private;
	/** @touched: those that the update at work names */
	struct list_head touched;
	/** @privates: what is in @private, for jobs; NULL: nobody asked since it changed */
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
