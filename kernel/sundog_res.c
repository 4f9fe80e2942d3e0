// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Res ids, which are the user handles of resources, and the calls about resources and allocations.
 *
 * What user space can name is published last: GEM handles when the allocations are complete and
 * owned, the res id when everything else is done. A call that fails takes back what it made.
 */

#include <linux/dma-buf.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include "uapi/sundog_drm.h"

#include "sundog_array.h"
#include "sundog_batch.h"
#include "sundog_bo.h"
#include "sundog_device.h"
#include "sundog_extent.h"
#include "sundog_file.h"
#include "sundog_handle.h"
#include "sundog_prime.h"
#include "sundog_quota.h"
#include "sundog_res.h"
#include "sundog_resource.h"
#include "sundog_stats.h"

/*
 * A res id is its place in the file's table and, above that, how many ids the file got before: a
 * place is used again at once, an id never. 42 bits of number last for decades of creates.
 */
#define SUNDOG_RES_PLACE_BITS	22
#define SUNDOG_RES_PLACE(id)	((u32)(id) & GENMASK(SUNDOG_RES_PLACE_BITS - 1, 0))

/* The whole resource is given up, not only some of its allocations. */
#define SUNDOG_DESTROY_RESOURCE	BIT(0)

/**
 * struct sundog_list - GEM handles of allocations that a call frees
 */
struct sundog_list {
	/** @file: DRM file of the call */
	struct drm_file *file;
	/** @handles: the handles */
	u32 *handles;
	/** @n: how many there are */
	u32 n;
};

/* The resource holds each allocation in the list, so a handle that still means it is ours. */
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

/* Takes over the caller's hold of the resource, on success. It is not charged yet. */
static struct sundog_res *sundog_res_create(struct drm_file *file,
					    struct sundog_resource *resource)
{
	struct sundog_res *res;

	res = kzalloc(sizeof(*res), GFP_KERNEL_ACCOUNT);
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

/* An id that a create or open is still at work on has no entry: it is not found, only reserved. */
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

/* Takes an id, with the reference that it has, out of the file. */
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
	handles = kvcalloc(n, sizeof(*handles), GFP_KERNEL_ACCOUNT);
	if (!handles)
		return -ENOMEM;
	memcpy(handles, res->handles, res->n_handles * sizeof(*handles));
	if (res->handles != &res->first)
		kvfree(res->handles);
	res->handles = handles;
	res->n_handles = n;
	return 0;
}

/* Makes room for the handles of a batch, so that storing them later cannot fail. */
static int sundog_res_reserve(struct sundog_res *res, struct sundog_batch *batch)
{
	struct sundog_file *sfile = res->file->driver_priv;
	u32 i, n = 0;
	int ret;

	if (!batch->n)
		return 0;
	for (i = 0; i < batch->n; i++)
		n = max(n, lower_32_bits(batch->bos[i]->name) + 1);
	mutex_lock(&sfile->handles_lock);
	ret = sundog_res_grow(res, n);
	if (!ret)
		ret = sundog_handle_track(res, upper_32_bits(batch->bos[0]->name));
	mutex_unlock(&sfile->handles_lock);
	return ret;
}

static void sundog_res_store(struct sundog_res *res, struct sundog_batch *batch)
{
	struct sundog_file *sfile = res->file->driver_priv;
	u32 i;

	mutex_lock(&sfile->handles_lock);
	for (i = 0; i < batch->n; i++)
		res->handles[batch->descs[i].index] = (struct sundog_res_handle) {
			.bo = batch->bos[i],
			.handle = batch->descs[i].handle,
		};
	mutex_unlock(&sfile->handles_lock);
}

/* Adds a batch to a res id that has its resource already: attach, publish, remember. */
static int sundog_res_add(struct sundog_res *res, struct sundog_batch *batch)
{
	int ret;

	ret = sundog_resource_attach(res->resource, batch);
	if (ret)
		return ret;
	ret = sundog_res_reserve(res, batch);
	if (!ret)
		ret = sundog_batch_publish(batch, res->file);
	if (ret) {
		sundog_resource_take_back(res->resource, batch);
		return ret;
	}
	sundog_res_store(res, batch);
	if (batch->n)
		sundog_resource_publish(res->resource);
	return 0;
}

