// SPDX-License-Identifier: MIT
/*
 * Devices: the part that both back ends have in common, and the allocator of object ids.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sdrm_device_init(struct sdrm_device *dev, const struct sdrm_ops *ops)
{
	atomic_init(&dev->refs, 1);
	atomic_init(&dev->inherited, NULL);
	dev->ops = ops;
	dev->fd = dev->socket = -1;
	sdrm_ids_init(&dev->objects, SUNDOG_MAX_OBJECTS);
	sdrm_lock_init(&dev->lock);
	sdrm_fork_add(dev);
}

void sdrm_device_fini(struct sdrm_device *dev)
{
	sdrm_fork_remove(dev);
	sdrm_ids_fini(&dev->objects);
	sdrm_lock_fini(&dev->lock);
}

bool sdrm_device_is(const struct sdrm_device *dev, const struct sundog_caps *caps,
		    uint64_t vram_size)
{
	return dev->vram_size == vram_size && !memcmp(&dev->caps, caps, sizeof(*caps));
}

int sdrm_version_differs(const char *text, unsigned int major, unsigned int minor,
			 unsigned int ours)
{
	fprintf(stderr, "libdrm_sundog: %s %u.%u, this library needs %u.x: install the kernel "
		"module, QEMU, the renderer and the Mesa drivers of one release\n", text, major,
		minor, ours);
	return -EPROTONOSUPPORT;
}

bool sdrm_ref_get(atomic_uint *refs)
{
	unsigned int count = atomic_load(refs);

	while (count) {
		if (atomic_compare_exchange_weak(refs, &count, count + 1))
			return true;
	}
	return false;
}

SUNDOG_PUBLIC struct sdrm_device *sdrm_device_ref(struct sdrm_device *dev)
{
	atomic_fetch_add(&dev->refs, 1);
	return dev;
}

SUNDOG_PUBLIC void sdrm_device_del(struct sdrm_device *dev)
{
	if (dev && atomic_fetch_sub(&dev->refs, 1) == 1)
		dev->ops->device_fini(dev);
}

SUNDOG_PUBLIC int sdrm_device_fd(const struct sdrm_device *dev)
{
	return dev->fd;
}

SUNDOG_PUBLIC const struct sundog_caps *sdrm_device_caps(const struct sdrm_device *dev)
{
	return &dev->caps;
}

SUNDOG_PUBLIC uint64_t sdrm_device_vram_size(const struct sdrm_device *dev)
{
	return dev->vram_size;
}

SUNDOG_PUBLIC uint64_t sdrm_device_vram_free(struct sdrm_device *dev)
{
	return sdrm_device_connect(dev) ? 0 : dev->ops->vram_free(dev);
}

SUNDOG_PUBLIC uint32_t sdrm_object_id_new(struct sdrm_device *dev)
{
	uint32_t id;

	sdrm_lock(&dev->lock);
	id = sdrm_ids_new(&dev->objects);
	sdrm_unlock(&dev->lock);
	return id;
}

SUNDOG_PUBLIC void sdrm_object_id_del(struct sdrm_device *dev, uint32_t id)
{
	if (!id)
		return;
	sdrm_lock(&dev->lock);
	sdrm_ids_del(&dev->objects, id);
	sdrm_unlock(&dev->lock);
}
