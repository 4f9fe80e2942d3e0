/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_IOCTL_H_
#define _SUNDOG_IOCTL_H_

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <drm/drm_ioctl.h>
#include "uapi/sundog_drm.h"

struct drm_file;
struct sundog_client;
struct sundog_file_resv;
struct sundog_quota;

/**
 * struct sundog_file - what an open DRM file has
 */
struct sundog_file {
	/** @resources: struct sundog_res by the place in its id, see sundog_res.c */
	struct xarray resources;
	/** @n_res_ids: ids that the file ever got */
	atomic64_t n_res_ids;
	/** @resv: reservation of its PRIVATE allocations */
	struct sundog_file_resv *resv;
	/** @reslists: struct sundog_reslist by id, see sundog_reslist.c */
	struct xarray reslists;
	/** @contexts: struct sundog_context by context id */
	struct xarray contexts;
	/** @contexts_next: where the search for the next context id starts */
	u32 contexts_next;
	/** @quota: what the file has, and its user */
	struct sundog_quota *quota;
	/** @client: the file's client on the device, NULL before its first context */
	struct sundog_client *client;
	/** @busy_ns: how long clients worked that it had before; protected by @lock */
	u64 busy_ns;
	/** @lock: protects @client; keeps faults on status pages apart from their removal */
	struct mutex lock;
};

/**
 * struct sundog_array - an array argument of an ioctl
 */
struct sundog_array {
	/** @ptr: user pointer to the first element */
	u64 ptr;
	/** @n: elements */
	u32 n;
	/** @stride: bytes from element to element */
	u32 stride;
};

#define SUNDOG_N_IOCTLS		(DRM_SUNDOG_RESLIST_DESTROY + 1)

extern const struct drm_ioctl_desc sundog_ioctls[SUNDOG_N_IOCTLS];

int sundog_array_copy(const struct sundog_array *array, void *elements, size_t size);
void *sundog_array_read(const struct sundog_array *array, size_t size, u32 max);
int sundog_array_write(const struct sundog_array *array, u32 i, const void *element, size_t size);

#endif