/* What others may open is in no file's extents: each worker maps just the allocation. */
static struct sundog_tenant *sundog_res_tenant(struct sundog_res *res)
{
	struct sundog_file *sfile = res->file->driver_priv;
	struct sundog_resource *resource = res->resource;

	return resource->shared ? resource->sdev->extents->common : sfile->tenant;
}

/* An id that lookups do not find yet. */
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

/* From now on user space can name it, and destroy it. Returns the id. */
static u64 sundog_res_id_publish(struct sundog_file *sfile, struct sundog_res *res)
{
	u64 id = res->id;

	xa_store(&sfile->resources, SUNDOG_RES_PLACE(id), res, GFP_KERNEL);
	return id;
}

/* What is shared cannot be PRIVATE. */
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
	struct sundog_batch batch;
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
	ret = sundog_batch_create(&batch, file, sundog_res_tenant(res), &array,
				  sundog_alloc_flags(resource), 1);
	if (ret)
		goto err_release_id;
	res->quota = sfile->quota;
	res->n_charged = 1;
	ret = sundog_res_add(res, &batch);
	sundog_batch_fini(&batch);
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

/* Each open brings handles of its own. What is shared has all its allocations by now. */
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
	struct sundog_batch batch;
	int ret;

	ret = sundog_resource_collect(res->resource, &batch, array);
	if (ret)
		return ret;
	ret = sundog_batch_check_open(&batch);
	if (!ret)
		ret = sundog_res_reserve(res, &batch);
	if (!ret)
		ret = sundog_batch_publish_open(&batch, res->file, res->resource->priv, priv,
						priv_size);
	if (!ret)
		sundog_res_store(res, &batch);
	sundog_batch_fini(&batch);
	return ret;
}

/* Fills in what does not depend on the open: the resource, and the allocation of the dma-buf. */
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
 * sundog_ioctl_resource_open() - DRM_IOCTL_SUNDOG_RESOURCE_OPEN
 * @drm: DRM device
 * @data: struct drm_sundog_resource_open
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_resource_open(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sundog_file *sfile = file->driver_priv;
	struct drm_sundog_resource_open *args = data;
	struct sundog_array array = { args->allocs, args->n_allocs, args->alloc_stride };
	struct sundog_resource *resource;
	struct dma_buf *dma_buf;
	struct sundog_res *res;
	struct sundog_bo *bo;
	u32 priv_size, n_allocs;
	int ret;

	if (args->flags || args->pad)
		return -EINVAL;
	dma_buf = dma_buf_get(args->fd);
	if (IS_ERR(dma_buf))
		return PTR_ERR(dma_buf);
	bo = sundog_prime_bo(drm, dma_buf);
	resource = bo ? sundog_resource_of(bo) : NULL;
	if (!resource) {
		ret = -ENOENT;
		goto out_put_dma_buf;
	}
	n_allocs = READ_ONCE(resource->n_allocs);
	if (args->n_allocs < n_allocs) {
		/* Without an array the call only asks; a sealed resource has an allocation. */
		ret = args->n_allocs ? -EINVAL : 0;
		if (!ret)
			sundog_res_describe(args, resource, bo);
		sundog_resource_put(resource);
		goto out_put_dma_buf;
	}
	res = sundog_res_create(file, resource);
	if (!res) {
		sundog_resource_put(resource);
		ret = -ENOMEM;
		goto out_put_dma_buf;
	}
	ret = sundog_res_charge_open(res, sfile->quota, n_allocs);
	if (ret)
		goto err_put_res;
	array.n = n_allocs;
	ret = sundog_res_id_reserve(sfile, res);
	if (ret)
		goto err_put_res;
	priv_size = args->priv_size;
	ret = sundog_res_open(res, &array, args->priv, &priv_size);
	if (ret)
		goto err_release_id;

	/* Only now that nothing can fail: a call that is tried again needs what it came with. */
	sundog_res_describe(args, resource, bo);
	args->res = sundog_res_id_publish(sfile, res);
	goto out_put_dma_buf;

err_release_id:
	sundog_res_id_release(sfile, res);
err_put_res:
	sundog_res_put(res);
out_put_dma_buf:
	dma_buf_put(dma_buf);
	return ret;
}

