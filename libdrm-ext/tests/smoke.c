// SPDX-License-Identifier: MIT
/*
 * A first look at a real device, through either back end:
 *
 *   sundog-smoke --direct SOCKET	a running sundog-renderd
 *   sundog-smoke --drm /dev/dri/...	the kernel driver
 *
 * Fills and copies buffers on the device, reads the result, and breaks one context to see that
 * another goes on. Says what submissions and buffers cost.
 */
#include "check.h"
#include "sundog.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

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
	CHECK(status.state == SUNDOG_CHANNEL_STATE_DEAD);
	CHECK(status.fault == SUNDOG_FAULT_CODE_OPCODE);
	CHECK(status.offset == 8 && status.arg == 0xfff);
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
	look_at_copies(dev, submit);
	time_submissions(submit);
	time_buffers(dev);
	sundog_submit_del(submit);
	sundog_context_del(ctx);
	sundog_device_del(dev);
	puts("ok");
	return 0;
}
