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

static int make_bos(struct sdrm_device *dev, struct sdrm_resource *res, const uint64_t *sizes,
		    struct sdrm_bo **bos, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bos[i] = sdrm_bo_alloc(dev, res, sizes[i]);
		if (!bos[i]) {
			while (i--)
				sdrm_bo_free(bos[i]);
			return -errno;
		}
	}
	return 0;
}

static void free_bos(struct sdrm_bo **bos, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		sdrm_bo_free(bos[i]);
}

struct sdrm_resource *sdrm_resource_alloc(struct sdrm_device *dev, uint32_t flags,
					  const uint64_t *sizes, uint32_t count)
{
	struct sdrm_resource *res;
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
	sdrm_device_ref(dev);
	return res;
}

/* Frees the object only, the back end has already destroyed the resource. Its BOs have no other
 * references, since each of them would include one to the resource. */
void sdrm_resource_free(struct sdrm_resource *res)
{
	struct sdrm_device *dev = res->dev;

	for (uint32_t i = 0; i < res->n_bos; i++) {
		if (res->bos[i])
			sdrm_bo_free(res->bos[i]);
	}
	free(res->bos);
	free(res->priv);
	free(res);
	sdrm_device_del(dev);
}

int sdrm_resource_set_private(struct sdrm_resource *res, const void *priv, size_t size)
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

SUNDOG_PUBLIC int sdrm_resource_new(struct sdrm_device *dev, uint32_t flags,
				    const uint64_t *sizes, uint32_t count, const void *priv,
				    size_t priv_size, struct sdrm_resource **out)
{
	struct sdrm_resource *res;
	int ret;

	if (flags & ~SDRM_RESOURCE_SHARED)
		return -EINVAL;
	ret = sdrm_device_connect(dev);
	if (ret)
		return ret;
	res = sdrm_resource_alloc(dev, flags, sizes, count);
	if (!res)
		return -errno;
	ret = sdrm_resource_set_private(res, priv, priv_size);
	if (!ret)
		ret = dev->ops->resource_new(res, priv, priv_size);
	if (ret) {
		sdrm_resource_free(res);
		return ret;
	}
	*out = res;
	return 0;
}

SUNDOG_PUBLIC int sdrm_resource_open(struct sdrm_device *dev, int fd, uint32_t *index,
				     struct sdrm_resource **out)
{
	const int ret = sdrm_device_connect(dev);

	return ret ? ret : dev->ops->resource_open(dev, fd, index, out);
}

/* Adds BOs to the array at their index. The caller holds dev->lock. */
static int place_bos(struct sdrm_resource *res, struct sdrm_bo **bos, uint32_t count)
{
	struct sdrm_bo **grown;
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

SUNDOG_PUBLIC int sdrm_resource_add(struct sdrm_resource *res, const uint64_t *sizes,
				    uint32_t count, struct sdrm_bo **bos)
{
	struct sdrm_device *dev = res->dev;
	int ret;

	if (!count || count > MAX_BOS)
		return -EINVAL;
	ret = make_bos(dev, res, sizes, bos, count);
	if (ret)
		return ret;
	ret = dev->ops->alloc(dev, res, bos, count);
	if (!ret) {
		sdrm_lock(&dev->lock);
		ret = place_bos(res, bos, count);
		sdrm_unlock(&dev->lock);
		if (ret)
			dev->ops->dealloc(dev, res, bos, count);
	}
	if (ret)
		free_bos(bos, count);
	return ret;
}

SUNDOG_PUBLIC struct sdrm_resource *sdrm_resource_ref(struct sdrm_resource *res)
{
	atomic_fetch_add(&res->refs, 1);
	return res;
}

SUNDOG_PUBLIC void sdrm_resource_del(struct sdrm_resource *res)
{
	if (!res || atomic_fetch_sub(&res->refs, 1) != 1)
		return;
	res->dev->ops->resource_fini(res);
	sdrm_resource_free(res);
}

SUNDOG_PUBLIC bool sdrm_resource_is_unique(const struct sdrm_resource *res)
{
	return atomic_load(&res->refs) == 1;
}

SUNDOG_PUBLIC uint32_t sdrm_resource_kres(const struct sdrm_resource *res)
{
	return res->kres;
}

SUNDOG_PUBLIC uint32_t sdrm_resource_count(const struct sdrm_resource *res)
{
	uint32_t count;

	sdrm_lock(&res->dev->lock);
	count = res->n_bos;
	sdrm_unlock(&res->dev->lock);
	return count;
}

SUNDOG_PUBLIC struct sdrm_bo *sdrm_resource_bo(struct sdrm_resource *res, uint32_t index)
{
	struct sdrm_bo *bo;

	sdrm_lock(&res->dev->lock);
	bo = index < res->n_bos ? res->bos[index] : NULL;
	sdrm_unlock(&res->dev->lock);
	return bo;
}

SUNDOG_PUBLIC const void *sdrm_resource_private(const struct sdrm_resource *res, size_t *size)
{
	*size = res->priv_size;
	return res->priv;
}

/* Removes the BOs from the array, all or none. -EINVAL: an index has no BO or is there twice. The
 * caller holds dev->lock. */
static int take_bos(struct sdrm_resource *res, const uint32_t *indices, uint32_t count,
		    struct sdrm_bo **bos)
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

static int free_some(struct sdrm_resource *res, const uint32_t *indices, uint32_t count)
{
	struct sdrm_device *dev = res->dev;
	struct sdrm_bo **bos;
	int ret;

	if (!count || count > MAX_BOS)
		return -EINVAL;
	if (res->flags & SDRM_RESOURCE_SHARED)
		return -EBUSY;
	bos = calloc(count, sizeof(*bos));
	if (!bos)
		return -ENOMEM;
	sdrm_lock(&dev->lock);
	ret = take_bos(res, indices, count, bos);
	sdrm_unlock(&dev->lock);
	if (!ret) {
		ret = dev->ops->dealloc(dev, res, bos, count);
		sdrm_lock(&dev->lock);
		for (uint32_t i = 0; ret && i < count; i++)
			res->bos[indices[i]] = bos[i];
		sdrm_unlock(&dev->lock);
		for (uint32_t i = 0; !ret && i < count; i++) {
			if (atomic_fetch_sub(&bos[i]->refs, 1) == 1)
				sdrm_bo_free(bos[i]);
		}
	}
	free(bos);
	return ret;
}

SUNDOG_PUBLIC int sdrm_allocation_destroy(struct sdrm_device *dev, struct sdrm_resource *res,
					  const uint32_t *indices, uint32_t count, uint32_t flags)
{
	if (!res || res->dev != dev || flags & ~SDRM_DESTROY_RESOURCE)
		return -EINVAL;
	if (!(flags & SDRM_DESTROY_RESOURCE))
		return free_some(res, indices, count);
	sdrm_resource_del(res);
	return 0;
}
