// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Resources, their res ids, and the ioctls on resources and allocations.
 *
 * A resource is a group of allocations under one kernel handle (kres). A res id is the user handle
 * of one create or one open of a resource in a DRM file. The functions run in ioctls, in hooks of
 * GEM handles and dma-bufs, and in the close of a file. They may sleep, but for
 * sundog_resource_hold().
 *
 * Locks, taken in this order:
 *  - handles_lock of a file: the GEM handles that came with its res ids.
 *  - lock of a resource: its allocations and its kres. No GEM handle is created or closed under
 *    these two locks: the DRM core then takes locks that it also holds around our export hook.
 *  - owner_lock, a spinlock of the device: the owner of an allocation, the holders of a resource.
 *
 * Nothing here waits for the device, with one exception: creation of a PRIVATE allocation locks the
 * dma_resv of the file, and its holder may wait for the device. Memory that jobs still use outlives
 * its handles, see struct sundog_bo.
 *
 * Names are published last: GEM handles when the allocations are complete and have their owner, the
 * res id when everything else is done. A call that fails undoes its steps.
 */

#include <kunit/visibility.h>
#include <linux/bitmap.h>
#include <linux/dma-buf.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <drm/drm_vma_manager.h>
#include "uapi/sundog_drm.h"

#include "sundog_array.h"
#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_extent.h"
#include "sundog_file.h"
#include "sundog_quota.h"
#include "sundog_resource.h"
#include "sundog_stats.h"

/*
 * GEM handles of res ids
 *
 * RESOURCE_DESTROY closes the GEM handles that came with the res id, except handles that user space
 * has closed: the core reuses such a number, perhaps for the same allocation.
 *
 * &drm_gem_object_funcs.close does not get the number of the handle. The core calls it after it has
 * cleared the slot of the number and before it frees the number. A lookup therefore shows which
 * handle was closed. To find its res id, each file has an xarray of res ids by kres; most resources
 * have one res id per file.
 */

static bool sundog_handle_is_of(struct drm_file *file, u32 handle, const struct sundog_bo *bo)
{
	struct sundog_bo *now = sundog_bo_lookup(file, handle);

	if (now)
		sundog_bo_put(now);
	return now == bo;
}

/*
 * Undoes sundog_handle_track(), if it was called.
 * @res: res id; the caller holds the file's handles_lock.
 */
static void sundog_handle_untrack(struct sundog_res *res)
{
	struct sundog_file *sfile = res->file->driver_priv;
	struct sundog_res *other;

	lockdep_assert_held(&sfile->handles_lock);
	if (!res->kres)
		return;
	other = xa_load(&sfile->opens, res->kres);
	if (other != res) {
		while (other->next_open != res)
			other = other->next_open;
		other->next_open = res->next_open;
	} else if (res->next_open) {
		xa_store(&sfile->opens, res->kres, res->next_open, GFP_KERNEL);
	} else {
		xa_erase(&sfile->opens, res->kres);
	}
	res->kres = 0;
}

/*
 * Lets sundog_handle_closed() find the res id when user space closes one of its handles.
 * @res: res id; the caller holds the file's handles_lock.
 * @kres: kernel handle of its resource.
 */
static int sundog_handle_track(struct sundog_res *res, u32 kres)
{
	struct sundog_file *sfile = res->file->driver_priv;
	struct sundog_res *others;

	lockdep_assert_held(&sfile->handles_lock);
	if (res->kres == kres)
		return 0;
	/* A failed ALLOC frees a new kres again, and leaves @res tracked under it. */
	sundog_handle_untrack(res);
	others = xa_load(&sfile->opens, kres);
	if (xa_is_err(xa_store(&sfile->opens, kres, res, GFP_KERNEL)))
		return -ENOMEM;
	res->next_open = others;
	res->kres = kres;
	return 0;
}

/*
 * Closes a GEM handle if it still names that allocation.
 * @handle: GEM handle, which user space may have closed and reused.
 *
 * The DRM core cannot check and delete in one step: a thread that closes and reuses the handle
 * during this call can lose the new handle. Both handles belong to the same file.
 */
static void sundog_handle_delete(struct drm_file *file, u32 handle, const struct sundog_bo *bo)
{
	if (sundog_handle_is_of(file, handle, bo))
		drm_gem_handle_delete(file, handle);
}

/**
 * sundog_handle_opened() - &drm_gem_object_funcs.open
 * @obj: GEM object that gets a handle
 * @file: DRM file of the handle
 *
 * PRIVATE allocations share the dma_resv of their file, so no other file may have a handle. Another
 * file can try to get one by a global name (GEM_FLINK) only. An import of another driver's dma-buf
 * is charged here, because the import hook does not know the importing file.
 *
 * Return: 0, -EPERM if @obj is PRIVATE and belongs to another file, or -EDQUOT.
 */
int sundog_handle_opened(struct drm_gem_object *obj, struct drm_file *file)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	struct sundog_file *sfile = file->driver_priv;

	if (sundog_bo_is_of_another(bo, sfile->resv))
		return -EPERM;
	return bo->guest && !bo->quota ? sundog_bo_charge_import(bo, sfile->quota) : 0;
}

/**
 * sundog_handle_closed() - &drm_gem_object_funcs.close: remove a closed handle from its res id
 * @obj: GEM object
 * @file: DRM file of the handle
 *
 * GEM_CHANGE_HANDLE does not call this hook. RESOURCE_DESTROY does not close a handle whose number
 * was changed: user space or the close of the file does.
 */
