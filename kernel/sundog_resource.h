/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_RESOURCE_H_
#define _SUNDOG_RESOURCE_H_

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct sundog_array;
struct sundog_batch;
struct sundog_bo;
struct sundog_device;
struct sundog_private;
struct sundog_quota;

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
struct sundog_resource *sundog_resource_create(struct sundog_device *sdev, bool shared,
					       struct sundog_private *priv);
struct sundog_resource *sundog_resource_of(struct sundog_bo *bo);
void sundog_resource_hold(struct sundog_resource *resource);
void sundog_resource_put(struct sundog_resource *resource);
void sundog_resource_put_charged(struct sundog_resource *resource, struct sundog_quota *quota,
				 u32 n);
int sundog_resource_attach(struct sundog_resource *resource, struct sundog_batch *batch);
void sundog_resource_publish(struct sundog_resource *resource);
void sundog_resource_take_back(struct sundog_resource *resource, struct sundog_batch *batch);
void sundog_resource_detach_one(struct sundog_resource *resource, struct sundog_bo *bo);
int sundog_resource_collect(struct sundog_resource *resource, struct sundog_batch *batch,
			    const struct sundog_array *array);

#endif
