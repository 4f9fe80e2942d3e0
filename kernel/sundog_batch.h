/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_BATCH_H_
#define _SUNDOG_BATCH_H_

#include <linux/types.h>

#include "uapi/sundog_drm.h"

#include "sundog_array.h"

struct drm_file;
struct sundog_bo;
struct sundog_private;
struct sundog_tenant;

/* So many allocations need no memory for a batch of them. */
#define SUNDOG_BATCH_FEW	4

/**
 * struct sundog_batch - allocations that one call makes, opens or frees
 */
struct sundog_batch {
	/** @array: the call's argument */
	struct sundog_array array;
	/** @descs: a copy of its elements; there are none after sundog_batch_lookup() */
	struct drm_sundog_alloc_desc *descs;
	/** @bos: the allocations, each with a reference */
	struct sundog_bo **bos;
	/** @n: how many there are */
	u32 n;
	/** @first: the resource got its kernel handle for them */
	bool first;
	/** @few_descs: room for @descs */
	struct drm_sundog_alloc_desc few_descs[SUNDOG_BATCH_FEW];
	/** @few_bos: room for @bos */
	struct sundog_bo *few_bos[SUNDOG_BATCH_FEW];
};

struct sundog_private *sundog_private_read(u64 ptr, u32 size);
int sundog_private_write(const struct sundog_private *priv, u64 ptr, u32 *size);

int sundog_batch_init(struct sundog_batch *batch, const struct sundog_array *array);
int sundog_batch_create(struct sundog_batch *batch, struct drm_file *file,
			struct sundog_tenant *tenant, const struct sundog_array *array, u32 flags,
			u32 n_more);
int sundog_batch_lookup(struct sundog_batch *batch, struct drm_file *file, const u32 *handles,
			u32 n);
int sundog_batch_check_open(const struct sundog_batch *batch);
int sundog_batch_publish(struct sundog_batch *batch, struct drm_file *file);
int sundog_batch_publish_open(struct sundog_batch *batch, struct drm_file *file,
			      const struct sundog_private *priv, u64 ptr, u32 *size);
void sundog_batch_fini(struct sundog_batch *batch);

#endif