void sundog_handle_closed(struct drm_gem_object *obj, struct drm_file *file)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	struct sundog_file *sfile = file->driver_priv;
	const u64 name = READ_ONCE(bo->name);
	const u32 index = lower_32_bits(name);
	struct sundog_res_handle *handle;
	struct sundog_res *res;

	/* The close of a file closes all handles, then drops the res ids without their handles. */
	if (!name || sfile->closing)
		return;
	mutex_lock(&sfile->handles_lock);
	for (res = xa_load(&sfile->opens, upper_32_bits(name)); res; res = res->next_open) {
		handle = index < res->n_handles ? &res->handles[index] : NULL;
		if (handle && handle->bo == bo && !sundog_handle_is_of(file, handle->handle, bo))
			handle->bo = NULL;
	}
	mutex_unlock(&sfile->handles_lock);
}

/* BO sets: the allocations that one ioctl creates, opens or frees */

/*
 * Copies private data of a new resource or allocation from user space.
 * @ptr: user pointer to the data.
 * @size: bytes of data, or 0 for none.
 *
 * Returns the data, NULL if @size is 0, or an error pointer.
 */
VISIBLE_IF_KUNIT struct sundog_private *sundog_private_read(u64 ptr, u32 size)
{
	struct sundog_private *priv;

	if (!size)
		return NULL;
	if (size > DRM_SUNDOG_MAX_PRIVATE)
		return ERR_PTR(-EINVAL);
	priv = kmalloc_flex(*priv, data, size, GFP_KERNEL_ACCOUNT);
	if (!priv)
		return ERR_PTR(-ENOMEM);
	priv->size = size;
	if (copy_from_user(priv->data, u64_to_user_ptr(ptr), size)) {
		kfree(priv);
		return ERR_PTR(-EFAULT);
	}
	return priv;
}

/*
 * Copies private data to user space, as much as the buffer can hold.
 * @priv: the data, or NULL.
 * @ptr: user pointer to the buffer.
 * @size: in: bytes of the buffer; out: bytes of the data.
 *
 * Returns 0 or -EFAULT.
 */
VISIBLE_IF_KUNIT int sundog_private_write(const struct sundog_private *priv, u64 ptr, u32 *size)
{
	u32 there = priv ? priv->size : 0;
	u32 n = min(*size, there);

	*size = there;
	return n && copy_to_user(u64_to_user_ptr(ptr), priv->data, n) ? -EFAULT : 0;
}

/*
 * Drops the references of a set, and frees its arrays.
 * @set: set.
 */
static void sundog_bo_set_fini(struct sundog_bo_set *set)
{
	u32 i;

	for (i = 0; i < set->n; i++)
		sundog_bo_put(set->bos[i]);
	if (set->bos != set->few_bos)
		kvfree(set->bos);
	if (set->descs != set->few_descs)
		kvfree(set->descs);
}

static int sundog_bo_set_alloc(struct sundog_bo_set *set, u32 n)
{
	set->n = 0;
	set->first = false;
	set->descs = set->few_descs;
	set->bos = set->few_bos;
	if (n > SUNDOG_BO_SET_FEW)
		set->bos = kvmalloc_array(n, sizeof(*set->bos), GFP_KERNEL);
	return set->bos ? 0 : -ENOMEM;
}

/* Allocates the array of descriptions, too. */
static int sundog_bo_set_alloc_described(struct sundog_bo_set *set, u32 n)
{
	int ret = sundog_bo_set_alloc(set, n);

	if (ret || n <= SUNDOG_BO_SET_FEW)
		return ret;
	set->descs = kvmalloc_array(n, sizeof(*set->descs), GFP_KERNEL);
	if (set->descs)
		return 0;
	sundog_bo_set_fini(set);
	return -ENOMEM;
}

/*
 * Initialises an empty set, and copies the descriptions from user space.
 * @set: uninitialised set.
 * @array: array of struct drm_sundog_alloc_desc in user space, one for each allocation.
 *
 * Returns 0 or a negative error code. After an error @set needs no sundog_bo_set_fini().
 */
static int sundog_bo_set_init(struct sundog_bo_set *set, const struct sundog_array *array)
{
	int ret;

	if (array->n > DRM_SUNDOG_MAX_ALLOCS)
		return -EINVAL;
	ret = sundog_bo_set_alloc_described(set, array->n);
	if (ret)
		return ret;
	set->array = *array;
	ret = sundog_array_copy(array, set->descs, sizeof(*set->descs));
	if (ret)
		sundog_bo_set_fini(set);
	return ret;
}

/* Checks all descriptions before the first BO is created, and sums their page-aligned sizes. */
static int sundog_bo_set_check(const struct sundog_bo_set *set, struct sundog_device *sdev,
			       u32 flags, u64 *size)
{
	const struct drm_sundog_alloc_desc *desc;
	u32 i;
	int ret;

	*size = 0;
	for (i = 0; i < set->array.n; i++) {
		desc = &set->descs[i];
		if (desc->flags & ~flags || desc->pad)
			return -EINVAL;
		ret = sundog_bo_check_size(sdev, desc->size);
		if (ret)
			return ret;
		*size += PAGE_ALIGN(desc->size);
	}
	return 0;
}

/* sundog_bo_create() takes over the charge of this BO, and uncharges it if it fails. */
static int sundog_bo_set_create_one(struct sundog_bo_set *set, struct sundog_file *sfile,
				    struct sundog_vram_owner *vram_owner)
{
	const struct drm_sundog_alloc_desc *desc = &set->descs[set->n];
	struct sundog_private *priv;
	struct sundog_bo *bo;

	bo = sundog_bo_create(sfile->quota, vram_owner, desc->size,
			      desc->flags & DRM_SUNDOG_ALLOC_PRIVATE ? sfile->resv : NULL);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	set->bos[set->n++] = bo;
	priv = sundog_private_read(desc->priv, desc->priv_size);
	if (IS_ERR(priv))
		return PTR_ERR(priv);
	bo->priv = priv;
	return 0;
}

