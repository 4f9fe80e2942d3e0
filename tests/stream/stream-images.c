// SPDX-License-Identifier: MIT
/*
 * Tests images with a row pitch that the driver chooses: copies read and write the rows at their
 * places and nothing else. Runs on the device that device.h finds. Prints TAP.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "device.h"
#include "sundog.h"

#define WIDTH 7
#define HEIGHT 5
#define ROW (WIDTH * 4)
#define FILL 0x5a
#define IMAGE_ID 1

/* A texel of three numbers, and a row of them */
#define THREE 12u
#define THREES 8u

struct device {
	struct sdrm_device *dev;
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sundog_stream *stream;
	struct sdrm_bo *image, *buffer;
	uint8_t *image_map, *buffer_map;
};

static int failures;

static void result(bool ok, const char *what)
{
	printf("%sok - %s\n", ok ? "" : "not ", what);
	failures += !ok;
}

static uint8_t texel(int x, int y, int i)
{
	return 1 + x * 16 + y * 3 + i * 7;
}

static void create(struct device *d, uint64_t offset, uint32_t pitch, uint32_t usage)
{
	struct sundog_cmd_create_linear_image cmd = {
		.id = IMAGE_ID, .mem = sdrm_bo_mem(d->image), .offset = offset, .pitch = pitch,
		.format = VK_FORMAT_R8G8B8A8_UNORM, .width = WIDTH, .height = HEIGHT,
		.usage = usage,
	};

	sdrm_submit_add(d->submit, d->image, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	sdrm_submit_add(d->submit, d->buffer, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	sundog_emit_create_linear_image(d->stream, &cmd);
}

static bool run(struct device *d)
{
	struct sdrm_fence *fence;
	bool ok;

	sundog_emit_destroy(d->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE, IMAGE_ID });
	if (sdrm_submit_flush(d->submit, -1, &fence))
		return false;
	ok = !sdrm_fence_wait(fence, SDRM_FOREVER);
	sdrm_fence_del(fence);
	return ok;
}

static void copy_out(struct device *d, const char *name, uint64_t offset, uint32_t pitch)
{
	struct sundog_cmd_copy_image_to_buffer cmd = {
		.mem = sdrm_bo_mem(d->buffer),
		.src = { .image = IMAGE_ID, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { WIDTH, HEIGHT, 1 },
	};
	bool ok;

	memset(d->image_map, FILL, sdrm_bo_size(d->image));
	for (int y = 0; y < HEIGHT; y++)
		for (int i = 0; i < ROW; i++)
			d->image_map[offset + y * pitch + i] = texel(i / 4, y, i % 4);
	create(d, offset, pitch, SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_TRANSFER_SRC);
	sundog_emit_copy_image_to_buffer(d->stream, &cmd);
	ok = run(d);
	for (int y = 0; ok && y < HEIGHT; y++)
		for (int i = 0; ok && i < ROW; i++)
			ok = d->buffer_map[y * ROW + i] == texel(i / 4, y, i % 4);
	result(ok, name);
}

/* Returns the expected byte at offset @at of the image's memory. */
static uint8_t expected(uint64_t at, uint64_t offset, uint32_t pitch)
{
	const uint64_t y = (at - offset) / pitch, i = (at - offset) % pitch;

	return at < offset || y >= HEIGHT || i >= ROW ? FILL : texel(i / 4, y, i % 4);
}

static void copy_in(struct device *d, const char *name, uint64_t offset, uint32_t pitch)
{
	struct sundog_cmd_copy_buffer_to_image cmd = {
		.mem = sdrm_bo_mem(d->buffer),
		.dst = { .image = IMAGE_ID, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { WIDTH, HEIGHT, 1 },
	};
	bool ok;

	memset(d->image_map, FILL, sdrm_bo_size(d->image));
	for (int y = 0; y < HEIGHT; y++)
		for (int i = 0; i < ROW; i++)
			d->buffer_map[y * ROW + i] = texel(i / 4, y, i % 4);
	create(d, offset, pitch, SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT |
	       SUNDOG_IMAGE_USAGE_TRANSFER_DST);
	sundog_emit_copy_buffer_to_image(d->stream, &cmd);
	ok = run(d);
	for (uint64_t at = 0; ok && at < sdrm_bo_size(d->image); at++)
		ok = d->image_map[at] == expected(at, offset, pitch);
	result(ok, name);
}

/*
 * Copies texels of three numbers to an image from byte @from of the buffer, and back to byte @to.
 * VkBuffers of a guest lie at powers of two, so these are not always multiples of a texel.
 */
static void copy_threes(struct device *d, const char *name, uint64_t from, uint64_t to)
{
	const struct sundog_image_region region = { .image = IMAGE_ID,
						    .aspect = SUNDOG_ASPECT_COLOR };
	const struct sundog_cmd_create_image image = {
		.id = IMAGE_ID, .mem = sdrm_bo_mem(d->image), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32G32B32_UINT, .extent = { THREES, 1, 1 }, .levels = 1,
		.layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_TRANSFER_SRC | SUNDOG_IMAGE_USAGE_TRANSFER_DST,
	};
	const struct sundog_extent3d extent = { THREES, 1, 1 };
	bool ok;

	memset(d->buffer_map, FILL, sdrm_bo_size(d->buffer));
	for (uint32_t i = 0; i < THREES * THREE; i++)
		d->buffer_map[from + i] = i + 1;
	sdrm_submit_add(d->submit, d->image, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	sdrm_submit_add(d->submit, d->buffer, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	sundog_emit_create_image(d->stream, &image);
	sundog_emit_copy_buffer_to_image(d->stream, &(struct sundog_cmd_copy_buffer_to_image){
		.mem = sdrm_bo_mem(d->buffer), .offset = from, .dst = region, .extent = extent });
	sundog_emit_barrier(d->stream, &(struct sundog_cmd_barrier){
		.src_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.dst_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.src_access = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.dst_access = VK_ACCESS_2_MEMORY_READ_BIT });
	sundog_emit_copy_image_to_buffer(d->stream, &(struct sundog_cmd_copy_image_to_buffer){
		.mem = sdrm_bo_mem(d->buffer), .offset = to, .src = region, .extent = extent });
	ok = run(d) && d->buffer_map[to - 1] == FILL && d->buffer_map[to + THREES * THREE] == FILL;
	for (uint32_t i = 0; ok && i < THREES * THREE; i++)
		ok = d->buffer_map[to + i] == i + 1;
	result(ok, name);
}

int main(void)
{
	struct device d = { .dev = device_open() };

	if (!(sdrm_device_caps(d.dev)->layout_flags & SUNDOG_LAYOUT_FLAG_EXPLICIT)) {
		printf("ok - images that the driver lays out # SKIP the host has none\n");
		return 0;
	}
	d.ctx = sdrm_context_new(d.dev);
	d.submit = d.ctx ? sdrm_submit_new(d.ctx, 1024) : NULL;
	if (!d.submit || sdrm_bo_new(d.dev, 4096, &d.image) ||
	    sdrm_bo_new(d.dev, 4096, &d.buffer))
		errx(1, "no context and memory");
	d.stream = sdrm_submit_stream(d.submit);
	d.image_map = sdrm_bo_map(d.image);
	d.buffer_map = sdrm_bo_map(d.buffer);

	copy_out(&d, "rows are read where they are", 0, 256);
	copy_out(&d, "rows that follow each other, at an offset", 4, ROW);
	copy_out(&d, "an image that ends where its memory does", 4096 - (4 * 36 + ROW), 36);
	copy_in(&d, "rows are written where they are", 0, 256);
	copy_in(&d, "rows aligned to 16 bytes, at an offset", 16, 48);
	copy_in(&d, "an image whose last blocks end where its memory does", 4096 - 8 * 32, 32);

	copy_threes(&d, "texels of three numbers, at multiples of a texel", 24, 1200);
	copy_threes(&d, "texels of three numbers, at other numbers", 64, 1328);

	sdrm_submit_del(d.submit);
	sdrm_context_del(d.ctx);
	sdrm_bo_del(d.image);
	sdrm_bo_del(d.buffer);
	sdrm_device_del(d.dev);
	return failures != 0;
}
