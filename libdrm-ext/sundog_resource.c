// SPDX-License-Identifier: MIT
/*
 * Resources: groups of buffers under one kernel handle (kres), for both back ends.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the kernel's uAPI, so that both back ends refuse the same. */
#define MAX_BOS 1024
#define MAX_PRIVATE 4096

static int make_bos(struct sundog_device *dev, struct sundog_resource *res, const uint64_t *sizes,
		    struct sundog_bo **bos, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bos[i] = sundog_bo_alloc(dev, res, sizes[i]);
		if (!bos[i]) {
			while (i--)
				sundog_bo_free(bos[i]);
			return -errno;
		}
	}
	return 0;
}

static void free_bos(struct sundog_bo **bos, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		sundog_bo_free(bos[i]);
}

struct sundog_resource *sundog_resource_alloc(struct sundog_device *dev, uint32_t flags,
					      const uint64_t *sizes, uint32_t count)
{
	struct sundog_resource *res;
	int ret;

	if (count > MAX_BOS) {
		errno = EINVAL;
		return NULL;
	}
	res = calloc(1, sizeof(*res));
	if (!res)
		return NULL;
	atomic_init(&res->refs, 1);
	res->dev = dev;
	res->flags = flags;
	res->bos = calloc(count ? count : 1, sizeof(*res->bos));
	ret = res->bos ? make_bos(dev, res, sizes, res->bos, count) : -ENOMEM;
	if (ret) {
		free(res->bos);
		free(res);
		errno = -ret;
		return NULL;
	}
	res->n_bos = count;
	sundog_device_ref(dev);
	return res;
}

/* Frees the object only, the back end has already destroyed the resource. Its BOs have no other
 * references, since each of them would include one to the resource. */
void sundog_resource_free(struct sundog_resource *res)
{
	struct sundog_device *dev = res->dev;

	for (uint32_t i = 0; i < res->n_bos; i++) {
		if (res->bos[i])
			sundog_bo_free(res->bos[i]);
	}
	free(res->bos);
	free(res->priv);
	free(res);
	sundog_device_del(dev);
}

int sundog_resource_set_private(struct sundog_resource *res, const void *priv, size_t size)
{
	if (!size)
		return 0;
	if (size > MAX_PRIVATE || !priv)
		return -EINVAL;
	res->priv = malloc(size);
	if (!res->priv)
		return -ENOMEM;
	memcpy(res->priv, priv, size);
	res->priv_size = size;
	return 0;
}

SUNDOG_PUBLIC int sundog_resource_new(struct sundog_device *dev, uint32_t flags,
				      const uint64_t *sizes, uint32_t count, const void *priv,
				      size_t priv_size, struct sundog_resource **out)
{
	struct sundog_resource *res;
	int ret;

	if (flags & ~SUNDOG_RESOURCE_SHARED)
		return -EINVAL;
	res = sundog_resource_alloc(dev, flags, sizes, count);
	if (!res)
		return -errno;
	ret = sundog_resource_set_private(res, priv, priv_size);
	if (!ret)
		ret = dev->ops->resource_new(res, priv, priv_size);
	if (ret) {
		sundog_resource_free(res);
		return ret;
	}
	*out = res;
	return 0;
}

SUNDOG_PUBLIC int sundog_resource_open(struct sundog_device *dev, int fd, uint32_t *index,
				       struct sundog_resource **out)
{
	return dev->ops->resource_open(dev, fd, index, out);
}

/* Adds BOs to the array at their index. The caller holds dev->lock. */
static int place_bos(struct sundog_resource *res, struct sundog_bo **bos, uint32_t count)
{
	struct sundog_bo **grown;
	uint32_t n = res->n_bos;

	for (uint32_t i = 0; i < count; i++) {
		if (n <= bos[i]->mem.index)
			n = bos[i]->mem.index + 1;
	}
	grown = realloc(res->bos, n * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + res->n_bos, 0, (n - res->n_bos) * sizeof(*grown));
	for (uint32_t i = 0; i < count; i++)
		grown[bos[i]->mem.index] = bos[i];
	res->bos = grown;
	res->n_bos = n;
	return 0;
}

