/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_RESOURCE_H_
#define _SUNDOG_RESOURCE_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct sundog_bo;
struct sundog_device;
struct sundog_file;
struct sundog_private;

/**
 * struct sundog_resource - a resource, one however often it is opened
 *
 * Lives as long as it has holders: res ids, dma-bufs of its allocations, and ioctls at work on it.
 * Holds a GEM reference to each of its allocations; they point back without one.
 */
struct sundog_resource {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @holders: count of holders; protected by owner_lock */
	u32 holders;
	/** @kres: kernel resource handle, 0 before the first allocation; protected by @lock */
	u32 kres;
	/** @shared: it can be opened; constant */
	bool shared;
	/** @n_allocs: allocations in @allocs; protected by @lock */
	u32 n_allocs;
	/** @n_indices: indices that were ever given out; protected by @lock */
	u32 n_indices;
	/** @lock: held for changes of @allocs, never while a GEM handle is made or closed */
	struct mutex lock;
	/** @allocs: the allocations, by sundog_bo.in_owner, the oldest first; protected by @lock */
	struct list_head allocs;
	/** @priv: private data, or NULL; constant */
	struct sundog_private *priv;
};

/**
 * struct sundog_res_handle - a GEM handle that a res id brought
 */
struct sundog_res_handle {
	/** @bo: allocation, NULL: there is none; its resource has it */
	struct sundog_bo *bo;
	/** @handle: GEM handle, unless user space closed it */
	u32 handle;
};

/**
 * struct sundog_res - a res id: one create or one open of a resource in a file
 */
struct sundog_res {
	/** @kref: held by the id and by ioctls at work on it; the last closes the GEM handles */
	struct kref kref;
	/** @id: the id; constant once it is published */
	u32 id;
	/** @file: file of the id, NULL once its GEM handles are gone anyway */
	struct drm_file *file;
	/** @resource: the resource; this is one of its holders */
	struct sundog_resource *resource;
	/** @n_handles: how many there can be in @handles; protected by the resource's lock */
	u32 n_handles;
	/** @handles: GEM handles of this id by index of the allocation; protected likewise */
	struct sundog_res_handle *handles;
	/** @first: room for one, which is all that most resources need */
	struct sundog_res_handle first;
};

int sundog_resource_init(struct sundog_device *sdev);
void sundog_resource_hold(struct sundog_resource *resource);
void sundog_resource_put(struct sundog_resource *resource);
void sundog_resource_file_close(struct sundog_file *sfile);

int sundog_ioctl_resource_create(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_resource_open(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_resource_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_alloc(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_dealloc(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_alloc_info(struct drm_device *drm, void *data, struct drm_file *file);

#endif