static int sundog_alloc_device(struct drm_file *file, const struct sundog_array *array)
{
	struct sundog_file *sfile = file->driver_priv;
	struct sundog_batch batch;
	int ret;

	ret = sundog_batch_create(&batch, file, sfile->tenant, array, DRM_SUNDOG_ALLOC_PRIVATE, 0);
	if (ret)
		return ret;
	ret = sundog_batch_publish(&batch, file);
	sundog_batch_fini(&batch);
	return ret;
}

static int sundog_alloc_resource(struct sundog_res *res, const struct sundog_array *array)
{
	struct sundog_batch batch;
	int ret;

	ret = sundog_batch_create(&batch, res->file, sundog_res_tenant(res), array,
				  sundog_alloc_flags(res->resource), 0);
	if (ret)
		return ret;
	ret = sundog_res_add(res, &batch);
	sundog_batch_fini(&batch);
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

static bool sundog_has_duplicate(u32 *handles, u32 n)
{
	u32 i;

	sort(handles, n, sizeof(*handles), sundog_cmp_handles, NULL);
	for (i = 1; i < n; i++)
		if (handles[i] == handles[i - 1])
			return true;
	return false;
}

/* The list must hold only what no resource owns. */
static int sundog_dealloc_device(struct sundog_device *sdev, struct sundog_batch *batch)
{
	u32 i;
	int ret = 0;

	spin_lock(&sdev->owner_lock);
	for (i = 0; i < batch->n; i++)
		if (batch->bos[i]->owner)
			ret = -EINVAL;
	spin_unlock(&sdev->owner_lock);
	return ret;
}

/* Where a res id has a handle that it brought, or NULL. */
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

/* Partial release: the list must hold only handles that this res id got. */
static int sundog_dealloc_resource(struct sundog_res *res, struct sundog_batch *batch,
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
	for (i = 0; !ret && i < batch->n; i++)
		if (!sundog_res_find(res, batch->bos[i], handles[i]))
			ret = -EINVAL;
	for (i = 0; !ret && i < batch->n; i++) {
		sundog_res_find(res, batch->bos[i], handles[i])->bo = NULL;
		sundog_resource_detach_one(resource, batch->bos[i]);
	}
	mutex_unlock(&resource->lock);
	mutex_unlock(&sfile->handles_lock);
	return ret;
}

static int sundog_dealloc_list(struct sundog_device *sdev, struct sundog_res *res,
			       const struct sundog_list *list)
{
	struct sundog_batch batch;
	u32 i;
	int ret;

	ret = sundog_batch_lookup(&batch, list->file, list->handles, list->n);
	if (ret)
		return ret;
	ret = res ? sundog_dealloc_resource(res, &batch, list->handles) :
		    sundog_dealloc_device(sdev, &batch);
	for (i = 0; !ret && i < list->n; i++)
		sundog_handle_delete(list->file, list->handles[i], batch.bos[i]);
	sundog_batch_fini(&batch);
	return ret;
}

/*
 * The one way in which allocations and resources are given up, whatever asks for it. With
 * SUNDOG_DESTROY_RESOURCE the caller's reference to @res goes: if it was the last of the last
 * holder, kres and every allocation go too. Without, the allocations in @list go, all or none, and
 * @res stays; NULL means the device's own. Memory is only freed once no job uses it any more.
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

#if IS_ENABLED(CONFIG_DRM_SUNDOG_KUNIT_TEST)
#include "tests/sundog_resource_test.c"
#endif