/*
 * Creates the allocations of a set.
 * @set: uninitialised set.
 * @vram_owner: VRAM owner of the allocations.
 * @array: array of struct drm_sundog_alloc_desc in user space.
 * @flags: DRM_SUNDOG_ALLOC_* flags that a description may have.
 * @n_more: objects to charge to the file in addition to the allocations.
 *
 * Returns 0 or a negative error code. After an error nothing is charged, and @set needs no
 * sundog_bo_set_fini().
 */
static int sundog_bo_set_create(struct sundog_bo_set *set, struct drm_file *file,
				struct sundog_vram_owner *vram_owner,
				const struct sundog_array *array, u32 flags, u32 n_more)
{
	struct sundog_file *sfile = file->driver_priv;
	u64 size;
	u32 i;
	int ret;

	ret = sundog_bo_set_init(set, array);
	if (ret)
		return ret;
	ret = sundog_bo_set_check(set, sfile->quota->sdev, flags, &size);
	if (!ret)
		ret = sundog_quota_charge(sfile->quota, array->n + n_more, size);
	if (ret)
		goto err_fini;
	for (i = 0; !ret && i < array->n; i++) {
		size -= PAGE_ALIGN(set->descs[i].size);
		ret = sundog_bo_set_create_one(set, sfile, vram_owner);
	}
	if (!ret)
		return 0;
	sundog_quota_uncharge(sfile->quota, array->n - i + n_more, size);
err_fini:
	sundog_bo_set_fini(set);
	return ret;
}

static void sundog_bo_set_describe(struct sundog_bo_set *set, u32 i)
{
	struct drm_sundog_alloc_desc *desc = &set->descs[i];
	struct sundog_bo *bo = set->bos[i];

	desc->size = bo->tbo.base.size;
	desc->map_offset = drm_vma_node_offset_addr(&bo->tbo.base.vma_node);
	desc->index = lower_32_bits(READ_ONCE(bo->name));
	desc->device_handle = bo->handle;
}

static void sundog_bo_set_close(struct sundog_bo_set *set, struct drm_file *file, u32 n)
{
	while (n--)
		sundog_handle_delete(file, set->descs[n].handle, set->bos[n]);
}

static int sundog_bo_set_make_handles(struct sundog_bo_set *set, struct drm_file *file)
{
	u32 i;
	int ret;

	for (i = 0; i < set->n; i++) {
		sundog_bo_set_describe(set, i);
		ret = drm_gem_handle_create(file, &set->bos[i]->tbo.base,
					    &set->descs[i].handle);
		if (ret) {
			sundog_bo_set_close(set, file, i);
			return ret;
		}
	}
	return 0;
}

static int sundog_bo_set_write_descs(const struct sundog_bo_set *set)
{
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < set->n; i++)
		ret = sundog_array_write(&set->array, i, &set->descs[i],
					 sizeof(set->descs[i]));
	return ret;
}

/*
 * Checks the descriptions that RESOURCE_OPEN got from user space.
 *
 * Returns 0, or -EINVAL if fields that must be zero are not.
 */
static int sundog_bo_set_check_open(const struct sundog_bo_set *set)
{
	u32 i;

	for (i = 0; i < set->array.n; i++)
		if (set->descs[i].flags || set->descs[i].pad)
			return -EINVAL;
	return 0;
}

static int sundog_bo_set_write_privates(struct sundog_bo_set *set)
{
	struct drm_sundog_alloc_desc *desc;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < set->n; i++) {
		desc = &set->descs[i];
		ret = sundog_private_write(set->bos[i]->priv, desc->priv, &desc->priv_size);
	}
	return ret;
}

/*
 * Creates GEM handles for a set, and writes its descriptions to user space. RESOURCE_OPEN also
 * passes @size, and gets the private data of the resource and of its allocations.
 * @priv: private data of the resource, or NULL.
 * @ptr: user pointer to the buffer for @priv.
 * @size: in: bytes of that buffer; out: bytes of @priv; NULL: write no private data.
 *
 * Returns 0 or a negative error code. After an error no handle exists; only -EFAULT may leave user
 * memory partly written.
 */
static int sundog_bo_set_publish(struct sundog_bo_set *set, struct drm_file *file,
				 const struct sundog_private *priv, u64 ptr, u32 *size)
{
	int ret = sundog_bo_set_make_handles(set, file);

	if (ret)
		return ret;
	if (size)
		ret = sundog_private_write(priv, ptr, size) ?: sundog_bo_set_write_privates(set);
	if (!ret)
		ret = sundog_bo_set_write_descs(set);
	if (ret)
		sundog_bo_set_close(set, file, set->n);
	return ret;
}

/*
 * Looks up the allocations of GEM handles.
 * @set: uninitialised set; it gets no descriptions, so it cannot be published.
 * @handles: GEM handles.
 *
 * Returns 0, -ENOENT or -ENOMEM. After an error @set needs no sundog_bo_set_fini().
 */
static int sundog_bo_set_lookup(struct sundog_bo_set *set, struct drm_file *file,
				const u32 *handles, u32 n)
{
	int ret = sundog_bo_set_alloc(set, n);

	if (ret)
		return ret;
	while (set->n < n) {
		set->bos[set->n] = sundog_bo_lookup(file, handles[set->n]);
		if (!set->bos[set->n]) {
			sundog_bo_set_fini(set);
			return -ENOENT;
		}
		set->n++;
	}
	return 0;
}

/* Resources */

/**
 * sundog_resource_hold() - add a holder
 * @resource: resource that has holders; the caller holds owner_lock
 */
void sundog_resource_hold(struct sundog_resource *resource)
{
	lockdep_assert_held(&resource->sdev->owner_lock);
	resource->holders++;
}

