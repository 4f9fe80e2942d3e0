// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Export and import of dma-bufs, and RESOURCE_OPEN, which finds a resource by a dma-buf.
 *
 * A dma-buf holds its allocation and the resource that owns it, if any. While the allocation has a
 * handle, the DRM core returns the same dma-buf for each export. Afterwards the next export creates
 * another one, so an allocation can have several.
 *
 * VRAM has no pages that another device could access. An attachment of another driver therefore
 * moves the allocation into heap GUEST and pins it there: both devices can access these pages of
 * the guest. Without heap GUEST the attachment fails. An import of another driver's dma-buf
 * becomes an allocation if the device can access its pages, see sundog_guest.c.
 *
 * The DRM core and importing drivers call this file in process context. owner_lock of the device
 * protects the owner of an allocation and its number of dma-bufs.
 */

#include <linux/dma-buf.h>

#include <drm/drm_gem.h>
#include <drm/drm_prime.h>

#include "sundog_bo.h"
#include "sundog_pin.h"
#include "sundog_prime.h"
#include "sundog_resource.h"
#include "sundog_stats.h"

static int sundog_dma_buf_attach(struct dma_buf *dma_buf, struct dma_buf_attachment *attach)
{
	return sundog_pin_guest(to_sundog_bo(dma_buf->priv));
}

static void sundog_dma_buf_detach(struct dma_buf *dma_buf, struct dma_buf_attachment *attach)
{
	sundog_unpin(to_sundog_bo(dma_buf->priv));
}

static void sundog_dma_buf_release(struct dma_buf *dma_buf)
{
	struct sundog_bo *bo = to_sundog_bo(dma_buf->priv);
	struct sundog_device *sdev = sundog_bo_device(bo);
	struct sundog_resource *owner;

	spin_lock(&sdev->owner_lock);
	if (!--bo->n_dma_bufs)
		this_cpu_dec(sdev->stats->shared);
	owner = bo->owner;
	spin_unlock(&sdev->owner_lock);

	if (owner)
		sundog_resource_put(owner);
	drm_gem_dmabuf_release(dma_buf);
}

static const struct dma_buf_ops sundog_dma_buf_ops = {
	.attach = sundog_dma_buf_attach,
	.detach = sundog_dma_buf_detach,
	.map_dma_buf = drm_gem_map_dma_buf,
	.unmap_dma_buf = drm_gem_unmap_dma_buf,
	.release = sundog_dma_buf_release,
	.mmap = drm_gem_dmabuf_mmap,
	.vmap = drm_gem_dmabuf_vmap,
	.vunmap = drm_gem_dmabuf_vunmap,
};

/**
 * sundog_prime_export() - export an allocation, for &drm_gem_object_funcs.export
 * @obj: GEM object
 * @flags: flags of the file
 *
 * Return: the dma-buf, -EPERM if @obj is PRIVATE, or another error pointer.
 */
struct dma_buf *sundog_prime_export(struct drm_gem_object *obj, int flags)
{
	struct sundog_bo *bo = to_sundog_bo(obj);
	struct sundog_device *sdev = sundog_bo_device(bo);
	struct dma_buf_export_info info = {
		.exp_name = SUNDOG_DRIVER_NAME,
		.owner = THIS_MODULE,
		.ops = &sundog_dma_buf_ops,
		.size = obj->size,
		.flags = flags,
		.priv = obj,
		.resv = obj->resv,
	};
	struct dma_buf *dma_buf;

	if (bo->file_resv)
		return ERR_PTR(-EPERM);
	dma_buf = drm_gem_dmabuf_export(obj->dev, &info);
	if (IS_ERR(dma_buf))
		return dma_buf;

	spin_lock(&sdev->owner_lock);
	if (!bo->n_dma_bufs++)
		this_cpu_inc(sdev->stats->shared);
	if (bo->owner)
		sundog_resource_hold(bo->owner);
	spin_unlock(&sdev->owner_lock);
	return dma_buf;
}

/*
 * Returns the allocation of a dma-buf of this device, or NULL for any other dma-buf. The allocation
 * lives as long as @dma_buf.
 */
static struct sundog_bo *sundog_prime_bo(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct drm_gem_object *obj;

	if (dma_buf->ops != &sundog_dma_buf_ops)
		return NULL;
	obj = dma_buf->priv;
	return obj->dev == drm ? to_sundog_bo(obj) : NULL;
}

/**
 * sundog_prime_import() - import a dma-buf, for &drm_driver.gem_prime_import
 * @drm: DRM device
 * @dma_buf: any dma-buf
 *
 * Runs under object_name_lock. The core assumes that a GEM object has only one dma-buf. @dma_buf
 * therefore replaces any other dma-buf of the same allocation in &drm_gem_object.dma_buf.
 *
 * Return: the GEM object with a reference, or -EOPNOTSUPP if @dma_buf is from another device and
 * ours cannot access its pages, or another error pointer.
 */
struct drm_gem_object *sundog_prime_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct sundog_bo *bo = sundog_prime_bo(drm, dma_buf);
	struct drm_gem_object *obj;

	lockdep_assert_held(&drm->object_name_lock);
	if (!bo) {
		bo = sundog_bo_import(to_sundog_device(drm), dma_buf);
		return IS_ERR(bo) ? ERR_CAST(bo) : &bo->tbo.base;
	}
	obj = &bo->tbo.base;
	if (obj->dma_buf && obj->dma_buf != dma_buf) {
		dma_buf_put(obj->dma_buf);
		get_dma_buf(dma_buf);
		obj->dma_buf = dma_buf;
	}
	drm_gem_object_get(obj);
	return obj;
}

/**
 * sundog_ioctl_resource_open() - handle DRM_IOCTL_SUNDOG_RESOURCE_OPEN
 * @drm: DRM device
 * @data: struct drm_sundog_resource_open
 * @file: DRM file
 *
 * Return: 0 or a negative error code.
 */
int sundog_ioctl_resource_open(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sundog_resource_open *args = data;
	struct dma_buf *dma_buf;
	struct sundog_bo *bo;
	int ret;

	if (args->flags || args->pad)
		return -EINVAL;
	dma_buf = dma_buf_get(args->fd);
	if (IS_ERR(dma_buf))
		return PTR_ERR(dma_buf);
	bo = sundog_prime_bo(drm, dma_buf);
	ret = bo ? sundog_resource_open(file, args, bo) : -ENOENT;
	dma_buf_put(dma_buf);
	return ret;
}