SUNDOG_PUBLIC int sundog_resource_add(struct sundog_resource *res, const uint64_t *sizes,
				      uint32_t count, struct sundog_bo **bos)
{
	struct sundog_device *dev = res->dev;
	int ret;

	if (!count || count > MAX_BOS)
		return -EINVAL;
	ret = make_bos(dev, res, sizes, bos, count);
	if (ret)
		return ret;
	ret = dev->ops->alloc(dev, res, bos, count);
	if (!ret) {
		sundog_lock(&dev->lock);
		ret = place_bos(res, bos, count);
		sundog_unlock(&dev->lock);
		if (ret)
			dev->ops->dealloc(dev, res, bos, count);
	}
	if (ret)
		free_bos(bos, count);
	return ret;
}

SUNDOG_PUBLIC struct sundog_resource *sundog_resource_ref(struct sundog_resource *res)
{
	atomic_fetch_add(&res->refs, 1);
	return res;
}

SUNDOG_PUBLIC void sundog_resource_del(struct sundog_resource *res)
{
	if (!res || atomic_fetch_sub(&res->refs, 1) != 1)
		return;
	res->dev->ops->resource_fini(res);
	sundog_resource_free(res);
}

SUNDOG_PUBLIC bool sundog_resource_is_unique(const struct sundog_resource *res)
{
	return atomic_load(&res->refs) == 1;
}

SUNDOG_PUBLIC uint32_t sundog_resource_kres(const struct sundog_resource *res)
{
	return res->kres;
}

SUNDOG_PUBLIC uint32_t sundog_resource_count(const struct sundog_resource *res)
{
	uint32_t count;

	sundog_lock(&res->dev->lock);
	count = res->n_bos;
	sundog_unlock(&res->dev->lock);
	return count;
}

SUNDOG_PUBLIC struct sundog_bo *sundog_resource_bo(struct sundog_resource *res, uint32_t index)
{
	struct sundog_bo *bo;

	sundog_lock(&res->dev->lock);
	bo = index < res->n_bos ? res->bos[index] : NULL;
	sundog_unlock(&res->dev->lock);
	return bo;
}

SUNDOG_PUBLIC const void *sundog_resource_private(const struct sundog_resource *res, size_t *size)
{
	*size = res->priv_size;
	return res->priv;
}

/* Removes the BOs from the array, all or none. -EINVAL: an index has no BO or is there twice. The
 * caller holds dev->lock. */
static int take_bos(struct sundog_resource *res, const uint32_t *indices, uint32_t count,
		    struct sundog_bo **bos)
{
	for (uint32_t i = 0; i < count; i++) {
		bos[i] = indices[i] < res->n_bos ? res->bos[indices[i]] : NULL;
		if (!bos[i]) {
			while (i--)
				res->bos[indices[i]] = bos[i];
			return -EINVAL;
		}
		res->bos[indices[i]] = NULL;
	}
	return 0;
}

static int free_some(struct sundog_resource *res, const uint32_t *indices, uint32_t count)
{
	struct sundog_device *dev = res->dev;
	struct sundog_bo **bos;
	int ret;

	if (!count || count > MAX_BOS)
		return -EINVAL;
	if (res->flags & SUNDOG_RESOURCE_SHARED)
		return -EBUSY;
	bos = calloc(count, sizeof(*bos));
	if (!bos)
		return -ENOMEM;
	sundog_lock(&dev->lock);
	ret = take_bos(res, indices, count, bos);
	sundog_unlock(&dev->lock);
	if (!ret) {
		ret = dev->ops->dealloc(dev, res, bos, count);
		sundog_lock(&dev->lock);
		for (uint32_t i = 0; ret && i < count; i++)
			res->bos[indices[i]] = bos[i];
		sundog_unlock(&dev->lock);
		for (uint32_t i = 0; !ret && i < count; i++) {
			if (atomic_fetch_sub(&bos[i]->refs, 1) == 1)
				sundog_bo_free(bos[i]);
		}
	}
	free(bos);
	return ret;
}

SUNDOG_PUBLIC int sundog_allocation_destroy(struct sundog_device *dev, struct sundog_resource *res,
					    const uint32_t *indices, uint32_t count, uint32_t flags)
{
	if (!res || res->dev != dev || flags & ~SUNDOG_DESTROY_RESOURCE)
		return -EINVAL;
	if (!(flags & SUNDOG_DESTROY_RESOURCE))
		return free_some(res, indices, count);
	sundog_resource_del(res);
	return 0;
}
