// SPDX-License-Identifier: MIT
/*
 * Measures how many resources a second a kernel driver creates and destroys by ioctl, each with one
 * page of memory that is never accessed. With LIVE resources alive at the same time, it also prints
 * the rates of their creation and destruction, and the kernel memory that each takes. Prints JSON.
 *
 * usage: resource-rate sundog|virtio_gpu [SECONDS [LIVE]]
 */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <virtgpu_drm.h>
#include <xf86drm.h>

#include "rate.h"
#include "sundog_drm.h"

#define SIZE 4096
#define CHUNK 64	/* pairs between two reads of the clock */

/*
 * VIRGL_BIND_SAMPLER_VIEW, VIRGL_FORMAT_B8G8R8A8_UNORM and PIPE_TEXTURE_2D of virglrenderer's
 * protocol.
 */
#define VIRGL_SAMPLER_VIEW 8
#define VIRGL_B8G8R8A8 1
#define VIRGL_2D 2

struct driver {
	const char *name;
	uint64_t (*create)(int fd);
	void (*destroy)(int fd, uint64_t id);
};

static void must(int fd, unsigned long request, void *arg, const char *what)
{
	if (drmIoctl(fd, request, arg))
		err(1, "%s", what);
}

static uint64_t sundog_create(int fd)
{
	struct drm_sundog_alloc_desc desc = { .size = SIZE };
	struct drm_sundog_resource_create args = {
		.allocs = (uintptr_t)&desc,
		.n_allocs = 1,
		.alloc_stride = sizeof(desc),
	};

	must(fd, DRM_IOCTL_SUNDOG_RESOURCE_CREATE, &args, "RESOURCE_CREATE");
	return args.res;
}

static void sundog_destroy(int fd, uint64_t id)
{
	struct drm_sundog_resource_destroy args = { .res = id };

	must(fd, DRM_IOCTL_SUNDOG_RESOURCE_DESTROY, &args, "RESOURCE_DESTROY");
}

static uint64_t virtio_create(int fd)
{
	struct drm_virtgpu_resource_create args = {
		.target = VIRGL_2D,
		.format = VIRGL_B8G8R8A8,
		.bind = VIRGL_SAMPLER_VIEW,
		.width = 32,
		.height = SIZE / 4 / 32,
		.depth = 1,
		.array_size = 1,
		.size = SIZE,
		.stride = 32 * 4,
	};

	must(fd, DRM_IOCTL_VIRTGPU_RESOURCE_CREATE, &args, "VIRTGPU_RESOURCE_CREATE");
	return args.bo_handle;
}

static void virtio_destroy(int fd, uint64_t id)
{
	struct drm_gem_close args = { .handle = id };

	must(fd, DRM_IOCTL_GEM_CLOSE, &args, "GEM_CLOSE");
}

static const struct driver drivers[] = {
	{ "sundog", sundog_create, sundog_destroy },
	{ "virtio_gpu", virtio_create, virtio_destroy },
};

static const struct driver *find_driver(const char *name)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(drivers[i].name, name))
			return &drivers[i];
	errx(1, "no driver '%s'", name);
}

static int open_node(const char *name)
{
	drmVersionPtr version;
	char path[64];
	bool found;
	int fd;

	for (int minor = 128; minor < 192; minor++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		version = drmGetVersion(fd);
		found = version && !strcmp(version->name, name);
		drmFreeVersion(version);
		if (found)
			return fd;
		close(fd);
	}
	errx(1, "no device of driver '%s'", name);
}

/* Returns MemAvailable in bytes; memory that the kernel keeps for itself is not in it. */
static double available(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];
	double kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %lf", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib * 1024;
}

/* Returns the pairs of create and destroy per second, over at least @seconds. */
static double measure(const struct driver *driver, int fd, double seconds)
{
	const double start = rate_now();
	unsigned long pairs = 0;
	double end;

	do {
		for (int i = 0; i < CHUNK; i++)
			driver->destroy(fd, driver->create(fd));
		pairs += CHUNK;
		end = rate_now();
	} while (end - start < seconds);
	return (double)pairs / (end - start);
}

int main(int argc, char **argv)
{
	const struct driver *driver = find_driver(argc > 1 ? argv[1] : "sundog");
	const double seconds = argc > 2 ? atof(argv[2]) : 2.0;
	const long live = argc > 3 ? atol(argv[3]) : 0;
	uint64_t *ids = calloc((size_t)live + 1, sizeof(*ids));
	int fd = open_node(driver->name);
	double start, before;

	if (!ids)
		err(1, "calloc");
	/* Fault the pages of @ids in before the memory is counted. */
	memset(ids, 0xff, ((size_t)live + 1) * sizeof(*ids));
	driver->destroy(fd, driver->create(fd));
	printf("{\"group\": \"resources\", \"driver\": \"%s\", \"live\": %ld", driver->name, live);
	before = available();
	start = rate_now();
	for (long i = 0; i < live; i++)
		ids[i] = driver->create(fd);
	if (live)
		printf(", \"creates_per_second\": %.0f, \"bytes_each\": %.0f",
		       (double)live / (rate_now() - start),
		       (before - available()) / (double)live);
	printf(", \"pairs_per_second\": %.0f", measure(driver, fd, seconds));
	start = rate_now();
	for (long i = 0; i < live; i++)
		driver->destroy(fd, ids[i]);
	if (live)
		printf(", \"destroys_per_second\": %.0f", (double)live / (rate_now() - start));
	printf("}\n");
	close(fd);
	free(ids);
	return 0;
}
