// SPDX-License-Identifier: MIT
/*
 * Devices: the part that both back ends have in common, and the allocator of object ids.
 */
#include "sundog_priv.h"

#include <stdlib.h>

void sundog_device_init(struct sundog_device *dev, const struct sundog_ops *ops)
{
	atomic_init(&dev->refs, 1);
	dev->ops = ops;
	dev->fd = dev->socket = -1;
	sundog_ids_init(&dev->objects, SUNDOG_MAX_OBJECTS);
	sundog_lock_init(&dev->lock);
	sundog_fork_add(dev);
}

void sundog_device_fini(struct sundog_device *dev)
{
	sundog_fork_remove(dev);
	sundog_ids_fini(&dev->objects);
	sundog_lock_fini(&dev->lock);
}

bool sundog_ref_get(atomic_uint *refs)
{
	unsigned int count = atomic_load(refs);

	while (count) {
		if (atomic_compare_exchange_weak(refs, &count, count + 1))
			return true;
	}
	return false;
}

SUNDOG_PUBLIC struct sundog_device *sundog_device_ref(struct sundog_device *dev)
{
	atomic_fetch_add(&dev->refs, 1);
	return dev;
}

SUNDOG_PUBLIC void sundog_device_del(struct sundog_device *dev)
{
	if (dev && atomic_fetch_sub(&dev->refs, 1) == 1)
		dev->ops->device_fini(dev);
}

SUNDOG_PUBLIC int sundog_device_fd(const struct sundog_device *dev)
{
	return dev->fd;
}

SUNDOG_PUBLIC const struct sundog_caps *sundog_device_caps(const struct sundog_device *dev)
{
	return &dev->caps;
}

SUNDOG_PUBLIC uint64_t sundog_device_vram_size(const struct sundog_device *dev)
{
	return dev->vram_size;
}

SUNDOG_PUBLIC uint64_t sundog_device_vram_free(struct sundog_device *dev)
{
	return dev->ops->vram_free(dev);
}

SUNDOG_PUBLIC uint32_t sundog_object_id_new(struct sundog_device *dev)
{
	uint32_t id;

	sundog_lock(&dev->lock);
	id = sundog_ids_new(&dev->objects);
	sundog_unlock(&dev->lock);
	return id;
}

SUNDOG_PUBLIC void sundog_object_id_del(struct sundog_device *dev, uint32_t id)
{
	if (!id)
		return;
	sundog_lock(&dev->lock);
	sundog_ids_del(&dev->objects, id);
	sundog_unlock(&dev->lock);
}
