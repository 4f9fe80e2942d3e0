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

static void flush_and_wait(struct sdrm_submit *submit)
{
	struct sdrm_fence *fence;

	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	CHECK(!sdrm_fence_wait(fence, SDRM_FOREVER));
	sdrm_fence_del(fence);
}

static void emit_nop(struct sdrm_submit *submit)
{
	const struct sundog_cmd_nop nop = { 0 };

	sundog_emit_nop(sdrm_submit_stream(submit), &nop, NULL);
}

static void fill(struct sdrm_submit *submit, struct sdrm_bo *bo, uint32_t value)
{
	const struct sundog_cmd_fill_buffer packet = {
		.dst = { .mem = sdrm_bo_mem(bo), .size = SIZE },
		.value = value,
	};

	sundog_emit_fill_buffer(sdrm_submit_stream(submit), &packet);
	CHECK(!sdrm_submit_add(submit, bo, SUNDOG_ACCESS_WRITE));
}

static void copy(struct sdrm_submit *submit, struct sdrm_bo *src, struct sdrm_bo *dst)
{
	const struct sundog_cmd_copy_buffer packet = {
		.src = sdrm_bo_mem(src),
		.dst = sdrm_bo_mem(dst),
		.size = SIZE,
	};

	sundog_emit_copy_buffer(sdrm_submit_stream(submit), &packet);
	CHECK(!sdrm_submit_add(submit, src, SUNDOG_ACCESS_READ));
	CHECK(!sdrm_submit_add(submit, dst, SUNDOG_ACCESS_WRITE));
}

static void check_filled(struct sdrm_bo *bo, uint32_t value)
{
	const uint32_t *map = sdrm_bo_map(bo);

	CHECK(map);
	for (int i = 0; i < SIZE / 4; i++)
		CHECK(map[i] == value);
}

static void look_at_copies(struct sdrm_device *dev, struct sdrm_submit *submit)
{
	const uint64_t sizes[] = { SIZE, SIZE };
	struct sdrm_resource *res;
	struct sdrm_bo *bo;

	CHECK(!sdrm_bo_new(dev, SIZE, &bo));
	CHECK(!sdrm_resource_new(dev, 0, sizes, 2, NULL, 0, &res));
	check_filled(bo, 0);
	fill(submit, sdrm_resource_bo(res, 0), 0x12345678);
	flush_and_wait(submit);
	copy(submit, sdrm_resource_bo(res, 0), sdrm_resource_bo(res, 1));
	flush_and_wait(submit);
	copy(submit, sdrm_resource_bo(res, 1), bo);
	CHECK(!sdrm_submit_flush(submit, -1, NULL));
	CHECK(!sdrm_bo_wait(bo, false, SDRM_FOREVER));
	check_filled(bo, 0x12345678);
	sdrm_bo_del(bo);
	sdrm_resource_del(res);
}

/* Opens a shared resource in another open file: all allocations and the private data are there. */
static void look_at_shared(struct sdrm_device *dev, struct sdrm_device *other)
{
	const uint64_t sizes[] = { SIZE, 3 * SIZE, SIZE, SIZE, SIZE, SIZE };
	struct sdrm_resource *res, *opened;
	uint32_t index, *map;
	size_t size;
	int fd;

	CHECK(!sdrm_resource_new(dev, SDRM_RESOURCE_SHARED, sizes, 6, "private", 8, &res));
	map = sdrm_bo_map(sdrm_resource_bo(res, 1));
	map[0] = 0xfeed;
	fd = sdrm_bo_export(sdrm_resource_bo(res, 1));
	CHECK(fd >= 0);
	CHECK(!sdrm_resource_open(other, fd, &index, &opened));
	close(fd);
	CHECK(index == 1 && sdrm_resource_count(opened) == 6);
	CHECK(sdrm_resource_kres(opened) == sdrm_resource_kres(res));
	CHECK(!strcmp(sdrm_resource_private(opened, &size), "private") && size == 8);
	CHECK(sdrm_bo_size(sdrm_resource_bo(opened, 1)) == 3 * SIZE);
	sdrm_resource_del(res);
	map = sdrm_bo_map(sdrm_resource_bo(opened, 1));
	CHECK(map[0] == 0xfeed);
	sdrm_resource_del(opened);
}

