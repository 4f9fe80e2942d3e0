// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Resources: groups of allocations under one kernel handle, and who holds them.
 *
 * Two locks, taken in this order:
 *  - a resource's lock: which allocations it has. Released before GEM handles are made or closed,
 *    because that takes locks which are held around our export hook.
 *  - owner_lock, a spinlock of the device: who owns an allocation, how many holders a resource has.
 *
 * Nothing here waits for the device. Memory that jobs still use outlives its handles, see
 * sundog_bo.h.
 */

#include <linux/bitmap.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include "uapi/sundog_drm.h"

#include "sundog_batch.h"
#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_quota.h"
#include "sundog_resource.h"
#include "sundog_stats.h"

/**
 * sundog_resource_hold() - add a holder
 * @resource: resource that has holders; the caller has owner_lock
 */
void sundog_resource_hold(struct sundog_resource *resource)
{
	lockdep_assert_held(&resource->sdev->owner_lock);
	resource->holders++;
}

/* The bond between a resource and an allocation, from the allocation's side. */
static void sundog_resource_set_owner(struct sundog_bo *bo, struct sundog_resource *owner,
				      u64 name)
{
	lockdep_assert_held(&sundog_bo_device(bo)->owner_lock);
	bo->owner = owner;
	WRITE_ONCE(bo->name, name);
	sundog_bo_changed(bo);
}

/* An allocation may have handles that outlive its resource; nobody finds the resource by them. */
static void sundog_resource_disown(struct sundog_resource *resource)
{
	struct sundog_bo *bo;

	lockdep_assert_held(&resource->sdev->owner_lock);
	list_for_each_entry(bo, &resource->allocs, in_owner)
		sundog_resource_set_owner(bo, NULL, 0);
}

static void sundog_resource_free_kres(struct sundog_resource *resource)
{
	struct sundog_device *sdev = resource->sdev;

	if (!resource->kres)
		return;
	ida_free(&sdev->kres_ids, resource->kres);
	this_cpu_dec(sdev->stats->kres);
	resource->kres = 0;
}

/* Nobody holds it any more, and no allocation points to it. */
static void sundog_resource_free(struct sundog_resource *resource)
{
	struct sundog_device *sdev = resource->sdev;
	struct sundog_bo *bo, *next;

	list_for_each_entry_safe(bo, next, &resource->allocs, in_owner)
		sundog_bo_put(bo);
	sundog_resource_free_kres(resource);
	this_cpu_dec(sdev->stats->resources);
	mutex_destroy(&resource->lock);
	kfree(resource->priv);
	kfree(resource);
}

/*
 * Gives back what a res id was charged. An allocation of the same file that has lost its owner
 * takes that along, which is one operation less for each who counts; mostly it goes at once. Where
 * others hold it, by handles or in jobs, the file has one object more until they are done.
 */
static void sundog_resource_uncharge(struct sundog_resource *resource, struct sundog_quota *quota,
				     u32 n, bool last)
{
	struct sundog_bo *bo = last ? list_first_entry_or_null(&resource->allocs, struct sundog_bo,
							       in_owner) : NULL;

	if (n == 1 && bo && bo->quota == quota)
		bo->n_charged++;
	else
		sundog_quota_uncharge(quota, n, 0);
}

/**
 * sundog_resource_put_charged() - drop a holder; the last one releases kres and every allocation
 * @resource: resource
 * @quota: what the holder was charged to, which gets it back; NULL: nobody
 * @n: how many objects that was
 */
void sundog_resource_put_charged(struct sundog_resource *resource, struct sundog_quota *quota,
				 u32 n)
{
	struct sundog_device *sdev = resource->sdev;
	bool last;

	might_sleep();
	spin_lock(&sdev->owner_lock);
	last = !--resource->holders;
	/* Before anybody else gets the lock, who could find it again and hold it. */
	if (last)
		sundog_resource_disown(resource);
	spin_unlock(&sdev->owner_lock);
	if (quota)
		sundog_resource_uncharge(resource, quota, n, last);
	if (last)
		sundog_resource_free(resource);
}

/**
 * sundog_resource_put() - drop a holder that nothing was charged for
 * @resource: resource
 */
