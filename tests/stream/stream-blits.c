// SPDX-License-Identifier: MIT
/*
 * Tests blits from images with block-compressed formats: their results, and refused ones. Runs on
 * the device that device.h finds. Prints TAP.
 */
#include <math.h>
#include <stdio.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"

/* texels; the last two are in blocks that extend past the image */
#define SIDE 10u
#define BLOCKS_ACROSS 3u		/* in blocks */
#define IMAGE 65536u			/* bytes of memory of each image */

enum { ID_BLOCKS = HOSTILE_FREE, ID_PLAIN, ID_WHOLE };

struct scene {
	struct hostile *h;
	struct sdrm_bo *blocks, *plain, *whole, *buffer;
};

static void make_image(struct scene *s, uint32_t id, struct sdrm_bo *bo, uint32_t format)
{
	sundog_emit_create_image(s->h->stream, &(struct sundog_cmd_create_image){
		.id = id, .mem = sdrm_bo_mem(bo), .type = VK_IMAGE_TYPE_2D, .format = format,
		.extent = { SIDE, SIDE, 1 },
		.levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_TRANSFER_SRC | SUNDOG_IMAGE_USAGE_TRANSFER_DST |
			 SUNDOG_IMAGE_USAGE_SAMPLED });
}

static void list(struct scene *s)
{
	hostile_list(s->h, s->blocks);
	hostile_list(s->h, s->plain);
	hostile_list(s->h, s->whole);
	hostile_list(s->h, s->buffer);
}

/*
 * Each block has one colour: its column selects red and its row green. As 5 and 6 bits, and as
 * bytes.
 */
static const uint32_t shades5[BLOCKS_ACROSS] = { 0, 16, 31 },
	shades6[BLOCKS_ACROSS] = { 0, 32, 63 };
static const int bytes5[BLOCKS_ACROSS] = { 0, 132, 255 }, bytes6[BLOCKS_ACROSS] = { 0, 130, 255 };