/* Imports dma-bufs: one BO per GEM handle, also for a dma-buf that the same file exported. */
static void look_at_imports(struct sdrm_device *dev, struct sdrm_device *other)
{
	struct sdrm_bo *bo, *again, *foreign, *twice;
	struct sdrm_resource *res;
	uint32_t index;
	int fd;

	CHECK(!sdrm_bo_new(dev, SIZE, &bo));
	fd = sdrm_bo_export(bo);
	CHECK(fd >= 0);
	CHECK(sdrm_resource_open(other, fd, &index, &res) == -ENOENT);
	CHECK(!sdrm_bo_import(dev, fd, &again) && again == bo);
	CHECK(!sdrm_bo_from_gem(dev, sdrm_bo_gem(bo), &again) && again == bo);
	CHECK(!sdrm_bo_import(other, fd, &foreign) && !sdrm_bo_import(other, fd, &twice));
	CHECK(foreign == twice && sdrm_bo_size(foreign) == SIZE);
	CHECK(sdrm_bo_mem(foreign).index == sdrm_bo_mem(bo).index);
	close(fd);
	for (int i = 0; i < 3; i++)
		sdrm_bo_del(bo);
	check_filled(foreign, 0);
	sdrm_bo_del(foreign);
	sdrm_bo_del(twice);
}

/* The mappings of large buffers of one size are not adjacent: see apart() in sundog_drm.c. */
static void look_at_maps(struct sdrm_device *dev)
{
	const size_t size = 1 << 20;
	struct sdrm_bo *bos[4];
	char *maps[4];

	for (int i = 0; i < 4; i++) {
		CHECK(!sdrm_bo_new(dev, size, &bos[i]));
		maps[i] = sdrm_bo_map(bos[i]);
		CHECK(maps[i]);
		for (int j = 0; j < i; j++)
			CHECK(labs(maps[i] - maps[j]) != (long)size);
	}
	for (int i = 0; i < 4; i++)
		sdrm_bo_del(bos[i]);
}

/* A submission of one file waits for one of another file through a sync_file. */
static void look_at_sync_files(struct sdrm_device *other, struct sdrm_submit *submit)
{
	struct sdrm_context *ctx = sdrm_context_new(other);
	struct sdrm_submit *second = sdrm_submit_new(ctx, 1024);
	struct sdrm_fence *fence, *imported;
	int fd, copy;

	emit_nop(submit);
	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	fd = sdrm_fence_export(fence);
	CHECK(fd >= 0);
	emit_nop(second);
	CHECK(!sdrm_submit_flush(second, fd, NULL));
	CHECK(!sdrm_fence_import(other, fd, &imported));
	close(fd);
	copy = sdrm_fence_export(imported);
	CHECK(copy >= 0);
	close(copy);
	CHECK(!sdrm_fence_wait(imported, SDRM_FOREVER));
	sdrm_fence_del(imported);
	sdrm_fence_del(fence);
	sdrm_submit_del(second);
	sdrm_context_del(ctx);
}

static void look_at_sharing(struct sdrm_device *dev, struct sdrm_submit *submit,
			    const char *node)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);
	struct sdrm_device *other = sdrm_device_new(fd);

	CHECK(other);
	close(fd);
	look_at_maps(dev);
	look_at_shared(dev, other);
	look_at_imports(dev, other);
	look_at_sync_files(other, submit);
	sdrm_device_del(other);
}

static void look_at_fault(struct sdrm_device *dev)
{
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_submit *submit;
	struct sdrm_context_status status;
	struct sundog_stream *stream;
	struct sdrm_fence *fence;

	CHECK(ctx);
	submit = sdrm_submit_new(ctx, 1024);
	CHECK(submit);
	stream = sdrm_submit_stream(submit);
	stream->map[0] = SUNDOG_PACKET(SUNDOG_OP_NOP, 2);
	stream->map[1] = 0;
	stream->map[2] = SUNDOG_PACKET(0xfff, 1);
	stream->used = 3;
	CHECK(!sdrm_submit_flush(submit, -1, &fence));
	CHECK(sdrm_fence_wait(fence, SDRM_FOREVER) == -EIO);
	CHECK(!sdrm_context_query(ctx, &status));
	CHECK(status.state == SDRM_CONTEXT_LOST || status.state == SDRM_CONTEXT_ENDED);
	CHECK(status.guilty && sdrm_context_is_lost(ctx));
	CHECK(status.fault == SUNDOG_FAULT_CODE_OPCODE);
	CHECK(status.offset == 8 && status.arg == 0xfff);
	CHECK(sdrm_context_packet(ctx, status.seqno, status.offset) == 0xfff);
	CHECK(sdrm_context_packet(ctx, status.seqno, 12) == -ENOENT);
	CHECK(sdrm_context_packet(ctx, status.seqno + 1, 0) == -ENOENT);
	sdrm_fence_del(fence);
	emit_nop(submit);
	CHECK(sdrm_submit_flush(submit, -1, NULL) == -EIO);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
}