/* Sets the pointer to the resource, which is no reference, and the name (kres << 32 | index). */
static void sundog_resource_set_owner(struct sundog_bo *bo, struct sundog_resource *owner,
				      u64 name)
{
	lockdep_assert_held(&sundog_bo_device(bo)->owner_lock);
	bo->owner = owner;
	WRITE_ONCE(bo->name, name);
	sundog_bo_changed(bo);
}

/* GEM handles may outlive the resource, so their allocations must not point to it any more. */
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

/* Frees a resource without holders, to which no allocation points. */
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
 * Ends the charge of a res id. If the resource ends, too, the charge of a single object moves to an
 * allocation of the same file. This saves an atomic operation on the quotas of file and user.
 * Usually this allocation is freed next. While handles or jobs hold it, the file is charged for one
 * object more.
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

/*
 * Drops a holder; the last one frees kres and drops the references to all allocations.
 * @quota: quota that the holder is charged to, or NULL.
 * @n: number of objects that are charged for the holder.
 */
static void sundog_resource_put_charged(struct sundog_resource *resource,
					struct sundog_quota *quota, u32 n)
{
	struct sundog_device *sdev = resource->sdev;
	bool last;

	might_sleep();
	spin_lock(&sdev->owner_lock);
	last = !--resource->holders;
	/* Under the lock: otherwise another thread could find the resource and become a holder. */
	if (last)
		sundog_resource_disown(resource);
	spin_unlock(&sdev->owner_lock);
	if (quota)
		sundog_resource_uncharge(resource, quota, n, last);
	if (last)
		sundog_resource_free(resource);
}

/**
 * sundog_resource_put() - drop a holder that is not charged to a quota; may sleep
 * @resource: resource
 */
void sundog_resource_put(struct sundog_resource *resource)
{
	sundog_resource_put_charged(resource, NULL, 0);
}

/*
 * Creates a resource without allocations.
 * @shared: whether RESOURCE_OPEN can open it.
 * @priv: private data or NULL; on success the resource takes it over.
 *
 * Returns the resource with one holder, the caller, or NULL without memory.
 */
VISIBLE_IF_KUNIT
struct sundog_resource *sundog_resource_create(struct sundog_device *sdev, bool shared,
					       struct sundog_private *priv)
{
	struct sundog_resource *resource = kzalloc_obj(*resource, GFP_KERNEL_ACCOUNT);

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
	/* 1 is reserved in sundog_file.opens. */
	id = ida_alloc_min(&sdev->kres_ids, 2, GFP_KERNEL);
	if (id < 0)
		return -ENOMEM;
	resource->kres = id;
	this_cpu_inc(sdev->stats->kres);
	return 0;
}

/* Reuses an index only when all were used, so that a stale stream names no other allocation. */
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

/*
 * Removes an allocation from its resource, and drops the reference of the resource.
 * @resource: resource; the caller holds its lock.
 *
 * The dma-bufs of the allocation are no holders of the resource any more. Does nothing if @resource
 * does not own @bo.
 */
VISIBLE_IF_KUNIT
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

/* Undoes the attach of the first @n allocations of a set: frees their indices, and a new kres. */
static void sundog_resource_detach(struct sundog_resource *resource, struct sundog_bo_set *set,
				   u32 n)
{
	u32 index;

	while (n--) {
		index = lower_32_bits(set->bos[n]->name);
		sundog_resource_detach_one(resource, set->bos[n]);
		if (index + 1 == resource->n_indices)
			resource->n_indices--;
	}
	if (set->first && !resource->n_allocs)
		sundog_resource_free_kres(resource);
}

/*
 * Adds a set to a resource; this seals a shared resource.
 * @set: new allocations; the resource takes a reference to each.
 *
 * Returns 0, -EBUSY if the resource is sealed, or another negative error code. After an error
 * nothing has changed.
 */
VISIBLE_IF_KUNIT
int sundog_resource_attach(struct sundog_resource *resource, struct sundog_bo_set *set)
{
	u32 i;
	int ret;

	if (!set->n)
		return 0;
	mutex_lock(&resource->lock);
	ret = resource->shared && resource->n_allocs ? -EBUSY : 0;
	set->first = !resource->kres;
	if (!ret)
		ret = sundog_resource_need_kres(resource);
	for (i = 0; !ret && i < set->n; i++) {
		ret = sundog_resource_attach_one(resource, set->bos[i]);
		if (ret)
			sundog_resource_detach(resource, set, i);
	}
	mutex_unlock(&resource->lock);
	return ret;
}

/*
 * Allows RESOURCE_OPEN of a shared resource. sundog_resource_attach() must not be undone any more.
 * @resource: resource with allocations.
 */
VISIBLE_IF_KUNIT void sundog_resource_publish(struct sundog_resource *resource)
{
	/* Pairs with sundog_resource_of(): an opener sees all earlier changes of the resource. */
	smp_store_release(&resource->published, true);
}

/*
 * Undoes sundog_resource_attach().
 * @set: set that was attached.
 */
static void sundog_resource_rollback(struct sundog_resource *resource, struct sundog_bo_set *set)
{
	mutex_lock(&resource->lock);
	sundog_resource_detach(resource, set, set->n);
	mutex_unlock(&resource->lock);
}

/*
 * Finds the shared resource that owns an allocation.
 *
 * User space can guess and export a GEM handle while the ioctl that creates it still runs. An
 * unpublished resource is therefore not found.
 *
 * Returns the resource with a holder for the caller, or NULL.
 */
VISIBLE_IF_KUNIT struct sundog_resource *sundog_resource_of(struct sundog_bo *bo)
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

/*
 * Initialises a set with all allocations of a resource.
 * @set: uninitialised set.
 * @array: array of struct drm_sundog_alloc_desc in user space, one for each allocation.
 *
 * Returns 0, -EINVAL if the array is too short, or another negative error code. After an error @set
 * needs no sundog_bo_set_fini().
 */
