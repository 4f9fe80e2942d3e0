/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_RES_H_
#define _SUNDOG_RES_H_

#include <linux/kref.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct sundog_bo;
struct sundog_file;
struct sundog_quota;
struct sundog_resource;

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
int sundog_ioctl_resource_open(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_resource_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_alloc(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_dealloc(struct drm_device *drm, void *data, struct drm_file *file);
int sundog_ioctl_alloc_info(struct drm_device *drm, void *data, struct drm_file *file);

#endif
