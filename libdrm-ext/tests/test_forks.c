// SPDX-License-Identifier: MIT
/*
 * Unit test of DRM devices in forked children. Plays the kernel driver by functions of libdrm,
 * which the library calls instead of libdrm's; its device node is /dev/null.
 */
#include "check.h"
#include "sundog.h"
#include "sundog_drm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#define NODE "/dev/null"
#define BOS 8
#define IMPORT_SIZE (64 * 4096)
#define FILES 64

static uint32_t last_handle;

static void alloc(const struct drm_sundog_alloc *args)
{
	struct drm_sundog_alloc_desc *descs = (void *)(uintptr_t)args->allocs;

	for (uint32_t i = 0; i < args->n_allocs; i++)
		descs[i].handle = descs[i].device_handle = ++last_handle;
}

static bool is_node(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

int drmIoctl(int fd, unsigned long request, void *arg)
{
	struct drm_sundog_get_param *param = arg;

	if (!is_node(fd)) {
		errno = ENOTTY;
		return -1;
	}
	if (request == DRM_IOCTL_SUNDOG_GET_PARAM)
		param->value = param->param == DRM_SUNDOG_PARAM_PROTOCOL ? SUNDOG_VERSION : 1 << 20;
	else if (request == DRM_IOCTL_SUNDOG_GET_CAPS)
		((struct drm_sundog_get_caps *)arg)->version = SUNDOG_VERSION;
	else if (request == DRM_IOCTL_SUNDOG_ALLOC)
		alloc(arg);
	else if (request == DRM_IOCTL_SUNDOG_ALLOC_INFO)
		((struct drm_sundog_alloc_info *)arg)->size = IMPORT_SIZE;
	return 0;
}

drmVersionPtr drmGetVersion(int fd)
{
	static char name[] = "sundog";
	static drmVersion version = { .version_major = 3, .name = name };

	return is_node(fd) ? &version : NULL;
}

void drmFreeVersion(drmVersionPtr version)
{
	(void)version;
}

int drmGetNodeTypeFromDevId(dev_t number)
{
	return number == makedev(1, 3) ? DRM_NODE_RENDER : -EINVAL;
}

int drmGetDeviceFromDevId(dev_t number, uint32_t flags, drmDevicePtr *out)
{
	static char node[] = NODE;
	static char *nodes[DRM_NODE_MAX] = { node, node, node };
	static drmDevice device = { .nodes = nodes };

	(void)number, (void)flags;
	*out = &device;
	return 0;
}

void drmFreeDevice(drmDevicePtr *device)
{
	(void)device;
}

int drmPrimeFDToHandle(int fd, int prime, uint32_t *handle)
{
	(void)fd, (void)prime;
	*handle = ++last_handle;
	return 0;
}

int drmCloseBufferHandle(int fd, uint32_t handle)
{
	(void)fd, (void)handle;
	return 0;
}

static struct sdrm_device *open_device(void)
{
	const int fd = open(NODE, O_RDWR | O_CLOEXEC);
	struct sdrm_device *dev = sdrm_device_new(fd);

	CHECK(dev);
	close(fd);
	return dev;
}

static void in_child(struct sdrm_device *dev, void (*what)(struct sdrm_device *dev))
{
	const pid_t child = fork();
	int status = -1;

	if (!child) {
		alarm(60);
		what(dev);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
}

static bool works(struct sdrm_device *dev)
{
	struct sdrm_bo *bo;

	if (sdrm_bo_new(dev, 4096, &bo))
		return false;
	sdrm_bo_del(bo);
	return true;
}

static struct sdrm_bo *copies[BOS];

/* The new file has the handles again that the parent's BOs have. */
static void import_after_copies(struct sdrm_device *dev)
{
	struct sdrm_bo *bo = NULL;

	for (int i = 0; i < BOS; i++)
		sdrm_bo_del(copies[i]);
	last_handle = 0;
	CHECK(!sdrm_bo_import(dev, 0, &bo));
	CHECK(sdrm_bo_size(bo) == IMPORT_SIZE);
	sdrm_bo_del(bo);
}

static void test_handles(void)
{
	struct sdrm_device *dev = open_device();

	for (int i = 0; i < BOS; i++)
		CHECK(!sdrm_bo_new(dev, 4096, &copies[i]));
	in_child(dev, import_after_copies);
	for (int i = 0; i < BOS; i++)
		sdrm_bo_del(copies[i]);
	sdrm_device_del(dev);
}

static void use_device(struct sdrm_device *dev)
{
	const int fd = sdrm_device_fd(dev);

	CHECK(!is_node(fd) && mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK(works(dev) && sdrm_device_fd(dev) == fd && is_node(fd));
}

static void close_files(void)
{
	for (int fd = 3; fd < 3 + FILES; fd++)
		close(fd);
}

static void use_without_files(struct sdrm_device *dev)
{
	const int fd = sdrm_device_fd(dev);

	close_files();
	CHECK(works(dev) && sdrm_device_fd(dev) == fd && is_node(fd));
}

/* Like a daemon, which closes all files and opens others. */
static void use_with_files(struct sdrm_device *dev)
{
	struct stat before[FILES], after;
	int fds[FILES];

	close_files();
	for (int i = 0; i < FILES; i++) {
		fds[i] = memfd_create("own", MFD_CLOEXEC);
		CHECK(fds[i] >= 0 && !fstat(fds[i], &before[i]));
	}
	CHECK(!works(dev));
	for (int i = 0; i < FILES; i++)
		CHECK(!fstat(fds[i], &after) && after.st_ino == before[i].st_ino);
	close(sdrm_device_fd(dev));
	CHECK(works(dev));
}

static void test_files(void)
{
	struct sdrm_device *dev = open_device();

	in_child(dev, use_device);
	in_child(dev, use_without_files);
	in_child(dev, use_with_files);
	CHECK(works(dev));
	sdrm_device_del(dev);
}

int main(void)
{
	test_handles();
	test_files();
	return 0;
}
