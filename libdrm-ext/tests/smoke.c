// SPDX-License-Identifier: MIT
/*
 * Smoke test of a real device, through either back end:
 *
 *   sundog-smoke --direct SOCKET	a running sundog-renderd
 *   sundog-smoke --drm /dev/dri/...	the kernel driver
 *
 * Fills and copies buffers on the device, reads the result, and checks that a fault of one context
 * does not affect another. With the driver it also shares buffers and fences between two open
 * files. Prints the time that a submission and a buffer take.
 */
#include "check.h"
#include "sundog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SIZE 65536
#define ROUNDS 1000

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void flush_and_wait(struct sundog_submit *submit)
{
	struct sundog_fence *fence;

	CHECK(!sundog_submit_flush(submit, -1, &fence));
	CHECK(!sundog_fence_wait(fence, SUNDOG_FOREVER));
	sundog_fence_del(fence);
}

static void emit_nop(struct sundog_submit *submit)
{
	const struct sundog_cmd_nop nop = { 0 };

	sundog_emit_nop(sundog_submit_stream(submit), &nop, NULL);
}

static void fill(struct sundog_submit *submit, struct sundog_bo *bo, uint32_t value)
{
	const struct sundog_cmd_fill_buffer packet = {
		.dst = { .mem = sundog_bo_mem(bo), .size = SIZE },
		.value = value,
	};

	sundog_emit_fill_buffer(sundog_submit_stream(submit), &packet);
	CHECK(!sundog_submit_add(submit, bo, SUNDOG_ACCESS_WRITE));
}

static void copy(struct sundog_submit *submit, struct sundog_bo *src, struct sundog_bo *dst)
{
	const struct sundog_cmd_copy_buffer packet = {
		.src = sundog_bo_mem(src),
		.dst = sundog_bo_mem(dst),
		.size = SIZE,
	};

	sundog_emit_copy_buffer(sundog_submit_stream(submit), &packet);
	CHECK(!sundog_submit_add(submit, src, SUNDOG_ACCESS_READ));
	CHECK(!sundog_submit_add(submit, dst, SUNDOG_ACCESS_WRITE));
}

static void check_filled(struct sundog_bo *bo, uint32_t value)
{
	const uint32_t *map = sundog_bo_map(bo);

	CHECK(map);
	for (int i = 0; i < SIZE / 4; i++)
		CHECK(map[i] == value);
}

static void look_at_copies(struct sundog_device *dev, struct sundog_submit *submit)
{
	const uint64_t sizes[] = { SIZE, SIZE };
	struct sundog_resource *res;
	struct sundog_bo *bo;

	CHECK(!sundog_bo_new(dev, SIZE, &bo));
	CHECK(!sundog_resource_new(dev, 0, sizes, 2, NULL, 0, &res));
	check_filled(bo, 0);
	fill(submit, sundog_resource_bo(res, 0), 0x12345678);
	flush_and_wait(submit);
	copy(submit, sundog_resource_bo(res, 0), sundog_resource_bo(res, 1));
	flush_and_wait(submit);
	copy(submit, sundog_resource_bo(res, 1), bo);
	CHECK(!sundog_submit_flush(submit, -1, NULL));
	CHECK(!sundog_bo_wait(bo, false, SUNDOG_FOREVER));
	check_filled(bo, 0x12345678);
	sundog_bo_del(bo);
	sundog_resource_del(res);
}

/* Opens a shared resource in another open file: all allocations and the private data are there. */
static void look_at_shared(struct sundog_device *dev, struct sundog_device *other)
{
	const uint64_t sizes[] = { SIZE, 3 * SIZE, SIZE, SIZE, SIZE, SIZE };
	struct sundog_resource *res, *opened;
	uint32_t index, *map;
	size_t size;
	int fd;

	CHECK(!sundog_resource_new(dev, SUNDOG_RESOURCE_SHARED, sizes, 6, "private", 8, &res));
	map = sundog_bo_map(sundog_resource_bo(res, 1));
	map[0] = 0xfeed;
	fd = sundog_bo_export(sundog_resource_bo(res, 1));
	CHECK(fd >= 0);
	CHECK(!sundog_resource_open(other, fd, &index, &opened));
	close(fd);
	CHECK(index == 1 && sundog_resource_count(opened) == 6);
	CHECK(sundog_resource_kres(opened) == sundog_resource_kres(res));
	CHECK(!strcmp(sundog_resource_private(opened, &size), "private") && size == 8);
	CHECK(sundog_bo_size(sundog_resource_bo(opened, 1)) == 3 * SIZE);
	sundog_resource_del(res);
	map = sundog_bo_map(sundog_resource_bo(opened, 1));
	CHECK(map[0] == 0xfeed);
	sundog_resource_del(opened);
}

