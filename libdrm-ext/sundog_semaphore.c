// SPDX-License-Identifier: MIT
/*
 * Semaphores: binary DRM syncobjs, which processes share. GL and Vulkan export and import them as
 * opaque file descriptors.
 */
#include "sundog_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <xf86drm.h>

struct sdrm_semaphore {
	struct sdrm_device *dev;
	uint32_t handle;
};

static int semaphore_new(struct sdrm_device *dev, int fd, struct sdrm_semaphore **out)
{
	struct sdrm_semaphore *sem;
	int ret;

	if (dev->fd < 0)
		return -EOPNOTSUPP;
	ret = sdrm_device_connect(dev);
	if (ret)
		return ret;
	sem = calloc(1, sizeof(*sem));
	if (!sem)
		return -ENOMEM;
	ret = fd < 0 ? drmSyncobjCreate(dev->fd, 0, &sem->handle) :
		       drmSyncobjFDToHandle(dev->fd, fd, &sem->handle);
	if (ret) {
		ret = -errno;
		free(sem);
		return ret;
	}
	sem->dev = sdrm_device_ref(dev);
	*out = sem;
	return 0;
}

SUNDOG_PUBLIC int sdrm_semaphore_new(struct sdrm_device *dev, struct sdrm_semaphore **out)
{
	return semaphore_new(dev, -1, out);
}

SUNDOG_PUBLIC int sdrm_semaphore_import(struct sdrm_device *dev, int fd,
					struct sdrm_semaphore **out)
{
	return fd < 0 ? -EBADF : semaphore_new(dev, fd, out);
}

SUNDOG_PUBLIC int sdrm_semaphore_export(struct sdrm_semaphore *sem)
{
	int fd;

	return drmSyncobjHandleToFD(sem->dev->fd, sem->handle, &fd) ? -errno : fd;
}

SUNDOG_PUBLIC void sdrm_semaphore_del(struct sdrm_semaphore *sem)
{
	if (!sem)
		return;
	drmSyncobjDestroy(sem->dev->fd, sem->handle);
	sdrm_device_del(sem->dev);
	free(sem);
}

SUNDOG_PUBLIC int sdrm_semaphore_signal(struct sdrm_semaphore *sem, struct sdrm_fence *fence)
{
	const int fd = sdrm_fence_export(fence);
	int ret;

	if (fd < 0)
		return fd;
	ret = drmSyncobjImportSyncFile(sem->dev->fd, sem->handle, fd) ? -errno : 0;
	close(fd);
	return ret;
}

SUNDOG_PUBLIC int sdrm_semaphore_wait(struct sdrm_semaphore *sem, struct sdrm_fence **out)
{
	struct sdrm_fence *fence;
	int fd, ret;

	if (drmSyncobjExportSyncFile(sem->dev->fd, sem->handle, &fd))
		return errno == EINVAL ? -EAGAIN : -errno;
	ret = sdrm_fence_import(sem->dev, fd, &fence);
	close(fd);
	if (ret)
		return ret;
	if (drmSyncobjReset(sem->dev->fd, &sem->handle, 1)) {
		ret = -errno;
		sdrm_fence_del(fence);
		return ret;
	}
	*out = fence;
	return 0;
}