void sundog_resource_put(struct sundog_resource *resource)
{
	sundog_resource_put_charged(resource, NULL, 0);
}

/**
 * sundog_resource_create() - make a resource without allocations
 * @sdev: device
 * @shared: it can be opened
 * @priv: private data, which becomes its own, or NULL
 *
 * Return: the resource, of which the caller is the holder, or NULL.
 */
struct sundog_resource *sundog_resource_create(struct sundog_device *sdev, bool shared,
					       struct sundog_private *priv)
{
	struct sundog_resource *resource = kzalloc(sizeof(*resource), GFP_KERNEL_ACCOUNT);

	if (!resource)
		return NULL;
	resource->sdev = sdev;
	resource->holders = 1;
	resource->shared = shared;
	resource->priv = priv;
	mutex_init(&resource->lock);
	INIT_LIST_HEAD(&resource->allocs);
	this_cpu_inc(sdev->stats->resources);
	return resource;
}

static int sundog_resource_need_kres(struct sundog_resource *resource)
{
	struct sundog_device *sdev = resource->sdev;
	int id;

	lockdep_assert_held(&resource->lock);
	if (resource->kres)
		return 0;
	id = ida_alloc_min(&sdev->kres_ids, 1, GFP_KERNEL);
	if (id < 0)
		return -ENOMEM;
	resource->kres = id;
	this_cpu_inc(sdev->stats->kres);
	return 0;
}

/* No index is used again before all were: a stale stream does not name somebody else. */
static int sundog_resource_new_index(struct sundog_resource *resource)
{
	DECLARE_BITMAP(used, DRM_SUNDOG_MAX_ALLOCS);
	struct sundog_bo *bo;
	u32 index;

	lockdep_assert_held(&resource->lock);
	if (resource->n_indices < DRM_SUNDOG_MAX_ALLOCS)
		return resource->n_indices++;
	bitmap_zero(used, DRM_SUNDOG_MAX_ALLOCS);
	list_for_each_entry(bo, &resource->allocs, in_owner)
		__set_bit(lower_32_bits(bo->name), used);
	index = find_first_zero_bit(used, DRM_SUNDOG_MAX_ALLOCS);
	return index < DRM_SUNDOG_MAX_ALLOCS ? index : -EINVAL;
}

static int sundog_resource_attach_one(struct sundog_resource *resource, struct sundog_bo *bo)
{
	struct sundog_device *sdev = resource->sdev;
	int index = sundog_resource_new_index(resource);

	if (index < 0)
		return index;
	drm_gem_object_get(&bo->tbo.base);
	list_add_tail(&bo->in_owner, &resource->allocs);
	resource->n_allocs++;
	spin_lock(&sdev->owner_lock);
	sundog_resource_set_owner(bo, resource, (u64)resource->kres << 32 | index);
	spin_unlock(&sdev->owner_lock);
	return 0;
}

/**
 * sundog_resource_detach_one() - let an allocation go its own way
 * @resource: resource; the caller has its lock
 * @bo: allocation
 *
 * Its dma-bufs go with it. Does nothing if it did so already.
 */
void sundog_resource_detach_one(struct sundog_resource *resource, struct sundog_bo *bo)
{
	struct sundog_device *sdev = resource->sdev;

	lockdep_assert_held(&resource->lock);
	spin_lock(&sdev->owner_lock);
	if (bo->owner != resource) {
		spin_unlock(&sdev->owner_lock);
		return;
	}
	sundog_resource_set_owner(bo, NULL, 0);
	resource->holders -= bo->n_dma_bufs;
	spin_unlock(&sdev->owner_lock);

	list_del(&bo->in_owner);
	resource->n_allocs--;
	sundog_bo_put(bo);
}

/* Takes the first @n of a batch back, as if they had not been attached. */
static void sundog_resource_detach(struct sundog_resource *resource, struct sundog_batch *batch,
				   u32 n)
{
	u32 index;

	while (n--) {
		index = lower_32_bits(batch->bos[n]->name);
		sundog_resource_detach_one(resource, batch->bos[n]);
		if (index + 1 == resource->n_indices)
			resource->n_indices--;
	}
	if (batch->first && !resource->n_allocs)
		sundog_resource_free_kres(resource);
}

