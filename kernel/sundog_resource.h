/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Resources, res ids and sets of BOs. */
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

/* A set of up to this number of allocations needs no arrays of its own. */
#define SUNDOG_BO_SET_FEW	4

/**
 * struct sundog_bo_set - allocations that one ioctl creates, opens or frees
 */
struct sundog_bo_set {
	/** @array: array argument of the ioctl */
	struct sundog_array array;
	/** @descs: copy of the elements of @array; not filled by sundog_bo_set_lookup() */
	struct drm_sundog_alloc_desc *descs;
	/** @bos: allocations, each with a GEM reference */
	struct sundog_bo **bos;
	/** @n: number of @bos */
	u32 n;
	/** @first: the resource got its kres for this set */
	bool first;
	/** @few_descs: storage of @descs for a short array */
	struct drm_sundog_alloc_desc few_descs[SUNDOG_BO_SET_FEW];
	/** @few_bos: storage of @bos for a short array */
	struct sundog_bo *few_bos[SUNDOG_BO_SET_FEW];
};

/**
 * struct sundog_resource - a resource: a group of allocations under one kernel handle
 *
 * All opens share one struct. It lives as long as it has holders: res ids, dma-bufs of its
 * allocations, and running ioctls. It has a GEM reference to each of its allocations; these point
 * back without a reference.
 */
struct sundog_resource {
	/** @sdev: device */
	struct sundog_device *sdev;
	/** @holders: number of holders; protected by owner_lock */
	u32 holders;
	/** @kres: kernel resource handle, 0 before the first allocation; protected by @lock */
	u32 kres;
	/** @shared: RESOURCE_OPEN can open the resource once it is @published; constant */
	bool shared;
	/** @published: the ioctl that added the allocations cannot fail any more; set once */
	bool published;
	/** @n_allocs: number of allocations in @allocs; protected by @lock */
	u32 n_allocs;
	/** @n_indices: number of indices that were ever assigned; protected by @lock */
	u32 n_indices;
	/** @lock: protects @allocs; never held while a GEM handle is created or closed */
	struct mutex lock;
	/** @allocs: allocations, by sundog_bo.in_owner, the oldest first; protected by @lock */
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
 * struct sundog_res_handle - a GEM handle that came with a res id
 */
struct sundog_res_handle {
	/** @bo: allocation of the res id's resource; NULL: no handle, or user space closed it */
	struct sundog_bo *bo;
	/** @handle: GEM handle */
	u32 handle;
};

/**
 * struct sundog_res - a res id: one create or one open of a resource in a file
 */
struct sundog_res {
	/** @kref: held by the id and by running ioctls; the last put closes the GEM handles */
	struct kref kref;
	/** @n_handles: length of @handles; protected by the file's handles_lock */
	u32 n_handles;
	/** @kres: key in sundog_file.opens, 0 if not tracked there; protected by handles_lock */
	u32 kres;
	/** @next_open: next res id of the file with the same @kres; protected by handles_lock */
	struct sundog_res *next_open;
	/** @id: user handle, never reused in its file; constant once it is published */
	u64 id;
	/** @file: DRM file of the id; NULL if the file closes and the core closed its handles */
	struct drm_file *file;
	/** @quota: quota that the id is charged to; NULL before the charge */
	struct sundog_quota *quota;
	/** @n_charged: number of charged objects: the id, and the handles of RESOURCE_OPEN */
	u32 n_charged;
	/** @resource: resource; the res id is one of its holders */
	struct sundog_resource *resource;
	/** @handles: GEM handles of this id, by index; protected by handles_lock */
	struct sundog_res_handle *handles;
	/** @first: storage of @handles for one handle, which suffices for most resources */
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
