// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tenants: who has which extents of VRAM, and what is free in them.
 *
 * A DRM file is a tenant: its worker maps the file's extents, and only what the file allocated is
 * in them. One more has what several files share from the start.
 *
 * The mm of a tenant covers all of VRAM, so that a range may cross from one of its extents to the
 * next. What is not the tenant's counts as used: a gap before its first extent and one after each,
 * up to the next, where there is something in between.
 */

#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "sundog_extent_types.h"
#include "sundog_tenant.h"

static void sundog_tenant_set_gap(struct sundog_tenant *tenant, struct drm_mm_node *gap,
				  u32 first, u32 past)
{
	const u32 shift = tenant->ex->shift;

	if (drm_mm_node_allocated(gap))
		drm_mm_remove_node(gap);
	if (first == past)
		return;
	gap->start = (u64)first << shift;
	gap->size = (u64)(past - first) << shift;
	/* Nobody else is there. */
	WARN_ON(drm_mm_reserve_node(&tenant->mm, gap));
}

/* The gap that ends where the extent begins, or is around it, and where that gap begins. */
static struct drm_mm_node *sundog_tenant_gap_before(struct sundog_tenant *tenant, u32 extent,
						    u32 *first)
{
	unsigned long last = find_last_bit(tenant->owned, extent);

	*first = last < extent ? last + 1 : 0;
	return *first ? &tenant->ex->extents[last].gap : &tenant->gap;
}

/**
 * sundog_tenant_add_extent() - an extent is the tenant's from now on
 * @tenant: tenant; the caller has the lock of its extents
 * @extent: extent that nobody has
 */
void sundog_tenant_add_extent(struct sundog_tenant *tenant, u32 extent)
{
	struct sundog_extents *ex = tenant->ex;
	u32 next = find_next_bit(tenant->owned, ex->n, extent);
	struct drm_mm_node *before;
	u32 first;

	lockdep_assert_held(&ex->lock);
	before = sundog_tenant_gap_before(tenant, extent, &first);
	sundog_tenant_set_gap(tenant, before, first, extent);
	sundog_tenant_set_gap(tenant, &ex->extents[extent].gap, extent + 1, next);
	__set_bit(extent, tenant->owned);
	tenant->n_owned++;
}

/**
 * sundog_tenant_remove_extent() - an extent is the tenant's no more
 * @tenant: tenant; the caller has the lock of its extents
 * @extent: one of its, without ranges
 */
void sundog_tenant_remove_extent(struct sundog_tenant *tenant, u32 extent)
{
	struct sundog_extents *ex = tenant->ex;
	u32 next = find_next_bit(tenant->owned, ex->n, extent + 1);
	struct drm_mm_node *before;
	u32 first;

	lockdep_assert_held(&ex->lock);
	before = sundog_tenant_gap_before(tenant, extent, &first);
	sundog_tenant_set_gap(tenant, &ex->extents[extent].gap, 0, 0);
	sundog_tenant_set_gap(tenant, before, first, next);
	__clear_bit(extent, tenant->owned);
	tenant->n_owned--;
}

/**
 * sundog_tenant_create() - a tenant without extents
 * @ex: VRAM
 *
 * Return: the tenant with a reference, or NULL without memory.
 */
struct sundog_tenant *sundog_tenant_create(struct sundog_extents *ex)
{
	struct sundog_tenant *tenant;

	tenant = kzalloc(struct_size(tenant, owned, BITS_TO_LONGS(ex->n)), GFP_KERNEL_ACCOUNT);
	if (!tenant)
		return NULL;
	refcount_set(&tenant->refs, 1);
	tenant->ex = ex;
	drm_mm_init(&tenant->mm, 0, (u64)ex->n << ex->shift);
	sundog_tenant_set_gap(tenant, &tenant->gap, 0, ex->n);
	spin_lock(&ex->lock);
	list_add_tail(&tenant->node, &ex->tenants);
	spin_unlock(&ex->lock);
	return tenant;
}

static void sundog_tenant_free(struct sundog_tenant *tenant)
{
	lockdep_assert_held(&tenant->ex->lock);
	list_del(&tenant->node);
	drm_mm_remove_node(&tenant->gap);
	drm_mm_takedown(&tenant->mm);
	kfree(tenant);
}

/**
 * sundog_tenant_put_locked() - drop a reference
 * @tenant: tenant; the caller has the lock of its extents
 */
void sundog_tenant_put_locked(struct sundog_tenant *tenant)
{
	if (refcount_dec_and_test(&tenant->refs))
		sundog_tenant_free(tenant);
}

/**
 * sundog_tenant_put() - drop a reference
 * @tenant: tenant
 */
void sundog_tenant_put(struct sundog_tenant *tenant)
{
	struct sundog_extents *ex = tenant->ex;

	if (refcount_dec_not_one(&tenant->refs))
		return;
	spin_lock(&ex->lock);
	sundog_tenant_put_locked(tenant);
	spin_unlock(&ex->lock);
}