/**
 * sundog_resource_attach() - give a batch to a resource; this seals a shared one
 * @resource: resource
 * @batch: new allocations
 *
 * Return: 0, -EBUSY if it is sealed, or another negative error code; then nothing has changed.
 */
int sundog_resource_attach(struct sundog_resource *resource, struct sundog_batch *batch)
{
	u32 i;
	int ret;

	if (!batch->n)
		return 0;
	mutex_lock(&resource->lock);
	ret = resource->shared && resource->n_allocs ? -EBUSY : 0;
	batch->first = !resource->kres;
	if (!ret)
		ret = sundog_resource_need_kres(resource);
	for (i = 0; !ret && i < batch->n; i++) {
		ret = sundog_resource_attach_one(resource, batch->bos[i]);
		if (ret)
			sundog_resource_detach(resource, batch, i);
	}
	mutex_unlock(&resource->lock);
	return ret;
}

/**
 * sundog_resource_publish() - nothing of what sundog_resource_attach() did will be undone
 * @resource: resource with allocations
 */
void sundog_resource_publish(struct sundog_resource *resource)
{
	/* Pairs with sundog_resource_of(): who may open it sees all that was done to it. */
	smp_store_release(&resource->published, true);
}

/**
 * sundog_resource_take_back() - undo sundog_resource_attach()
 * @resource: resource
 * @batch: what it was given
 */
void sundog_resource_take_back(struct sundog_resource *resource, struct sundog_batch *batch)
{
	mutex_lock(&resource->lock);
	sundog_resource_detach(resource, batch, batch->n);
	mutex_unlock(&resource->lock);
}

/**
 * sundog_resource_of() - find the shared resource that owns an allocation
 * @bo: allocation
 *
 * Its GEM handles can be guessed before the call that makes them is done.
 *
 * Return: the resource with a holder for the caller, or NULL.
 */
struct sundog_resource *sundog_resource_of(struct sundog_bo *bo)
{
	struct sundog_device *sdev = sundog_bo_device(bo);
	struct sundog_resource *resource;

	spin_lock(&sdev->owner_lock);
	resource = bo->owner;
	/* Pairs with sundog_resource_publish(). */
	if (resource && resource->shared && smp_load_acquire(&resource->published))
		sundog_resource_hold(resource);
	else
		resource = NULL;
	spin_unlock(&sdev->owner_lock);
	return resource;
}

/**
 * sundog_resource_collect() - a batch of all allocations of a resource
 * @resource: resource
 * @batch: to be initialised
 * @array: descriptions in user space, one for each allocation
 *
 * Return: 0, -EINVAL if they are more, or another negative error code; then there is nothing to
 * undo.
 */
int sundog_resource_collect(struct sundog_resource *resource, struct sundog_batch *batch,
			    const struct sundog_array *array)
{
	struct sundog_bo *bo;
	int ret;

	ret = sundog_batch_init(batch, array);
	if (ret)
		return ret;
	mutex_lock(&resource->lock);
	list_for_each_entry(bo, &resource->allocs, in_owner) {
		if (batch->n == array->n)
			break;
		drm_gem_object_get(&bo->tbo.base);
		batch->bos[batch->n++] = bo;
	}
	ret = batch->n < resource->n_allocs ? -EINVAL : 0;
	mutex_unlock(&resource->lock);
	if (ret)
		sundog_batch_fini(batch);
	return ret;
}

static void sundog_resource_fini(struct drm_device *drm, void *arg)
{
	struct sundog_device *sdev = to_sundog_device(drm);

	drm_WARN_ON(drm, !ida_is_empty(&sdev->kres_ids));
	ida_destroy(&sdev->kres_ids);
}

/**
 * sundog_resource_init() - set up kernel resource handles
 * @sdev: device
 *
 * Return: 0 or a negative error code.
 */
int sundog_resource_init(struct sundog_device *sdev)
{
	spin_lock_init(&sdev->owner_lock);
	ida_init(&sdev->kres_ids);
	return drmm_add_action_or_reset(&sdev->drm, sundog_resource_fini, NULL);
}
