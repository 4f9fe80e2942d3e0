// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What one call makes, opens or frees: a batch of allocations with their descriptions, and the
 * private data that comes with them.
 *
 * What user space can name is published last: GEM handles when the allocations are complete and
 * owned. A call that fails takes back what it made.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include "uapi/sundog_drm.h"

#include "sundog_batch.h"
#include "sundog_bo.h"
#include "sundog_file.h"
#include "sundog_handle.h"
#include "sundog_quota.h"

/**
 * sundog_private_read() - copy private data that user space attaches
 * @ptr: where it is, in user space
 * @size: bytes, 0: there is none
 *
 * Return: the data, NULL if there is none, or an error pointer.
 */
struct sundog_private *sundog_private_read(u64 ptr, u32 size)
{
	struct sundog_private *priv;

	if (!size)
		return NULL;
	if (size > DRM_SUNDOG_MAX_PRIVATE)
		return ERR_PTR(-EINVAL);
	priv = kmalloc(struct_size(priv, data, size), GFP_KERNEL_ACCOUNT);
	if (!priv)
		return ERR_PTR(-ENOMEM);
	priv->size = size;
	if (copy_from_user(priv->data, u64_to_user_ptr(ptr), size)) {
		kfree(priv);
		return ERR_PTR(-EFAULT);
	}
	return priv;
}

/**
 * sundog_private_write() - give private data to user space
 * @priv: the data, or NULL
 * @ptr: where it goes, in user space
 * @size: in: bytes of room, which are filled; out: bytes that there are
 *
 * Return: 0 or -EFAULT.
 */
int sundog_private_write(const struct sundog_private *priv, u64 ptr, u32 *size)
{
	u32 there = priv ? priv->size : 0;
	u32 n = min(*size, there);

	*size = there;
	return n && copy_to_user(u64_to_user_ptr(ptr), priv->data, n) ? -EFAULT : 0;
}

/**
 * sundog_batch_fini() - forget a batch
 * @batch: batch, which drops its references
 */
void sundog_batch_fini(struct sundog_batch *batch)
{
	u32 i;

	for (i = 0; i < batch->n; i++)
		sundog_bo_put(batch->bos[i]);
	if (batch->bos != batch->few_bos)
		kvfree(batch->bos);
	if (batch->descs != batch->few_descs)
		kvfree(batch->descs);
}

static int sundog_batch_make_room(struct sundog_batch *batch, u32 n)
{
	batch->n = 0;
	batch->first = false;
	batch->descs = batch->few_descs;
	batch->bos = batch->few_bos;
	if (n > SUNDOG_BATCH_FEW)
		batch->bos = kvmalloc_array(n, sizeof(*batch->bos), GFP_KERNEL);
	return batch->bos ? 0 : -ENOMEM;
}

/* Room for the descriptions as well. */
static int sundog_batch_make_room_described(struct sundog_batch *batch, u32 n)
{
	int ret = sundog_batch_make_room(batch, n);

	if (ret || n <= SUNDOG_BATCH_FEW)
		return ret;
	batch->descs = kvmalloc_array(n, sizeof(*batch->descs), GFP_KERNEL);
	if (batch->descs)
		return 0;
	sundog_batch_fini(batch);
	return -ENOMEM;
}

/**
 * sundog_batch_init() - a batch without allocations, and room for them
 * @batch: to be initialised
 * @array: descriptions in user space, one for each allocation
 *
 * Return: 0 or a negative error code; then there is nothing to undo.
 */
int sundog_batch_init(struct sundog_batch *batch, const struct sundog_array *array)
{
	int ret;

	if (array->n > DRM_SUNDOG_MAX_ALLOCS)
		return -EINVAL;
	ret = sundog_batch_make_room_described(batch, array->n);
	if (ret)
		return ret;
	batch->array = *array;
	ret = sundog_array_copy(array, batch->descs, sizeof(*batch->descs));
	if (ret)
		sundog_batch_fini(batch);
	return ret;
}

/* Looks at all descriptions before anything is made. */
static int sundog_batch_check(const struct sundog_batch *batch, struct sundog_device *sdev,
			      u32 flags, u64 *size)
{
	const struct drm_sundog_alloc_desc *desc;
	u32 i;
	int ret;

	*size = 0;
	for (i = 0; i < batch->array.n; i++) {
		desc = &batch->descs[i];
		if (desc->flags & ~flags || desc->pad)
			return -EINVAL;
		ret = sundog_bo_check_size(sdev, desc->size);
		if (ret)
			return ret;
		*size += PAGE_ALIGN(desc->size);
	}
	return 0;
}

/* What it is charged it gives back itself from now on. */
static int sundog_batch_create_one(struct sundog_batch *batch, struct sundog_file *sfile,
				   struct sundog_tenant *tenant)
{
	const struct drm_sundog_alloc_desc *desc = &batch->descs[batch->n];
	struct sundog_private *priv;
	struct sundog_bo *bo;

	bo = sundog_bo_create(sfile->quota, tenant, desc->size,
			      desc->flags & DRM_SUNDOG_ALLOC_PRIVATE ? sfile->resv : NULL);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	batch->bos[batch->n++] = bo;
	priv = sundog_private_read(desc->priv, desc->priv_size);
	if (IS_ERR(priv))
		return PTR_ERR(priv);
	bo->priv = priv;
	return 0;
}

/**
 * sundog_batch_create() - a batch of new allocations
 * @batch: to be initialised
 * @file: DRM file
 * @tenant: whose they are
 * @array: descriptions in user space of what is wanted
 * @flags: DRM_SUNDOG_ALLOC_* that they may have
 * @n_more: objects that are charged to the file beside them
 *
 * Return: 0 or a negative error code; then there is nothing to undo.
 */