/* Imports dma-bufs: one BO per GEM handle, also for a dma-buf that the same file exported. */
static void look_at_imports(struct sundog_device *dev, struct sundog_device *other)
{
	struct sundog_bo *bo, *again, *foreign, *twice;
	struct sundog_resource *res;
	uint32_t index;
	int fd;

	CHECK(!sundog_bo_new(dev, SIZE, &bo));
	fd = sundog_bo_export(bo);
	CHECK(fd >= 0);
	CHECK(sundog_resource_open(other, fd, &index, &res) == -ENOENT);
	CHECK(!sundog_bo_import(dev, fd, &again) && again == bo);
	CHECK(!sundog_bo_from_gem(dev, sundog_bo_gem(bo), &again) && again == bo);
	CHECK(!sundog_bo_import(other, fd, &foreign) && !sundog_bo_import(other, fd, &twice));
	CHECK(foreign == twice && sundog_bo_size(foreign) == SIZE);
	CHECK(sundog_bo_mem(foreign).index == sundog_bo_mem(bo).index);
	close(fd);
	for (int i = 0; i < 3; i++)
		sundog_bo_del(bo);
	check_filled(foreign, 0);
	sundog_bo_del(foreign);
	sundog_bo_del(twice);
}

/* The mappings of large buffers of one size are not adjacent: see apart() in sundog_drm.c. */
static void look_at_maps(struct sundog_device *dev)
{
	const size_t size = 1 << 20;
	struct sundog_bo *bos[4];
	char *maps[4];

	for (int i = 0; i < 4; i++) {
		CHECK(!sundog_bo_new(dev, size, &bos[i]));
		maps[i] = sundog_bo_map(bos[i]);
		CHECK(maps[i]);
		for (int j = 0; j < i; j++)
			CHECK(labs(maps[i] - maps[j]) != (long)size);
	}
	for (int i = 0; i < 4; i++)
		sundog_bo_del(bos[i]);
}

/* A submission of one file waits for one of another file through a sync_file. */
static void look_at_sync_files(struct sundog_device *other, struct sundog_submit *submit)
{
	struct sundog_context *ctx = sundog_context_new(other);
	struct sundog_submit *second = sundog_submit_new(ctx, 1024);
	struct sundog_fence *fence, *imported;
	int fd, copy;

	emit_nop(submit);
	CHECK(!sundog_submit_flush(submit, -1, &fence));
	fd = sundog_fence_export(fence);
	CHECK(fd >= 0);
	emit_nop(second);
	CHECK(!sundog_submit_flush(second, fd, NULL));
	CHECK(!sundog_fence_import(other, fd, &imported));
	close(fd);
	copy = sundog_fence_export(imported);
	CHECK(copy >= 0);
	close(copy);
	CHECK(!sundog_fence_wait(imported, SUNDOG_FOREVER));
	sundog_fence_del(imported);
	sundog_fence_del(fence);
	sundog_submit_del(second);
	sundog_context_del(ctx);
}

static void look_at_sharing(struct sundog_device *dev, struct sundog_submit *submit,
			    const char *node)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);
	struct sundog_device *other = sundog_device_new(fd);

	CHECK(other);
	close(fd);
	look_at_maps(dev);
	look_at_shared(dev, other);
	look_at_imports(dev, other);
	look_at_sync_files(other, submit);
	sundog_device_del(other);
}

static void look_at_fault(struct sundog_device *dev)
{
	struct sundog_context *ctx = sundog_context_new(dev);
	struct sundog_submit *submit;
	struct sundog_context_status status;
	struct sundog_stream *stream;
	struct sundog_fence *fence;

	CHECK(ctx);
	submit = sundog_submit_new(ctx, 1024);
	CHECK(submit);
	stream = sundog_submit_stream(submit);
	stream->map[0] = SUNDOG_PACKET(SUNDOG_OP_NOP, 2);
	stream->map[1] = 0;
	stream->map[2] = SUNDOG_PACKET(0xfff, 1);
	stream->used = 3;
	CHECK(!sundog_submit_flush(submit, -1, &fence));
	CHECK(sundog_fence_wait(fence, SUNDOG_FOREVER) == -EIO);
	CHECK(!sundog_context_query(ctx, &status));
	CHECK(status.state == SUNDOG_CONTEXT_LOST || status.state == SUNDOG_CONTEXT_ENDED);
	CHECK(status.guilty && sundog_context_is_lost(ctx));
	CHECK(status.fault == SUNDOG_FAULT_CODE_OPCODE);
	CHECK(status.offset == 8 && status.arg == 0xfff);
	CHECK(sundog_context_packet(ctx, status.seqno, status.offset) == 0xfff);
	CHECK(sundog_context_packet(ctx, status.seqno, 12) == -ENOENT);
	CHECK(sundog_context_packet(ctx, status.seqno + 1, 0) == -ENOENT);
	sundog_fence_del(fence);
	emit_nop(submit);
	CHECK(sundog_submit_flush(submit, -1, NULL) == -EIO);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
}

