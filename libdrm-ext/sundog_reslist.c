// SPDX-License-Identifier: MIT
/*
 * Residency lists: buffers that many submissions use. The DRM back end has an object of the kernel
 * for each; the direct one lists the buffers with every submission, as its renderer wants it.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <stdlib.h>

SUNDOG_PUBLIC int sdrm_reslist_new(struct sdrm_device *dev, struct sdrm_reslist **out)
{
	struct sdrm_reslist *list;
	int ret = sdrm_device_connect(dev);

	if (ret)
		return ret;
	list = calloc(1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	atomic_init(&list->refs, 1);
	list->dev = dev;
	if (dev->ops->reslist_init)
		ret = dev->ops->reslist_init(list);
	if (ret) {
		free(list);
		return ret;
	}
	sdrm_lock_init(&list->lock);
	sdrm_device_ref(dev);
	*out = list;
	return 0;
}

SUNDOG_PUBLIC struct sdrm_reslist *sdrm_reslist_ref(struct sdrm_reslist *list)
{
	atomic_fetch_add(&list->refs, 1);
	return list;
}

SUNDOG_PUBLIC void sdrm_reslist_del(struct sdrm_reslist *list)
{
	struct sdrm_device *dev;

	if (!list || atomic_fetch_sub(&list->refs, 1) != 1)
		return;
	dev = list->dev;
	if (dev->ops->reslist_fini)
		dev->ops->reslist_fini(list);
	for (uint32_t i = 0; i < list->list.count; i++)
		if (list->list.items[i].access)
			sdrm_bo_del(list->list.items[i].bo);
	sdrm_list_fini(&list->list);
	sdrm_lock_fini(&list->lock);
	free(list);
	sdrm_device_del(dev);
}

/* Puts @bo on the list or removes it, see sdrm_reslist_set(). The item of a removed BO stays with
 * access 0, and a new BO at the same address reuses it. The caller holds list->lock. */
static int set_item(struct sdrm_reslist *list, struct sdrm_bo *bo, uint32_t access)
{
	struct sdrm_list_item *item = sdrm_list_find(&list->list, bo);
	const bool there = item && item->access;
	int ret;

	if (!access && !there)
		return -ENOENT;
	if (!there && list->n == list->dev->max_list)
		return -EDQUOT;
	if (!item)
		item = sdrm_list_add(&list->list, bo);
	if (!item)
		return -ENOMEM;
	/* A freed BO stays on the kernel's list: it has no handle by which to remove it. */
	ret = list->dev->ops->reslist_set && bo->handle ?
	      list->dev->ops->reslist_set(list, bo, access) : 0;
	if (ret)
		return ret;
	item->access = access;
	if (access && !there) {
		sdrm_bo_ref(bo);
		list->n++;
	} else if (!access) {
		list->n--;
		sdrm_bo_del(bo);
	}
	return 0;
}

SUNDOG_PUBLIC int sdrm_reslist_set(struct sdrm_reslist *list, struct sdrm_bo *bo,
				   uint32_t access)
{
	int ret;

	if ((access && !bo->handle) || access & ~(SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE))
		return -EINVAL;
	sdrm_lock(&list->lock);
	ret = set_item(list, bo, access);
	sdrm_unlock(&list->lock);
	return ret;
}

int sdrm_reslist_add_to(struct sdrm_reslist *list, struct sdrm_submit *submit)
{
	int ret = 0;

	sdrm_lock(&list->lock);
	for (uint32_t i = 0; !ret && i < list->list.count; i++) {
		const struct sdrm_list_item *item = &list->list.items[i];

		if (item->access && item->bo->handle)
			ret = sdrm_submit_add(submit, item->bo, item->access);
	}
	sdrm_unlock(&list->lock);
	return ret;
}
