// SPDX-License-Identifier: MIT
/*
 * Buffers: reference counting, and the public functions that call the back end directly.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <stdlib.h>

/* Returns a BO object without memory and with its size rounded up to pages, or NULL with errno:
 * EINVAL or ENOMEM. */
struct sdrm_bo *sdrm_bo_alloc(struct sdrm_device *dev, struct sdrm_resource *res,
			      uint64_t size)
{
	struct sdrm_bo *bo;

	if (!size || size > UINT64_MAX - SUNDOG_PAGE_SIZE) {
		errno = EINVAL;
		return NULL;
	}
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return NULL;
	atomic_init(&bo->refs, 1);
	bo->dev = dev;
	bo->res = res;
	bo->size = SUNDOG_ALIGN(size, (uint64_t)SUNDOG_PAGE_SIZE);
	if (!res)
		sdrm_device_ref(dev);
	return bo;
}

/* Free the object only; the back end has already freed the BO's memory, or it never had any. */
void sdrm_bo_free(struct sdrm_bo *bo)
{
	if (!bo->res)
		sdrm_device_del(bo->dev);
	free(bo->uses.more);
	free(bo);
}

bool sdrm_bo_get(struct sdrm_bo *bo)
{
	if (!bo->res)
		return sdrm_ref_get(&bo->refs);
	if (!sdrm_ref_get(&bo->res->refs))
		return false;
	atomic_fetch_add(&bo->refs, 1);
	return true;
}

static int bo_new(struct sdrm_device *dev, uint64_t size, bool private, struct sdrm_bo **out)
{
	struct sdrm_bo *bo;
	int ret = sdrm_device_connect(dev);

	if (ret)
		return ret;
	bo = sdrm_bo_alloc(dev, NULL, size);
	if (!bo)
		return -errno;
	bo->private = private;
	ret = dev->ops->alloc(dev, NULL, &bo, 1);
	if (ret) {
		sdrm_bo_free(bo);
		return ret;
	}
	*out = bo;
	return 0;
}

SUNDOG_PUBLIC int sdrm_bo_new(struct sdrm_device *dev, uint64_t size, struct sdrm_bo **out)
{
	return bo_new(dev, size, false, out);
}

SUNDOG_PUBLIC int sdrm_bo_new_private(struct sdrm_device *dev, uint64_t size,
				      struct sdrm_bo **out)
{
	return bo_new(dev, size, true, out);
}

SUNDOG_PUBLIC int sdrm_bo_import(struct sdrm_device *dev, int fd, struct sdrm_bo **out)
{
	const int ret = sdrm_device_connect(dev);

	return ret ? ret : dev->ops->bo_import(dev, fd, out);
}

SUNDOG_PUBLIC int sdrm_bo_from_gem(struct sdrm_device *dev, uint32_t handle,
				   struct sdrm_bo **out)
{
	const int ret = sdrm_device_connect(dev);

	return ret ? ret : dev->ops->bo_from_gem(dev, handle, out);
}

SUNDOG_PUBLIC struct sdrm_bo *sdrm_bo_ref(struct sdrm_bo *bo)
{
	if (bo->res)
		sdrm_resource_ref(bo->res);
	atomic_fetch_add(&bo->refs, 1);
	return bo;
}

SUNDOG_PUBLIC void sdrm_bo_del(struct sdrm_bo *bo)
{
	struct sdrm_resource *res;

	if (!bo)
		return;
	res = bo->res;
	if (atomic_fetch_sub(&bo->refs, 1) == 1) {
		if (!res)
			bo->dev->ops->dealloc(bo->dev, NULL, &bo, 1);
		sdrm_bo_free(bo);
	}
	if (res)
		sdrm_resource_del(res);
}

SUNDOG_PUBLIC uint64_t sdrm_bo_size(const struct sdrm_bo *bo)
{
	return bo->size;
}

SUNDOG_PUBLIC struct sundog_mem sdrm_bo_mem(const struct sdrm_bo *bo)
{
	return bo->mem;
}

SUNDOG_PUBLIC uint32_t sdrm_bo_gem(const struct sdrm_bo *bo)
{
	return bo->dev->ops->bo_gem((struct sdrm_bo *)bo);
}

SUNDOG_PUBLIC void *sdrm_bo_map(struct sdrm_bo *bo)
{
	void *map = atomic_load_explicit(&bo->map, memory_order_acquire);

	return map ? map : bo->dev->ops->bo_map(bo);
}

SUNDOG_PUBLIC int sdrm_bo_export(struct sdrm_bo *bo)
{
	return bo->dev->ops->bo_export(bo);
}

SUNDOG_PUBLIC int sdrm_bo_wait(struct sdrm_bo *bo, bool write, int64_t timeout_ns)
{
	return bo->dev->ops->bo_wait(bo, write, timeout_ns);
}