static int sundog_resource_collect(struct sundog_resource *resource, struct sundog_bo_set *set,
				   const struct sundog_array *array)
{
	struct sundog_bo *bo;
	int ret;

	ret = sundog_bo_set_init(set, array);
	if (ret)
		return ret;
	mutex_lock(&resource->lock);
	list_for_each_entry(bo, &resource->allocs, in_owner) {
		if (set->n == array->n)
			break;
		drm_gem_object_get(&bo->tbo.base);
		set->bos[set->n++] = bo;
	}
	ret = set->n < resource->n_allocs ? -EINVAL : 0;
	mutex_unlock(&resource->lock);
	if (ret)
		sundog_bo_set_fini(set);
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

/* Res ids */

/*
 * A res id has a slot in the file's table and, in the bits above, a count of all ids that the file
 * ever got. A slot is reused at once, an id never. A count of 42 bits lasts for decades.
 */
#define SUNDOG_RES_PLACE_BITS	22
#define SUNDOG_RES_PLACE(id)	((u32)(id) & GENMASK(SUNDOG_RES_PLACE_BITS - 1, 0))

/* Flag of sundog_allocation_destroy(): drop the whole res id, not only some allocations. */
#define SUNDOG_DESTROY_RESOURCE	BIT(0)

/**
 * struct sundog_list - GEM handles of the allocations that DEALLOC frees
 */
struct sundog_list {
	/** @file: DRM file of the call */
	struct drm_file *file;
	/** @handles: GEM handles in @file, without duplicates */
	u32 *handles;
	/** @n: number of @handles */
	u32 n;
};

/*
 * The resource has a reference to each BO in @handles, so no other BO has its address. If a handle
 * still names this BO it came with the res id.
 */
static void sundog_res_close_handles(struct sundog_res *res)
{
	struct sundog_file *sfile = res->file->driver_priv;
	u32 i;

	mutex_lock(&sfile->handles_lock);
	sundog_handle_untrack(res);
	mutex_unlock(&sfile->handles_lock);
	for (i = 0; i < res->n_handles; i++)
		if (res->handles[i].bo)
			sundog_handle_delete(res->file, res->handles[i].handle,
					     res->handles[i].bo);
}

static void sundog_res_free(struct kref *kref)
{
	struct sundog_res *res = container_of(kref, struct sundog_res, kref);
	struct sundog_resource *resource = res->resource;

	if (res->file)
		sundog_res_close_handles(res);
	if (res->handles != &res->first)
		kvfree(res->handles);
	this_cpu_dec(resource->sdev->stats->res_ids);
	sundog_resource_put_charged(resource, res->quota, res->n_charged);
	kfree(res);
}

static void sundog_res_put(struct sundog_res *res)
{
	kref_put(&res->kref, sundog_res_free);
}

/* On success the res id takes over the caller's holder of @resource. It is not charged yet. */
static struct sundog_res *sundog_res_create(struct drm_file *file,
					    struct sundog_resource *resource)
{
	struct sundog_res *res;

	res = kzalloc_obj(*res, GFP_KERNEL_ACCOUNT);
	if (!res)
		return NULL;
	kref_init(&res->kref);
	res->file = file;
	res->resource = resource;
	res->handles = &res->first;
	res->n_handles = 1;
	this_cpu_inc(resource->sdev->stats->res_ids);
	return res;
}

/* The id of a running create or open is reserved without an entry, so it is not found. */
static struct sundog_res *sundog_res_of_id(struct sundog_file *sfile, u64 id)
{
	struct sundog_res *res = xa_load(&sfile->resources, SUNDOG_RES_PLACE(id));

	lockdep_assert_held(&sfile->resources.xa_lock);
	return res && res->id == id ? res : NULL;
}

static struct sundog_res *sundog_res_lookup(struct drm_file *file, u64 id)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_res *res;

	xa_lock(&sfile->resources);
	res = sundog_res_of_id(sfile, id);
	if (res)
		kref_get(&res->kref);
	xa_unlock(&sfile->resources);
	return res;
}

/* Removes an id from the file; the caller takes over its reference. */
static struct sundog_res *sundog_res_remove(struct drm_file *file, u64 id)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_res *res;

	xa_lock(&sfile->resources);
	res = sundog_res_of_id(sfile, id);
	if (res)
		__xa_erase(&sfile->resources, SUNDOG_RES_PLACE(id));
	xa_unlock(&sfile->resources);
	return res;
}

static int sundog_res_grow(struct sundog_res *res, u32 n)
{
	struct sundog_res_handle *handles;

	if (n <= res->n_handles)
		return 0;
	n = max(n, 2 * res->n_handles);
	handles = kvzalloc_objs(*handles, n, GFP_KERNEL_ACCOUNT);
	if (!handles)
		return -ENOMEM;
	memcpy(handles, res->handles, res->n_handles * sizeof(*handles));
	if (res->handles != &res->first)
		kvfree(res->handles);
	res->handles = handles;
	res->n_handles = n;
	return 0;
}

/* Grows the array of handles for a set, so that sundog_res_store() cannot fail. */
static int sundog_res_reserve(struct sundog_res *res, struct sundog_bo_set *set)
{
	struct sundog_file *sfile = res->file->driver_priv;
	u32 i, n = 0;
	int ret;

	if (!set->n)
		return 0;
	for (i = 0; i < set->n; i++)
		n = max(n, lower_32_bits(set->bos[i]->name) + 1);
	mutex_lock(&sfile->handles_lock);
	ret = sundog_res_grow(res, n);
	if (!ret)
		ret = sundog_handle_track(res, upper_32_bits(set->bos[0]->name));
	mutex_unlock(&sfile->handles_lock);
	return ret;
}

