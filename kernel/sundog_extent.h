/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_EXTENT_H_
#define _SUNDOG_EXTENT_H_

#include <linux/jiffies.h>
#include <linux/types.h>

#include "sundog_extent_types.h"

struct drm_printer;
struct sundog_device;
struct sundog_tenant;

/** SUNDOG_EXTENT_DELAY - how long what is free is kept for whoever wants some next, in jiffies */
#define SUNDOG_EXTENT_DELAY	(HZ / 2)

struct sundog_extents *sundog_extents_create(struct sundog_device *sdev);
void sundog_extents_clear_table(struct sundog_extents *ex);
void sundog_extents_destroy(struct sundog_extents *ex);
int sundog_extents_insert(struct sundog_extents *ex, struct sundog_range *range,
			  struct sundog_tenant *tenant, u64 pages);
bool sundog_extents_take(struct sundog_extents *ex, const struct sundog_range *range,
			 struct sundog_tenant *tenant, u64 pages, bool may_revoke);
bool sundog_extents_take_all(struct sundog_extents *ex, struct sundog_tenant *tenant);
void sundog_extents_share_rest(struct sundog_extents *ex, struct sundog_tenant *tenant);
bool sundog_extents_are_promised(const struct sundog_extents *ex);
void sundog_extents_remove(struct sundog_extents *ex, struct sundog_range *range);
void sundog_extents_revoked(struct sundog_extents *ex, u32 extent);
bool sundog_extents_age(struct sundog_extents *ex);
u32 sundog_extents_hold_dirty(struct sundog_extents *ex, const struct sundog_tenant *tenant,
			      u32 *first, u32 max);
void sundog_extents_return_clean(struct sundog_extents *ex, u32 first, u32 n);
void sundog_extents_set_client(struct sundog_tenant *tenant, u32 client);
void sundog_extents_print(struct sundog_extents *ex, struct drm_printer *p);

#endif