/* The memory around the image is full of canaries. */
static void make_images(struct scene *s)
{
	uint32_t *words = sdrm_bo_map(s->buffer);

	for (uint32_t i = 0; i < BLOCKS_ACROSS * BLOCKS_ACROSS; i++) {
		const uint32_t color = shades5[i % BLOCKS_ACROSS] << 11 |
				       shades6[i / BLOCKS_ACROSS] << 5 | 31;

		words[2 * i] = color | color << 16;
		words[2 * i + 1] = 0;
	}
	list(s);
	make_image(s, ID_BLOCKS, s->blocks, VK_FORMAT_BC1_RGBA_UNORM_BLOCK);
	make_image(s, ID_PLAIN, s->plain, VK_FORMAT_R8G8B8A8_UNORM);
	make_image(s, ID_WHOLE, s->whole, VK_FORMAT_R32_UINT);
	sundog_emit_copy_buffer_to_image(s->h->stream, &(struct sundog_cmd_copy_buffer_to_image){
		.mem = sdrm_bo_mem(s->buffer),
		.dst = { .image = ID_BLOCKS, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { SIDE, SIDE, 1 } });
	hostile_need(s->h, "images");
}

/* Blits the square from corner (@from, @from) to (@to, @to) to all of @dst. */
static void blit(struct scene *s, uint32_t src, int32_t from, int32_t to, uint32_t dst,
		 uint32_t filter)
{
	list(s);
	sundog_emit_blit_image(s->h->stream, &(struct sundog_cmd_blit_image){
		{ src, SUNDOG_ASPECT_COLOR, 0, { from, from, 0 } }, { to, to, 1 },
		{ dst, SUNDOG_ASPECT_COLOR, 0, { 0, 0, 0 } }, { SIDE, SIDE, 1 }, filter });
}

/* Returns the texel at @at, clamped to the edge. */
static uint32_t texel(double at)
{
	return at < 0 ? 0 : at >= SIDE ? SIDE - 1 : (uint32_t)at;
}

/*
 * Returns true if @seen is within the values of the texels around @at. @bytes are the values of the
 * blocks. At an edge between two texels either value is right.
 */
static bool is_between(int seen, double at, uint32_t filter, const int *bytes)
{
	const double reach = filter == VK_FILTER_LINEAR ? 0.5 : 0.01;
	const int first = bytes[texel(floor(at - reach)) / 4],
		last = bytes[texel(floor(at + reach)) / 4];

	return seen >= (first < last ? first : last) - 1 &&
	       seen <= (first < last ? last : first) + 1;
}

/* Returns the source coordinate of the middle of destination texel @i. */
static double place(int32_t from, int32_t to, uint32_t i)
{
	return from + (i + 0.5) * (to - from) / SIDE;
}

/* Returns true if each texel of the blit has the colour of its source. */
static bool is_right(struct scene *s, int32_t from, int32_t to, uint32_t filter)
{
	const uint8_t *bytes = (uint8_t *)sdrm_bo_map(s->buffer) + 4096;

	list(s);
	sundog_emit_clear_image(s->h->stream, &(struct sundog_cmd_clear_image){
		.image = ID_PLAIN, .aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1 });
	blit(s, ID_BLOCKS, from, to, ID_PLAIN, filter);
	sundog_emit_copy_image_to_buffer(s->h->stream, &(struct sundog_cmd_copy_image_to_buffer){
		.mem = sdrm_bo_mem(s->buffer), .offset = 4096,
		.src = { .image = ID_PLAIN, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { SIDE, SIDE, 1 } });
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < SIDE * SIDE; i++) {
		const uint8_t *seen = bytes + 4 * i;

		if (seen[2] == 255 && seen[3] == 255 &&
		    is_between(seen[0], place(from, to, i % SIDE), filter, bytes5) &&
		    is_between(seen[1], place(from, to, i / SIDE), filter, bytes6))
			continue;
		printf("# from %d to %d, filter %u: texel %u is %u %u %u %u\n", from, to, filter, i,
		       seen[0], seen[1], seen[2],
		       seen[3]);
		return false;
	}
	return true;
}

static void try_parts(struct scene *s)
{
	bool ok = true;

	for (int32_t from = 0; from <= (int32_t)SIDE; from++)
		for (int32_t to = 0; to <= (int32_t)SIDE; to++)
			for (uint32_t filter = 0; filter < 2; filter++)
				ok &= from == to || is_right(s, from, to, filter);
	hostile_result(ok,
		       "blits read what is in blocks, from any texel to any other, "
		       "and nothing else");
}

/* Invalid packets */

static void record_to_blocks(struct scene *s)
{
	blit(s, ID_PLAIN, 0, SIDE, ID_BLOCKS, 0);
}

static void record_among_blocks(struct scene *s)
{
	blit(s, ID_BLOCKS, 0, SIDE, ID_BLOCKS, 0);
}

static void record_past_the_edge(struct scene *s)
{
	blit(s, ID_BLOCKS, 0, SIDE + 1, ID_PLAIN, 0);
}

static void record_before_the_edge(struct scene *s)
{
	blit(s, ID_BLOCKS, -1, SIDE, ID_PLAIN, 0);
}

static void record_nothing(struct scene *s)
{
	blit(s, ID_BLOCKS, 3, 3, ID_PLAIN, 0);
}

static void record_other_numbers(struct scene *s)
{
	blit(s, ID_BLOCKS, 0, SIDE, ID_WHOLE, 0);
}

static const struct hostile_fault faults[] = {
	{ "a blit to blocks", record_to_blocks, SUNDOG_FAULT_CODE_RANGE },
	{ "a blit from blocks to blocks", record_among_blocks, SUNDOG_FAULT_CODE_RANGE },
	{ "a blit of texels that blocks have and the image has not", record_past_the_edge,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "a blit of what is in front of blocks", record_before_the_edge, SUNDOG_FAULT_CODE_RANGE },
	{ "a blit of no texels", record_nothing, SUNDOG_FAULT_CODE_RANGE },
	{ "a blit from blocks to other numbers", record_other_numbers, SUNDOG_FAULT_CODE_RANGE },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.blocks = hostile_canaries(s.h, IMAGE);
	s.plain = hostile_bo(s.h, IMAGE);
	s.whole = hostile_bo(s.h, IMAGE);
	s.buffer = hostile_bo(s.h, IMAGE);
	hostile_guard_back(s.h);
	make_images(&s);
	try_parts(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	sdrm_bo_del(s.blocks);
	sdrm_bo_del(s.plain);
	sdrm_bo_del(s.whole);
	sdrm_bo_del(s.buffer);
	hostile_del(s.h);
	return hostile_status();
}