static void sundog_res_store(struct sundog_res *res, struct sundog_bo_set *set)
{
	struct sundog_file *sfile = res->file->driver_priv;
	u32 i;

	mutex_lock(&sfile->handles_lock);
	for (i = 0; i < set->n; i++)
		res->handles[set->descs[i].index] = (struct sundog_res_handle) {
			.bo = set->bos[i],
			.handle = set->descs[i].handle,
		};
	mutex_unlock(&sfile->handles_lock);
}

/* Attaches a set to the resource, creates its GEM handles, and stores them in the res id. */
static int sundog_res_add(struct sundog_res *res, struct sundog_bo_set *set)
{
	int ret;

	ret = sundog_resource_attach(res->resource, set);
	if (ret)
		return ret;
	ret = sundog_res_reserve(res, set);
	if (!ret)
		ret = sundog_bo_set_publish(set, res->file, NULL, 0, NULL);
	if (ret) {
		sundog_resource_rollback(res->resource, set);
		return ret;
	}
	sundog_res_store(res, set);
	if (set->n)
		sundog_resource_publish(res->resource);
	return 0;
}

/* Shared allocations are not in a file's extents: workers map each by itself, not its extent. */
static struct sundog_vram_owner *sundog_res_vram_owner(struct sundog_res *res)
{
	struct sundog_file *sfile = res->file->driver_priv;
	struct sundog_resource *resource = res->resource;

	return resource->shared ? resource->sdev->extents->common : sfile->vram_owner;
}

/* Assigns an id, which lookups do not find before sundog_res_id_publish(). */
static int sundog_res_id_reserve(struct sundog_file *sfile, struct sundog_res *res)
{
	u32 place;
	int ret;

	ret = xa_alloc(&sfile->resources, &place, NULL,
		       XA_LIMIT(1, BIT(SUNDOG_RES_PLACE_BITS) - 1), GFP_KERNEL);
	if (ret)
		return ret;
	res->id = place | (u64)atomic64_inc_return(&sfile->n_res_ids) << SUNDOG_RES_PLACE_BITS;
	return 0;
}

static void sundog_res_id_release(struct sundog_file *sfile, struct sundog_res *res)
{
	xa_release(&sfile->resources, SUNDOG_RES_PLACE(res->id));
}

/* Returns the id. User space can destroy @res from now on, so the caller must not access it. */
static u64 sundog_res_id_publish(struct sundog_file *sfile, struct sundog_res *res)
{
	u64 id = res->id;

	xa_store(&sfile->resources, SUNDOG_RES_PLACE(id), res, GFP_KERNEL);
	return id;
}

/* Allocations of a shared resource cannot be PRIVATE. */
static u32 sundog_alloc_flags(const struct sundog_resource *resource)
{
	return resource->shared ? 0 : DRM_SUNDOG_ALLOC_PRIVATE;
}

/**
 * sundog_ioctl_resource_create() - DRM_IOCTL_SUNDOG_RESOURCE_CREATE
 * @drm: DRM device
 * @data: struct drm_sundog_resource_create
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_resource_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_device *sdev = to_sundog_device(drm);
	struct sundog_file *sfile = file->driver_priv;
	struct drm_sundog_resource_create *args = data;
	const struct sundog_array array = { args->allocs, args->n_allocs, args->alloc_stride };
	struct sundog_resource *resource;
	struct sundog_private *priv;
	struct sundog_bo_set set;
	struct sundog_res *res;
	int ret;

	if (args->flags & ~DRM_SUNDOG_RESOURCE_SHARED || args->pad)
		return -EINVAL;
	priv = sundog_private_read(args->priv, args->priv_size);
	if (IS_ERR(priv))
		return PTR_ERR(priv);
	resource = sundog_resource_create(sdev, args->flags & DRM_SUNDOG_RESOURCE_SHARED, priv);
	if (!resource) {
		kfree(priv);
		return -ENOMEM;
	}
	res = sundog_res_create(file, resource);
	if (!res) {
		sundog_resource_put(resource);
		return -ENOMEM;
	}
	ret = sundog_res_id_reserve(sfile, res);
	if (ret)
		goto err_put_res;
	ret = sundog_bo_set_create(&set, file, sundog_res_vram_owner(res), &array,
				   sundog_alloc_flags(resource), 1);
	if (ret)
		goto err_release_id;
	res->quota = sfile->quota;
	res->n_charged = 1;
	ret = sundog_res_add(res, &set);
	sundog_bo_set_fini(&set);
	if (ret)
		goto err_release_id;

	args->kres = resource->kres;
	args->res = sundog_res_id_publish(sfile, res);
	return 0;

err_release_id:
	sundog_res_id_release(sfile, res);
err_put_res:
	sundog_res_put(res);
	return ret;
}

/* Charges the id and its GEM handles. A published resource is sealed, so @n_allocs is final. */
static int sundog_res_charge_open(struct sundog_res *res, struct sundog_quota *quota, u32 n_allocs)
{
	int ret = sundog_quota_charge(quota, 1 + n_allocs, 0);

	if (ret)
		return ret;
	res->quota = quota;
	res->n_charged = 1 + n_allocs;
	return 0;
}

static int sundog_res_open(struct sundog_res *res, const struct sundog_array *array, u64 priv,
			   u32 *priv_size)
{
	struct sundog_bo_set set;
	int ret;

	ret = sundog_resource_collect(res->resource, &set, array);
	if (ret)
		return ret;
	ret = sundog_bo_set_check_open(&set);
	if (!ret)
		ret = sundog_res_reserve(res, &set);
	if (!ret)
		ret = sundog_bo_set_publish(&set, res->file, res->resource->priv, priv, priv_size);
	if (!ret)
		sundog_res_store(res, &set);
	sundog_bo_set_fini(&set);
	return ret;
}

