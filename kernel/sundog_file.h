/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* struct sundog_file: an open DRM file and what it owns. */
#ifndef _SUNDOG_FILE_H_
#define _SUNDOG_FILE_H_

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct sundog_client;
struct sundog_file_resv;
struct sundog_quota;
struct sundog_vram_owner;

/**
 * struct sundog_file - an open DRM file
 */
struct sundog_file {
	/** @resources: struct sundog_res by the index in its id, see sundog_resource.c */
	struct xarray resources;
	/** @handles_lock: protects @opens and the GEM handles that came with res ids */
	struct mutex handles_lock;
	/** @opens: list of struct sundog_res by kres, see sundog_resource.c */
	struct xarray opens;
	/** @closing: release has begun, so no ioctl runs any more */
	bool closing;
	/** @n_res_ids: number of res ids that were ever assigned */
	atomic64_t n_res_ids;
	/** @resv: dma_resv that the PRIVATE allocations of the file share */
	struct sundog_file_resv *resv;
	/** @reslists: struct sundog_reslist by id, see sundog_reslist.c */
	struct xarray reslists;
	/** @contexts: struct sundog_context by context id */
	struct xarray contexts;
	/** @quota: charges of the file and of its user */
	struct sundog_quota *quota;
	/** @client: client on the device, NULL before the first context; protected by @lock */
	struct sundog_client *client;
	/** @vram_owner: VRAM owner of the file; constant, lives as long as @quota */
	struct sundog_vram_owner *vram_owner;
	/** @busy_ns: busy time of earlier clients of the file, in ns; protected by @lock */
	u64 busy_ns;
	/** @lock: protects @client; serializes faults on status pages and their removal */
	struct mutex lock;
};

#endif
