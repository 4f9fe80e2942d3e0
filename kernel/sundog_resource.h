/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_RESOURCE_H_
#define _SUNDOG_RESOURCE_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "uapi/sundog_drm.h"

#include "sundog_array.h"

struct drm_device;
struct drm_file;
struct drm_gem_object;
struct sundog_bo_set;
struct sundog_bo;
struct sundog_device;
struct sundog_file;
struct sundog_private;
struct sundog_quota;
struct sundog_res;
struct sundog_resource;
struct sundog_vram_owner;

/* So many allocations need no memory for a set of them. */
#define SUNDOG_BO_SET_FEW	4

/**
 * struct sundog_bo_set - allocations that one call makes, opens or frees
 */
struct sundog_bo_set {
	/** @array: the call's argument */
	struct sundog_array array;
	/** @descs: a copy of its elements; there are none after sundog_bo_set_lookup() */
	struct drm_sundog_alloc_desc *descs;
	/** @bos: the allocations, each with a reference */
	struct sundog_bo **bos;
	/** @n: how many there are */
	u32 n;
	/** @first: the resource got its kernel handle for them */
	bool first;
	/** @few_descs: room for @descs */
	struct drm_sundog_alloc_desc few_descs[SUNDOG_BO_SET_FEW];
	/** @few_bos: room for @bos */
	struct sundog_bo *few_bos[SUNDOG_BO_SET_FEW];
};

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
	/** @shared: it can be opened, once it is @published; constant */
	bool shared;
	/** @published: the call that gave it allocations cannot fail any more; set once */
	bool published;
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

int sundog_resource_init(struct sundog_device *sdev);
void sundog_resource_hold(struct sundog_resource *resource);
void sundog_resource_put(struct sundog_resource *resource);

int sundog_handle_opened(struct drm_gem_object *obj, struct drm_file *file);
void sundog_handle_closed(struct drm_gem_object *obj, struct drm_file *file);

/**
 * struct sundog_res_handle - a GEM handle that a res id brought
 */
struct sundog_res_handle {
	/** @bo: allocation, in the res id's resource; NULL: no handle, or user space closed it */
	struct sundog_bo *bo;
	/** @handle: GEM handle */
	u32 handle;
};

/**
 * struct sundog_res - a res id: one create or one open of a resource in a file
 */
struct sundog_res {
	/** @kref: held by the id and by ioctls at work on it; the last closes the GEM handles */
	struct kref kref;
	/** @n_handles: length of @handles; protected by the file's handles_lock */
	u32 n_handles;
	/** @kres: key in the file's opens, 0: not there yet; protected likewise */
	u32 kres;
	/** @next_open: next res id of the file with that key; protected likewise */
	struct sundog_res *next_open;
	/** @id: the id, never used again in its file; constant once it is published */
	u64 id;
	/** @file: file of the id, NULL once its GEM handles are gone anyway */
	struct drm_file *file;
	/** @quota: what the id is charged to; NULL: not yet */
	struct sundog_quota *quota;
	/** @n_charged: how many objects it is: itself, and the handles that an open brought */
	u32 n_charged;
	/** @resource: the resource; this is one of its holders */
	struct sundog_resource *resource;
	/** @handles: GEM handles of this id by index of the allocation; protected likewise */
	struct sundog_res_handle *handles;
	/** @first: room for one, which is all that most resources need */
	struct sundog_res_handle first;
};

void sundog_res_file_close(struct sundog_file *sfile);

int sundog_ioctl_resource_create(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_resource_open(struct drm_file *file, struct drm_sundog_resource_open *args,
			 struct sundog_bo *bo);
int sundog_ioctl_resource_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_alloc(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_dealloc(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_alloc_info(struct drm_device *drm, void *data, struct drm_file *file);

/* For tests. */
#if IS_ENABLED(CONFIG_KUNIT)
struct sundog_private *sundog_private_read(u64 ptr, u32 size);
int sundog_private_write(const struct sundog_private *priv, u64 ptr, u32 *size);
struct sundog_resource *sundog_resource_create(struct sundog_device *sdev, bool shared,
					       struct sundog_private *priv);
int sundog_resource_attach(struct sundog_resource *resource, struct sundog_bo_set *set);
void sundog_resource_detach_one(struct sundog_resource *resource, struct sundog_bo *bo);
void sundog_resource_publish(struct sundog_resource *resource);
struct sundog_resource *sundog_resource_of(struct sundog_bo *bo);
bool sundog_has_duplicate(u32 *handles, u32 n);
int sundog_dealloc_device(struct sundog_device *sdev, struct sundog_bo_set *set);
#endif

#endif