/* Fills in the outputs of a query: those of the resource, and the index of the dma-buf's BO. */
static void sundog_res_describe(struct drm_sundog_resource_open *args,
				const struct sundog_resource *resource, const struct sundog_bo *bo)
{
	args->n_allocs = READ_ONCE(resource->n_allocs);
	args->priv_size = resource->priv ? resource->priv->size : 0;
	args->res = 0;
	args->kres = resource->kres;
	args->index = lower_32_bits(READ_ONCE(bo->name));
}

/**
 * sundog_resource_open() - open the resource of an allocation
 * @file: DRM file
 * @args: arguments of DRM_IOCTL_SUNDOG_RESOURCE_OPEN
 * @bo: allocation, which the caller keeps alive
 *
 * Return: 0 or a negative error code.
 */
int sundog_resource_open(struct drm_file *file, struct drm_sundog_resource_open *args,
			 struct sundog_bo *bo)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_array array = { args->allocs, args->n_allocs, args->alloc_stride };
	struct sundog_resource *resource = sundog_resource_of(bo);
	struct sundog_res *res;
	u32 priv_size;
	int ret;

	if (!resource)
		return -ENOENT;
	array.n = READ_ONCE(resource->n_allocs);
	if (args->n_allocs < array.n) {
		/* n_allocs 0 is a query, which always gets here: array.n is at least 1. */
		ret = args->n_allocs ? -EINVAL : 0;
		if (!ret)
			sundog_res_describe(args, resource, bo);
		sundog_resource_put(resource);
		return ret;
	}
	res = sundog_res_create(file, resource);
	if (!res) {
		sundog_resource_put(resource);
		return -ENOMEM;
	}
	ret = sundog_res_charge_open(res, sfile->quota, array.n);
	if (ret)
		goto err_put_res;
	ret = sundog_res_id_reserve(sfile, res);
	if (ret)
		goto err_put_res;
	priv_size = args->priv_size;
	ret = sundog_res_open(res, &array, args->priv, &priv_size);
	if (ret)
		goto err_release_id;

	/* Nothing can fail any more. A call that is repeated after an error needs its inputs. */
	sundog_res_describe(args, resource, bo);
	args->res = sundog_res_id_publish(sfile, res);
	return 0;

err_release_id:
	sundog_res_id_release(sfile, res);
err_put_res:
	sundog_res_put(res);
	return ret;
}

static int sundog_alloc_device(struct drm_file *file, const struct sundog_array *array)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_bo_set set;
	int ret;

	ret = sundog_bo_set_create(&set, file, sfile->vram_owner, array, DRM_SUNDOG_ALLOC_PRIVATE,
				   0);
	if (ret)
		return ret;
	ret = sundog_bo_set_publish(&set, file, NULL, 0, NULL);
	sundog_bo_set_fini(&set);
	return ret;
}

static int sundog_alloc_resource(struct sundog_res *res, const struct sundog_array *array)
{
	struct sundog_bo_set set;
	int ret;

	ret = sundog_bo_set_create(&set, res->file, sundog_res_vram_owner(res), array,
				   sundog_alloc_flags(res->resource), 0);
	if (ret)
		return ret;
	ret = sundog_res_add(res, &set);
	sundog_bo_set_fini(&set);
	return ret;
}

/**
 * sundog_ioctl_alloc() - DRM_IOCTL_SUNDOG_ALLOC
 * @drm: DRM device
 * @data: struct drm_sundog_alloc
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_alloc(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sundog_alloc *args = data;
	const struct sundog_array array = { args->allocs, args->n_allocs, args->alloc_stride };
	struct sundog_res *res;
	int ret;

	if (args->flags || !args->n_allocs)
		return -EINVAL;
	if (!args->res) {
		ret = sundog_alloc_device(file, &array);
		if (!ret)
			args->kres = 0;
		return ret;
	}

	res = sundog_res_lookup(file, args->res);
	if (!res)
		return -ENOENT;
	ret = sundog_alloc_resource(res, &array);
	if (!ret)
		args->kres = res->resource->kres;
	sundog_res_put(res);
	return ret;
}

static int sundog_cmp_handles(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

VISIBLE_IF_KUNIT bool sundog_has_duplicate(u32 *handles, u32 n)
{
	u32 i;

	sort(handles, n, sizeof(*handles), sundog_cmp_handles, NULL);
	for (i = 1; i < n; i++)
		if (handles[i] == handles[i - 1])
			return true;
	return false;
}

/* Returns -EINVAL if a resource owns an allocation of the set. */
VISIBLE_IF_KUNIT
int sundog_dealloc_device(struct sundog_device *sdev, struct sundog_bo_set *set)
{
	u32 i;
	int ret = 0;

	spin_lock(&sdev->owner_lock);
	for (i = 0; i < set->n; i++)
		if (set->bos[i]->owner)
			ret = -EINVAL;
	spin_unlock(&sdev->owner_lock);
	return ret;
}

/* Returns the entry of a GEM handle that came with the res id, or NULL. */
static struct sundog_res_handle *sundog_res_find(struct sundog_res *res, struct sundog_bo *bo,
						 u32 handle)
{
	struct sundog_file *sfile = res->file->driver_priv;
	u32 index = lower_32_bits(bo->name);
	struct sundog_res_handle *found;

	lockdep_assert_held(&sfile->handles_lock);
	lockdep_assert_held(&res->resource->lock);
	if (bo->owner != res->resource || index >= res->n_handles)
		return NULL;
	found = &res->handles[index];
	return found->bo == bo && found->handle == handle ? found : NULL;
}