static void time_submissions(struct sdrm_submit *submit)
{
	double begin = now(), middle;

	for (int i = 0; i < ROUNDS; i++) {
		emit_nop(submit);
		flush_and_wait(submit);
	}
	middle = now();
	for (int i = 0; i < ROUNDS; i++) {
		emit_nop(submit);
		CHECK(!sdrm_submit_flush(submit, -1, NULL));
	}
	flush_and_wait(submit);
	printf("submit and wait: %.1f us; submit: %.1f us\n", (middle - begin) * 1e6 / ROUNDS,
	       (now() - middle) * 1e6 / ROUNDS);
}

static void time_buffers(struct sdrm_device *dev)
{
	double begin = now();
	struct sdrm_bo *bo;

	for (int i = 0; i < ROUNDS; i++) {
		CHECK(!sdrm_bo_new(dev, 16384, &bo));
		CHECK(sdrm_bo_map(bo));
		sdrm_bo_del(bo);
	}
	printf("make, map and free a buffer: %.1f us\n", (now() - begin) * 1e6 / ROUNDS);
}

/* A submission may use a buffer that only a residency list has. */
static void look_at_reslist(struct sdrm_device *dev, struct sdrm_submit *submit)
{
	struct sdrm_reslist *list;
	struct sdrm_bo *bo;
	uint32_t *map;

	CHECK(!sdrm_bo_new_private(dev, 4096, &bo));
	CHECK(sdrm_bo_export(bo) == (sdrm_device_fd(dev) < 0 ? -EOPNOTSUPP : -EPERM));
	CHECK(!sdrm_reslist_new(dev, &list));
	CHECK(!sdrm_reslist_set(list, bo, SUNDOG_ACCESS_WRITE));
	sdrm_submit_set_reslist(submit, list);
	sundog_emit_fill_buffer(sdrm_submit_stream(submit), &(struct sundog_cmd_fill_buffer){
		{ sdrm_bo_mem(bo), 0, 4096 }, 0x5eed5eed });
	flush_and_wait(submit);
	map = sdrm_bo_map(bo);
	CHECK(map && map[0] == 0x5eed5eed && map[1023] == 0x5eed5eed);
	CHECK(!sdrm_bo_wait(bo, true, SDRM_FOREVER));
	CHECK(!sdrm_reslist_set(list, bo, 0));
	sdrm_submit_set_reslist(submit, NULL);
	sdrm_reslist_del(list);
	sdrm_bo_del(bo);
}

static struct sdrm_device *open_device(int argc, char **argv)
{
	int fd;

	if (argc == 3 && !strcmp(argv[1], "--direct"))
		return sdrm_device_new_direct(argv[2], 0);
	if (argc == 3 && !strcmp(argv[1], "--drm")) {
		fd = open(argv[2], O_RDWR | O_CLOEXEC);
		return fd < 0 ? NULL : sdrm_device_new(fd);
	}
	fprintf(stderr, "usage: sundog-smoke --direct SOCKET | --drm NODE\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct sdrm_device *dev = open_device(argc, argv);
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;

	if (!dev) {
		perror(argv[2]);
		return 1;
	}
	printf("host: %s, %s; VRAM %llu MiB\n", sdrm_device_caps(dev)->host_driver,
	       sdrm_device_caps(dev)->host_device,
	       (unsigned long long)sdrm_device_vram_size(dev) >> 20);
	ctx = sdrm_context_new(dev);
	CHECK(ctx);
	submit = sdrm_submit_new(ctx, 1024);
	CHECK(submit);
	look_at_copies(dev, submit);
	look_at_fault(dev);
	look_at_reslist(dev, submit);
	look_at_copies(dev, submit);
	if (sdrm_device_fd(dev) >= 0)
		look_at_sharing(dev, submit, argv[2]);
	time_submissions(submit);
	time_buffers(dev);
	sdrm_submit_del(submit);
	sdrm_context_del(ctx);
	sdrm_device_del(dev);
	puts("ok");
	return 0;
}
