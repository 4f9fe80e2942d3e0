/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
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
 * struct sundog_file - what an open DRM file has
 */
struct sundog_file {
	/** @resources: struct sundog_res by the place in its id, see sundog_resource.c */
	struct xarray resources;
	/** @handles_lock: protects @opens and the GEM handles that res ids brought */
	struct mutex handles_lock;
	/** @opens: the struct sundog_res of a kres, see sundog_resource.c */
	struct xarray opens;
	/** @closing: the file closes, nobody calls any more */
	bool closing;
	/** @n_res_ids: ids that the file ever got */
	atomic64_t n_res_ids;
	/** @resv: reservation of its PRIVATE allocations */
	struct sundog_file_resv *resv;
	/** @reslists: struct sundog_reslist by id, see sundog_reslist.c */
	struct xarray reslists;
	/** @contexts: struct sundog_context by context id */
	struct xarray contexts;
	/** @quota: what the file has, and its user */
	struct sundog_quota *quota;
	/** @client: the file's client on the device, NULL before its first context */
	struct sundog_client *client;
	/** @vram_owner: the file, as one who has VRAM; constant, lives as @quota does */
	struct sundog_vram_owner *vram_owner;
	/** @busy_ns: how long clients worked that it had before; protected by @lock */
	u64 busy_ns;
	/** @lock: protects @client; keeps faults on status pages apart from their removal */
	struct mutex lock;
};

#endif
