/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_TENANT_H_
#define _SUNDOG_TENANT_H_

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include <drm/drm_mm.h>

struct sundog_extents;

/**
 * struct sundog_tenant - who has extents of VRAM: a DRM file, or all of them together
 *
 * Lives on without its file for as long as an allocation of it does, or an extent is its.
 */
struct sundog_tenant {
	/** @refs: held by the quota of the file and by each of its extents */
	refcount_t refs;
	/** @ex: VRAM */
	struct sundog_extents *ex;
	/** @node: in @ex->tenants */
	struct list_head node;
	/** @client: whose worker may map the extents; 0: nobody's */
	u32 client;
	/** @was_mapped: @client was not always 0 */
	bool was_mapped;
	/** @mm: all of VRAM; what is not in its extents is in use */
	struct drm_mm mm;
	/** @gap: what keeps it from VRAM before its first extent */
	struct drm_mm_node gap;
	/** @n_owned: how many extents it has */
	u32 n_owned;
	/** @owned: which */
	unsigned long owned[];
};

/**
 * sundog_tenant_get() - take a reference
 * @tenant: tenant
 */
static inline void sundog_tenant_get(struct sundog_tenant *tenant)
{
	refcount_inc(&tenant->refs);
}

struct sundog_tenant *sundog_tenant_create(struct sundog_extents *ex);
void sundog_tenant_put(struct sundog_tenant *tenant);
void sundog_tenant_put_locked(struct sundog_tenant *tenant);
void sundog_tenant_add_extent(struct sundog_tenant *tenant, u32 extent);
void sundog_tenant_remove_extent(struct sundog_tenant *tenant, u32 extent);

#endif