/* Partial release, all or nothing: each handle must have come with this res id. */
static int sundog_dealloc_resource(struct sundog_res *res, struct sundog_bo_set *set,
				   const u32 *handles)
{
	struct sundog_file *sfile = res->file->driver_priv;
	struct sundog_resource *resource = res->resource;
	u32 i;
	int ret = 0;

	if (resource->shared)
		return -EBUSY;
	mutex_lock(&sfile->handles_lock);
	mutex_lock(&resource->lock);
	for (i = 0; !ret && i < set->n; i++)
		if (!sundog_res_find(res, set->bos[i], handles[i]))
			ret = -EINVAL;
	for (i = 0; !ret && i < set->n; i++) {
		sundog_res_find(res, set->bos[i], handles[i])->bo = NULL;
		sundog_resource_detach_one(resource, set->bos[i]);
	}
	mutex_unlock(&resource->lock);
	mutex_unlock(&sfile->handles_lock);
	return ret;
}

static int sundog_dealloc_list(struct sundog_device *sdev, struct sundog_res *res,
			       const struct sundog_list *list)
{
	struct sundog_bo_set set;
	u32 i;
	int ret;

	ret = sundog_bo_set_lookup(&set, list->file, list->handles, list->n);
	if (ret)
		return ret;
	ret = res ? sundog_dealloc_resource(res, &set, list->handles) :
		    sundog_dealloc_device(sdev, &set);
	for (i = 0; !ret && i < list->n; i++)
		sundog_handle_delete(list->file, list->handles[i], set.bos[i]);
	sundog_bo_set_fini(&set);
	return ret;
}

/*
 * Frees allocations or a res id; DEALLOC, RESOURCE_DESTROY and the close of a file all end here.
 *
 * With SUNDOG_DESTROY_RESOURCE it drops the caller's reference to @res. If this was the last
 * reference of the last holder, it frees kres and releases every allocation. Without the flag it
 * frees the allocations in @list, all or none, and @res stays. If @res is NULL they must be without
 * a resource. Memory is freed only when no job uses it any more.
 */
static int sundog_allocation_destroy(struct sundog_device *sdev, struct sundog_res *res,
				     const struct sundog_list *list, u32 flags)
{
	might_sleep();
	if (!(flags & SUNDOG_DESTROY_RESOURCE))
		return sundog_dealloc_list(sdev, res, list);
	sundog_res_put(res);
	return 0;
}

static int sundog_dealloc(struct sundog_device *sdev, u64 id, const struct sundog_list *list)
{
	struct sundog_res *res;
	int ret;

	if (!id)
		return sundog_allocation_destroy(sdev, NULL, list, 0);
	res = sundog_res_lookup(list->file, id);
	if (!res)
		return -ENOENT;
	ret = sundog_allocation_destroy(sdev, res, list, 0);
	sundog_res_put(res);
	return ret;
}

/**
 * sundog_ioctl_dealloc() - DRM_IOCTL_SUNDOG_DEALLOC
 * @drm: DRM device
 * @data: struct drm_sundog_dealloc
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_dealloc(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sundog_dealloc *args = data;
	struct sundog_list list = { .file = file, .n = args->n_handles };
	int ret;

	if (args->flags || !list.n || list.n > DRM_SUNDOG_MAX_ALLOCS)
		return -EINVAL;
	list.handles = vmemdup_array_user(u64_to_user_ptr(args->handles), list.n,
					  sizeof(*list.handles));
	if (IS_ERR(list.handles))
		return PTR_ERR(list.handles);
	if (sundog_has_duplicate(list.handles, list.n))
		ret = -EINVAL;
	else
		ret = sundog_dealloc(to_sundog_device(drm), args->res, &list);
	kvfree(list.handles);
	return ret;
}

/**
 * sundog_ioctl_resource_destroy() - DRM_IOCTL_SUNDOG_RESOURCE_DESTROY
 * @drm: DRM device
 * @data: struct drm_sundog_resource_destroy
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_resource_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sundog_resource_destroy *args = data;
	struct sundog_res *res;

	if (args->flags || args->pad)
		return -EINVAL;
	res = sundog_res_remove(file, args->res);
	if (!res)
		return -ENOENT;
	return sundog_allocation_destroy(to_sundog_device(drm), res, NULL,
					 SUNDOG_DESTROY_RESOURCE);
}

/**
 * sundog_ioctl_alloc_info() - DRM_IOCTL_SUNDOG_ALLOC_INFO
 * @drm: DRM device
 * @data: struct drm_sundog_alloc_info
 * @file: DRM file
 *
 * Return: 0, -EINVAL or -ENOENT.
 */
int sundog_ioctl_alloc_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sundog_alloc_info *args = data;
	struct sundog_bo *bo;
	u64 name;

	if (args->flags)
		return -EINVAL;
	bo = sundog_bo_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;
	name = READ_ONCE(bo->name);
	args->device_handle = bo->handle;
	args->size = bo->tbo.base.size;
	args->map_offset = drm_vma_node_offset_addr(&bo->tbo.base.vma_node);
	args->kres = upper_32_bits(name);
	args->index = lower_32_bits(name);
	args->alloc_flags = bo->file_resv ? DRM_SUNDOG_ALLOC_PRIVATE : 0;
	sundog_bo_put(bo);
	return 0;
}

/**
 * sundog_res_file_close() - drop the res ids of a file that closes
 * @sfile: file, whose GEM handles are closed already
 */
void sundog_res_file_close(struct sundog_file *sfile)
{
	struct sundog_res *res;
	unsigned long place;

	xa_for_each(&sfile->resources, place, res) {
		res->file = NULL;
		sundog_allocation_destroy(res->resource->sdev, res, NULL, SUNDOG_DESTROY_RESOURCE);
	}
	xa_destroy(&sfile->opens);
	xa_destroy(&sfile->resources);
}