int sundog_batch_create(struct sundog_batch *batch, struct drm_file *file,
			struct sundog_tenant *tenant, const struct sundog_array *array, u32 flags,
			u32 n_more)
{
	struct sundog_file *sfile = file->driver_priv;
	u64 size;
	u32 i;
	int ret;

	ret = sundog_batch_init(batch, array);
	if (ret)
		return ret;
	ret = sundog_batch_check(batch, sfile->quota->sdev, flags, &size);
	if (!ret)
		ret = sundog_quota_charge(sfile->quota, array->n + n_more, size);
	if (ret)
		goto err_fini;
	for (i = 0; !ret && i < array->n; i++) {
		size -= PAGE_ALIGN(batch->descs[i].size);
		ret = sundog_batch_create_one(batch, sfile, tenant);
	}
	if (!ret)
		return 0;
	sundog_quota_uncharge(sfile->quota, array->n - i + n_more, size);
err_fini:
	sundog_batch_fini(batch);
	return ret;
}

static void sundog_batch_describe(struct sundog_batch *batch, u32 i)
{
	struct drm_sundog_alloc_desc *desc = &batch->descs[i];
	struct sundog_bo *bo = batch->bos[i];

	desc->size = bo->tbo.base.size;
	desc->map_offset = drm_vma_node_offset_addr(&bo->tbo.base.vma_node);
	desc->index = lower_32_bits(READ_ONCE(bo->name));
	desc->device_handle = bo->handle;
}

static void sundog_batch_close(struct sundog_batch *batch, struct drm_file *file, u32 n)
{
	while (n--)
		sundog_handle_delete(file, batch->descs[n].handle, batch->bos[n]);
}

static int sundog_batch_make_handles(struct sundog_batch *batch, struct drm_file *file)
{
	u32 i;
	int ret;

	for (i = 0; i < batch->n; i++) {
		sundog_batch_describe(batch, i);
		ret = drm_gem_handle_create(file, &batch->bos[i]->tbo.base,
					    &batch->descs[i].handle);
		if (ret) {
			sundog_batch_close(batch, file, i);
			return ret;
		}
	}
	return 0;
}

static int sundog_batch_write_descs(const struct sundog_batch *batch)
{
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < batch->n; i++)
		ret = sundog_array_write(&batch->array, i, &batch->descs[i],
					 sizeof(batch->descs[i]));
	return ret;
}

/**
 * sundog_batch_publish() - make GEM handles and write them to user space
 * @batch: batch of sundog_batch_create()
 * @file: DRM file
 *
 * Return: 0 or a negative error code; then there are no handles, and nothing was written but with
 * -EFAULT.
 */
int sundog_batch_publish(struct sundog_batch *batch, struct drm_file *file)
{
	int ret = sundog_batch_make_handles(batch, file);

	if (ret)
		return ret;
	ret = sundog_batch_write_descs(batch);
	if (ret)
		sundog_batch_close(batch, file, batch->n);
	return ret;
}

/**
 * sundog_batch_check_open() - check the descriptions of a batch that is to be opened
 * @batch: batch of sundog_batch_init()
 *
 * Return: 0, or -EINVAL if fields that must be zero are not.
 */
int sundog_batch_check_open(const struct sundog_batch *batch)
{
	u32 i;

	for (i = 0; i < batch->array.n; i++)
		if (batch->descs[i].flags || batch->descs[i].pad)
			return -EINVAL;
	return 0;
}

static int sundog_batch_write_privates(struct sundog_batch *batch)
{
	struct drm_sundog_alloc_desc *desc;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < batch->n; i++) {
		desc = &batch->descs[i];
		ret = sundog_private_write(batch->bos[i]->priv, desc->priv, &desc->priv_size);
	}
	return ret;
}

/**
 * sundog_batch_publish_open() - make GEM handles of a resource, and write all to user space
 * @batch: batch of sundog_batch_init(), whose descriptions say where private data goes
 * @file: DRM file
 * @priv: private data of the resource, or NULL
 * @ptr: where in user space that goes
 * @size: in: bytes of room at @ptr; out: bytes that there are
 *
 * Return: 0 or a negative error code; then there are no handles, and nothing was written but with
 * -EFAULT.
 */
int sundog_batch_publish_open(struct sundog_batch *batch, struct drm_file *file,
			      const struct sundog_private *priv, u64 ptr, u32 *size)
{
	int ret = sundog_batch_make_handles(batch, file);

	if (ret)
		return ret;
	ret = sundog_private_write(priv, ptr, size);
	if (!ret)
		ret = sundog_batch_write_privates(batch);
	if (!ret)
		ret = sundog_batch_write_descs(batch);
	if (ret)
		sundog_batch_close(batch, file, batch->n);
	return ret;
}

/**
 * sundog_batch_lookup() - a batch of allocations that have GEM handles
 * @batch: to be initialised; it cannot be published
 * @file: DRM file
 * @handles: GEM handles
 * @n: how many
 *
 * Return: 0, or -ENOENT or -ENOMEM; then there is nothing to undo.
 */
int sundog_batch_lookup(struct sundog_batch *batch, struct drm_file *file, const u32 *handles,
			u32 n)
{
	int ret = sundog_batch_make_room(batch, n);

	if (ret)
		return ret;
	while (batch->n < n) {
		batch->bos[batch->n] = sundog_bo_lookup(file, handles[batch->n]);
		if (!batch->bos[batch->n]) {
			sundog_batch_fini(batch);
			return -ENOENT;
		}
		batch->n++;
	}
	return 0;
}