static void time_submissions(struct sundog_submit *submit)
{
	double begin = now(), middle;

	for (int i = 0; i < ROUNDS; i++) {
		emit_nop(submit);
		flush_and_wait(submit);
	}
	middle = now();
	for (int i = 0; i < ROUNDS; i++) {
		emit_nop(submit);
		CHECK(!sundog_submit_flush(submit, -1, NULL));
	}
	flush_and_wait(submit);
	printf("submit and wait: %.1f us; submit: %.1f us\n", (middle - begin) * 1e6 / ROUNDS,
	       (now() - middle) * 1e6 / ROUNDS);
}

static void time_buffers(struct sundog_device *dev)
{
	double begin = now();
	struct sundog_bo *bo;

	for (int i = 0; i < ROUNDS; i++) {
		CHECK(!sundog_bo_new(dev, 16384, &bo));
		CHECK(sundog_bo_map(bo));
		sundog_bo_del(bo);
	}
	printf("make, map and free a buffer: %.1f us\n", (now() - begin) * 1e6 / ROUNDS);
}

/* A submission may use a buffer that only a residency list has. */
static void look_at_reslist(struct sundog_device *dev, struct sundog_submit *submit)
{
	struct sundog_reslist *list;
	struct sundog_bo *bo;
	uint32_t *map;

	CHECK(!sundog_bo_new_private(dev, 4096, &bo));
	CHECK(sundog_bo_export(bo) == (sundog_device_fd(dev) < 0 ? -EOPNOTSUPP : -EPERM));
	CHECK(!sundog_reslist_new(dev, &list));
	CHECK(!sundog_reslist_set(list, bo, SUNDOG_ACCESS_WRITE));
	sundog_submit_set_reslist(submit, list);
	sundog_emit_fill_buffer(sundog_submit_stream(submit), &(struct sundog_cmd_fill_buffer){
		{ sundog_bo_mem(bo), 0, 4096 }, 0x5eed5eed });
	flush_and_wait(submit);
	map = sundog_bo_map(bo);
	CHECK(map && map[0] == 0x5eed5eed && map[1023] == 0x5eed5eed);
	CHECK(!sundog_bo_wait(bo, true, SUNDOG_FOREVER));
	CHECK(!sundog_reslist_set(list, bo, 0));
	sundog_submit_set_reslist(submit, NULL);
	sundog_reslist_del(list);
	sundog_bo_del(bo);
}

static struct sundog_device *open_device(int argc, char **argv)
{
	int fd;

	if (argc == 3 && !strcmp(argv[1], "--direct"))
		return sundog_device_new_direct(argv[2], 0);
	if (argc == 3 && !strcmp(argv[1], "--drm")) {
		fd = open(argv[2], O_RDWR | O_CLOEXEC);
		return fd < 0 ? NULL : sundog_device_new(fd);
	}
	fprintf(stderr, "usage: sundog-smoke --direct SOCKET | --drm NODE\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct sundog_device *dev = open_device(argc, argv);
	struct sundog_context *ctx;
	struct sundog_submit *submit;

	if (!dev) {
		perror(argv[2]);
		return 1;
	}
	printf("host: %s, %s; VRAM %llu MiB\n", sundog_device_caps(dev)->host_driver,
	       sundog_device_caps(dev)->host_device,
	       (unsigned long long)sundog_device_vram_size(dev) >> 20);
	ctx = sundog_context_new(dev);
	CHECK(ctx);
	submit = sundog_submit_new(ctx, 1024);
	CHECK(submit);
	look_at_copies(dev, submit);
	look_at_fault(dev);
	look_at_reslist(dev, submit);
	look_at_copies(dev, submit);
	if (sundog_device_fd(dev) >= 0)
		look_at_sharing(dev, submit, argv[2]);
	time_submissions(submit);
	time_buffers(dev);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	sundog_device_del(dev);
	puts("ok");
	return 0;
}
