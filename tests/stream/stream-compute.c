// SPDX-License-Identifier: MIT
/*
 * Tests compute shaders: their stores, atomic additions and loads in buffers, images and texel
 * buffers, within the bound range and beyond it. Also tests indirect dispatches and invalid
 * packets. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "compute-shaders.h"
#include "hostile.h"

#define BUFFER_SIZE 65536u
#define BUFFER_WORDS (BUFFER_SIZE / 4)
#define RANGE 256u			/* offset of the bound range in bytes */
#define WORDS 100u			/* size of the bound range in words */
#define TEXELS 48u
#define SIDE 8u
#define IMAGE_SIZE 65536u

enum { OP_STORE, OP_ADD, OP_COPY, OP_SUM, OP_ADD_BEYOND, OP_LENGTH };

enum {
	ID_BUFFERS = HOSTILE_FREE, ID_ARGUMENTS, ID_COUNT, ID_LARGE, ID_SHADERS,
	ID_IMAGES = ID_SHADERS + 30,
	ID_VIEWS = ID_IMAGES + 30, ID_TEXELS = ID_VIEWS + 30, ID_SLICE = ID_TEXELS + 3, ID_COUNTERS,
	ID_COUNTERS_VIEW,
	ID_LEVELS, ID_LEVELS_VIEW, ID_SAMPLED_VIEW, ID_CLOSED, ID_NEW,
};

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer, *other, *image;
};

static const struct kind {
	const char *name;
	uint32_t view_type, image_type, depth, layers, flags;
	uint32_t size[3];		/* as imageSize() returns it */
	uint32_t samples;
} kinds[] = {
	{ "1D", VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_TYPE_1D, 1, 1, 0, { SIDE, 1, 1 }, 1 },
	{ "2D", VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, 1, 1, 0, { SIDE, SIDE, 1 }, 1 },
	{ "3D", VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_TYPE_3D, 4, 1,
	  SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE,
	  { SIDE, SIDE, 4 }, 1 },
	{ "Cube", VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_TYPE_2D, 1, 6,
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE,
	  { SIDE, SIDE, 6 }, 1 },
	{ "1DArray", VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_TYPE_1D, 1, 4, 0, { SIDE, 4, 1 }, 1 },
	{ "2DArray", VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_TYPE_2D, 1, 4, 0, { SIDE, SIDE, 4 }, 1 },
	{ "CubeArray", VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, VK_IMAGE_TYPE_2D, 1, 12,
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE,
	  { SIDE, SIDE, 12 }, 1 },
	/* The third coordinate is the sample. */
	{ "2DMS", VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, 1, 1, 0, { SIDE, SIDE, 4 }, 4 },
	{ "2DMSArray", VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_TYPE_2D, 1, 4, 0, { SIDE, SIDE, 4 },
	  4 },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const uint32_t formats[] = { VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_SINT, VK_FORMAT_R32_UINT };
static const char *const classes[] = { "float", "int", "uint" };

static const struct {
	const uint32_t *code;
	size_t size;
} shaders[] = {
#define SHADERS(kind) \
	{ image_##kind, sizeof(image_##kind) }, { image_i##kind, sizeof(image_i##kind) }, \
	{ image_u##kind, sizeof(image_u##kind) }
	SHADERS(1D), SHADERS(2D), SHADERS(3D), SHADERS(Cube), SHADERS(1DArray), SHADERS(2DArray),
		SHADERS(CubeArray),
	SHADERS(2DMS), SHADERS(2DMSArray), SHADERS(Buffer),
};

#define N_SHADERS (sizeof(shaders) / sizeof(shaders[0]))

static struct sundog_cmd_create_shader compute(uint32_t push_size, uint32_t ssbos)
{
	return (struct sundog_cmd_create_shader){
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = push_size, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, ssbos, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};
}

static const struct sundog_shader_binding image_slot = {
	SUNDOG_BINDING_IMAGE0, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
};
static const struct sundog_shader_binding texel_slot = {
	SUNDOG_BINDING_STORAGE_TEXELS0, 1, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
};

static void make_shaders(struct scene *s)
{
	struct sundog_cmd_create_shader cmd = compute(8, 16);

	hostile_shader(s->h, ID_BUFFERS, &cmd, buffers_comp, sizeof(buffers_comp));
	cmd = compute(20, 16);
	hostile_shader(s->h, ID_ARGUMENTS, &cmd, arguments_comp, sizeof(arguments_comp));
	cmd = compute(16, 2);
	hostile_shader(s->h, ID_LARGE, &cmd, large_comp, sizeof(large_comp));
	cmd = compute(4, 1);
	cmd.bindings[0] = image_slot;
	cmd.bindings[cmd.n_bindings++] = texel_slot;
	hostile_shader(s->h, ID_COUNT, &cmd, count_comp, sizeof(count_comp));
	for (uint32_t i = 0; i < N_SHADERS; i++) {
		cmd = compute(16, 1);
		cmd.bindings[cmd.n_bindings++] = i / 3 == N_KINDS ? texel_slot : image_slot;
		hostile_shader(s->h, ID_SHADERS + i, &cmd, shaders[i].code, shaders[i].size);
	}
}

static struct sundog_cmd_create_image image_of(const struct scene *s, uint32_t i)
{
	const struct kind *k = &kinds[i / 3];

	return (struct sundog_cmd_create_image){
		.id = ID_IMAGES + i, .mem = sdrm_bo_mem(s->image),
		.offset = IMAGE_SIZE * (uint64_t)i,
		.type = k->image_type, .format = formats[i % 3],
		.extent = { SIDE, k->image_type == VK_IMAGE_TYPE_1D ? 1 : SIDE, k->depth },
		.levels = 1, .layers = k->layers, .samples = k->samples, .flags = k->flags,
		.usage = SUNDOG_IMAGE_USAGE_STORAGE | SUNDOG_IMAGE_USAGE_TRANSFER_SRC |
			 SUNDOG_IMAGE_USAGE_SAMPLED,
	};
}

static struct sundog_cmd_create_image_view view_of(uint32_t id, uint32_t i)
{
	return (struct sundog_cmd_create_image_view){
		.id = id, .image = ID_IMAGES + i, .type = kinds[i / 3].view_type,
		.format = formats[i % 3],
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = kinds[i / 3].layers,
		.usage = SUNDOG_IMAGE_USAGE_STORAGE,
	};
}

static void make_images(struct scene *s)
{
	struct sundog_cmd_create_image_view view;
	struct sundog_cmd_create_image image;

	hostile_list(s->h, s->image);
	hostile_list(s->h, s->buffer);
	for (uint32_t i = 0; i < N_KINDS * 3; i++) {
		image = image_of(s, i);
		view = view_of(ID_VIEWS + i, i);
		sundog_emit_create_image(s->h->stream, &image);
		sundog_emit_create_image_view(s->h->stream, &view);
	}
	/* A view of one slice of a volume. */
	view = view_of(ID_SLICE, 2 * 3 + 2);
	view.type = VK_IMAGE_VIEW_TYPE_2D;
	view.base_layer = 1;
	sundog_emit_create_image_view(s->h->stream, &view);
	view = view_of(ID_SAMPLED_VIEW, 1 * 3 + 2);
	view.usage = SUNDOG_IMAGE_USAGE_SAMPLED;
	sundog_emit_create_image_view(s->h->stream, &view);
	image = image_of(s, 1 * 3 + 2);
	image.id = ID_LEVELS;
	image.levels = 2;
	sundog_emit_create_image(s->h->stream, &image);
	view = view_of(ID_LEVELS_VIEW, 1 * 3 + 2);
	view.image = ID_LEVELS;
	view.levels = 2;
	sundog_emit_create_image_view(s->h->stream, &view);
	for (uint32_t i = 0; i < 3; i++)
		sundog_emit_create_buffer_view(s->h->stream,
					       &(struct sundog_cmd_create_buffer_view){
			.id = ID_TEXELS + i,
			.range = { sdrm_bo_mem(s->buffer), RANGE, TEXELS * 4 },
			.format = formats[i] });
}

/* Memory */

static void fill(const struct scene *s)
{
	uint32_t *words[] = { sdrm_bo_map(s->buffer), sdrm_bo_map(s->other) };
	uint32_t *image = sdrm_bo_map(s->image);

	for (uint32_t i = 0; i < BUFFER_WORDS; i++)
		words[0][i] = words[1][i] = CANARY;
	for (uint32_t i = 0; i < IMAGE_SIZE / 4 * N_KINDS * 3; i++)
		image[i] = CANARY;
}

static uint32_t *bound(const struct scene *s)
{
	return (uint32_t *)((char *)sdrm_bo_map(s->buffer) + RANGE);
}

/* Returns true if only the first @n words of the bound range changed. */
static bool changed_only(struct sdrm_bo *bo, uint32_t n)
{
	const uint32_t *words = sdrm_bo_map(bo);

	for (uint32_t i = 0; i < BUFFER_WORDS; i++) {
		if (i >= RANGE / 4 && i < RANGE / 4 + n)
			continue;
		if (words[i] != CANARY) {
			printf("# word %u became %#x\n", i, words[i]);
			return false;
		}
	}
	return true;
}

static bool only_changed(const struct scene *s, uint32_t n)
{
	return changed_only(s->buffer, n);
}

/* Streams */

static void bind_ssbo(struct scene *s, uint32_t slot, struct sdrm_bo *bo, uint64_t offset,
		      uint64_t size)
{
	sundog_emit_bind_ssbos(s->h->stream,
			       &(struct sundog_cmd_bind_ssbos){ SUNDOG_STAGE_COMPUTE, slot, 1 },
			       &(struct sundog_mem_range){ sdrm_bo_mem(bo), offset, size });
}

static void begin(struct scene *s, uint32_t shader)
{
	hostile_list(s->h, s->buffer);
	hostile_list(s->h, s->other);
	hostile_list(s->h, s->image);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = shader } });
}

static void push(struct scene *s, const void *words, uint32_t n)
{
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = n },
				   words);
}

static void groups(struct scene *s, uint32_t x, uint32_t y, uint32_t z)
{
	sundog_emit_dispatch(s->h->stream, &(struct sundog_cmd_dispatch){ { x, y, z } });
}

static void groups_from(struct scene *s, uint32_t base, uint32_t n)
{
	sundog_emit_dispatch_base(s->h->stream, &(struct sundog_cmd_dispatch_base){
		{ base, 0, 0 }, { n, 1, 1 } });
}

static uint32_t most_groups(const struct scene *s)
{
	return sdrm_device_caps(s->h->dev)->max_group_count[0];
}

static void stores_then_reads(struct scene *s)
{
	sundog_emit_barrier(s->h->stream, &(struct sundog_cmd_barrier){
		VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
		VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
		VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT });
}

/* Dispatches @n groups of buffers.comp. */
static bool run_buffers(struct scene *s, uint32_t op, uint32_t first, uint32_t n)
{
	begin(s, ID_BUFFERS);
	bind_ssbo(s, 0, s->buffer, RANGE, WORDS * 4);
	bind_ssbo(s, 1, s->other, RANGE, WORDS * 4);
	push(s, (const uint32_t[]){ op, first }, 2);
	groups(s, n, 1, 1);
	return hostile_runs(s->h);
}

/* Buffers */

/*
 * Dispatches the group with the highest possible base: its words are beyond the bound range. At
 * most words of the range may change.
 */
static bool stores_nothing_from_a_base(struct scene *s)
{
	fill(s);
	begin(s, ID_BUFFERS);
	bind_ssbo(s, 0, s->buffer, RANGE, WORDS * 4);
	bind_ssbo(s, 1, s->other, RANGE, WORDS * 4);
	push(s, (const uint32_t[]){ OP_STORE, WORDS }, 2);
	groups_from(s, most_groups(s) - 1, 1);
	return hostile_runs(s->h) && only_changed(s, WORDS);
}

static bool stores(struct scene *s)
{
	const uint32_t firsts[] = { 0, 0x3fffffe0, 0x40000000 - 64, 0x7fffffc0, 0xbfffffe0,
				    0xffffffc0 };
	bool ok;

	fill(s);
	ok = run_buffers(s, OP_STORE, 0, 4) && only_changed(s, WORDS);
	for (uint32_t i = 0; ok && i < WORDS; i++)
		ok = bound(s)[i] == i * 3 + 1;
	for (size_t i = 1; ok && i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		fill(s);
		ok = run_buffers(s, OP_STORE, firsts[i], 1) && only_changed(s, 0);
	}
	return ok;
}

static bool adds(struct scene *s)
{
	bool ok;

	fill(s);
	memset(bound(s), 0, 16);
	ok = run_buffers(s, OP_ADD, 0, 500) && only_changed(s, 4);
	for (uint32_t i = 0; i < 4; i++)
		ok = ok && bound(s)[i] == 500 * 64 / 4;
	return ok;
}

static bool sums(struct scene *s)
{
	bool ok;

	fill(s);
	ok = run_buffers(s, OP_SUM, 0, 20) && only_changed(s, 20);
	for (uint32_t i = 0; i < 20; i++)
		ok = ok && bound(s)[i] == 64 * 64 * i + 63 * 32;
	return ok;
}

/*
 * The shader may copy only words of the other buffer: beyond its range it reads any of them, or 0.
 */
static bool copies(struct scene *s, uint32_t first)
{
	uint32_t *from;
	bool ok;

	fill(s);
	from = (uint32_t *)((char *)sdrm_bo_map(s->other) + RANGE);
	for (uint32_t i = 0; i < WORDS; i++)
		from[i] = i + 1;
	ok = run_buffers(s, OP_COPY, first, 1) && only_changed(s, 64);
	for (uint32_t i = 0; ok && i < 64; i++) {
		ok = first + i < WORDS ? bound(s)[i] == first + i + 1 : bound(s)[i] <= WORDS;
		if (!ok)
			printf("# word %#x is %#x\n", first + i, bound(s)[i]);
	}
	return ok;
}

static bool adds_nothing_beyond(struct scene *s)
{
	fill(s);
	return run_buffers(s, OP_ADD_BEYOND, WORDS, 1) && changed_only(s->other, WORDS);
}

static bool knows_lengths(struct scene *s)
{
	fill(s);
	return run_buffers(s, OP_LENGTH, 0, 1) && bound(s)[0] == WORDS;
}

enum { LARGE_STORE, LARGE_ADD, LARGE_COPY };

static bool run_large(struct scene *s, const uint32_t *at, uint32_t op)
{
	const uint32_t words[] = { at[0], at[1], at[2], op };

	fill(s);
	for (uint32_t i = 0; i < WORDS; i++)
		bound(s)[i] = ((uint32_t *)((char *)sdrm_bo_map(s->other) + RANGE))[i] = i + 1;
	begin(s, ID_LARGE);
	bind_ssbo(s, 0, s->buffer, RANGE, WORDS * 4);
	bind_ssbo(s, 1, s->other, RANGE, WORDS * 4);
	push(s, words, 4);
	groups(s, 1, 1, 1);
	return hostile_runs(s->h);
}

/*
 * A shader that declares a block of 256 GiB gets the bound range only, for every bound size and
 * index.
 */
static bool large_is_bound(struct scene *s, const uint32_t *at)
{
	bool ok = run_large(s, at, LARGE_STORE) && only_changed(s, WORDS);

	ok = ok && run_large(s, at, LARGE_ADD) && changed_only(s->other, WORDS);
	ok = ok && run_large(s, at, LARGE_COPY) && only_changed(s, WORDS);
	for (uint32_t i = 0; ok && i < WORDS; i++)
		ok = bound(s)[i] <= WORDS;
	return ok;
}

static void try_large(struct scene *s)
{
	static const uint32_t places[][3] = {
		{ 0, 2, 8 }, { 0, 65535, 15 }, { 1023, 65535, 15 }, { 1024, 0, 0 },
		{ 65535, 65535, 0 }, { 511, 65535, 15 },
		{ 0xffffffff, 0, 0 }, { 0, 0xfffffff0, 0 }, { 0x7fffffff, 0x80000000, 0x80000000 },
		{ 1u << 20, 1u << 20, 1u << 20 },
	};
	bool ok = run_large(s, (const uint32_t[]){ 0, 1, 4 }, LARGE_COPY);

	for (uint32_t i = 0; ok && i < 64; i++) {
		const uint32_t from = (1 + i / 16) * 16 + (4 + i % 16 < 16 ? 4 + i % 16 : 15);

		ok = bound(s)[i] == (from < WORDS ? from + 1 : 0);
	}
	hostile_result(ok, "a buffer that is declared larger than memory is read");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		hostile_result(large_is_bound(s, places[i]), "it ends where it does at %u,%u,%u",
			       places[i][0], places[i][1],
			       places[i][2]);
}

/* Slot 1 has a null descriptor: reads return 0, and stores and atomics have no effect. */
static bool null_buffer(struct scene *s, uint32_t op)
{
	bool ok;

	fill(s);
	begin(s, ID_BUFFERS);
	bind_ssbo(s, 0, s->buffer, RANGE, WORDS * 4);
	push(s, (const uint32_t[]){ op, 0 }, 2);
	groups(s, 1, 1, 1);
	ok = hostile_runs(s->h) && only_changed(s, 64);
	for (uint32_t i = 0; ok && i < 64; i++)
		ok = bound(s)[i] == 0;
	return ok;
}

static bool no_buffers(struct scene *s)
{
	fill(s);
	begin(s, ID_BUFFERS);
	push(s, (const uint32_t[]){ OP_STORE, 0 }, 2);
	groups(s, 1, 1, 1);
	push(s, (const uint32_t[]){ OP_ADD, 0 }, 2);
	groups(s, 1, 1, 1);
	return hostile_runs(s->h) && only_changed(s, 0);
}

/* Indirect dispatches */

static void indirect(struct scene *s, uint64_t offset)
{
	sundog_emit_dispatch_indirect(s->h->stream, &(struct sundog_cmd_dispatch_indirect){
		sdrm_bo_mem(s->other), offset });
}

/* A dispatch writes the arguments of the next one. */
static bool is_indirect(struct scene *s, const uint32_t *arguments, uint32_t additions)
{
	fill(s);
	memset(bound(s), 0, 16);
	begin(s, ID_ARGUMENTS);
	bind_ssbo(s, 0, s->other, RANGE, WORDS * 4);
	push(s, arguments, 5);
	groups(s, 1, 1, 1);
	stores_then_reads(s);
	begin(s, ID_BUFFERS);
	bind_ssbo(s, 0, s->buffer, RANGE, WORDS * 4);
	push(s, (const uint32_t[]){ OP_ADD, 0 }, 2);
	indirect(s, RANGE);
	if (!hostile_runs(s->h) || !only_changed(s, 4))
		return false;
	return bound(s)[0] == additions / 4;
}

/* An indirect dispatch after one with a base starts at group 0. */
static bool is_indirect_from_the_first(struct scene *s)
{
	uint32_t *arguments = (uint32_t *)sdrm_bo_map(s->other) + RANGE / 4;
	bool ok;

	fill(s);
	for (int i = 0; i < 3; i++)
		arguments[i] = 1;
	begin(s, ID_BUFFERS);
	bind_ssbo(s, 0, s->buffer, RANGE, WORDS * 4);
	push(s, (const uint32_t[]){ OP_STORE, 0 }, 2);
	groups_from(s, 1000, 1);
	stores_then_reads(s);
	indirect(s, RANGE);
	ok = hostile_runs(s->h) && only_changed(s, WORDS);
	for (uint32_t i = 0; ok && i < WORDS && i < 64; i++)
		ok = bound(s)[i] == i * 3 + 1;
	return ok;
}

/* Images */

static void run_image(struct scene *s, uint32_t shader, uint32_t view, int32_t first, uint32_t op)
{
	const uint32_t at[] = { first, first, first, op };

	begin(s, ID_SHADERS + shader);
	bind_ssbo(s, 0, s->buffer, RANGE, BUFFER_SIZE - RANGE);
	if (shader / 3 == N_KINDS)
		sundog_emit_bind_storage_texels(s->h->stream,
						&(struct sundog_cmd_bind_storage_texels){
			SUNDOG_STAGE_COMPUTE, 0, 1 }, &view);
	else
		sundog_emit_bind_images(s->h->stream, &(struct sundog_cmd_bind_images){
			SUNDOG_STAGE_COMPUTE, 0, 1 }, &view);
	push(s, at, 4);
	groups(s, 1, 2, 8);
}

static bool image_untouched(const struct scene *s)
{
	const uint32_t *image = sdrm_bo_map(s->image);

	for (uint32_t i = 0; i < IMAGE_SIZE / 4 * N_KINDS * 3; i++)
		if (image[i] != CANARY) {
			printf("# word %u of image %u became %#x\n", i % (IMAGE_SIZE / 4),
			       i / (IMAGE_SIZE / 4),
			       image[i]);
			return false;
		}
	return true;
}

/* Returns the result of loading texel @at after all texels were stored. */
static uint32_t loaded(const struct kind *k, const uint32_t *at)
{
	if (at[0] >= k->size[0] || at[1] >= k->size[1] || at[2] >= k->size[2])
		return 0;
	return at[0] + at[1] * 16 + at[2] * 256 + 1;
}

/*
 * Stores all texels and some beyond the image, and loads them. Missing coordinates of a kind are 0.
 */
static bool stores_and_loads(struct scene *s, uint32_t i, uint32_t view, const struct kind *k)
{
	const uint32_t *words = (const uint32_t *)((char *)sdrm_bo_map(s->buffer) + RANGE);

	fill(s);
	run_image(s, i, view, 0, 0);
	stores_then_reads(s);
	run_image(s, i, view, 0, 1);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t n = 0; n < SIDE * SIDE * 16; n++) {
		const uint32_t at[] = { n % 8, n / 8 % 8, n / 64 };
		const bool exact = (k->size[1] > 1 || !at[1]) && (k->size[2] > 1 || !at[2]);

		if (exact && words[n] != loaded(k, at)) {
			printf("# texel %u %u %u is %#x\n", at[0], at[1], at[2], words[n]);
			return false;
		}
	}
	return true;
}

static bool stores_nothing_outside(struct scene *s, uint32_t i)
{
	const int32_t firsts[] = { SIDE + 8, -16, 4096, INT32_MIN, 0x40000000 };

	for (size_t n = 0; n < sizeof(firsts) / sizeof(firsts[0]); n++) {
		fill(s);
		run_image(s, i, ID_VIEWS + i, firsts[n], 0);
		if (!hostile_runs(s->h) || !image_untouched(s))
			return false;
	}
	return true;
}

/* A view of another dimension or class acts as a null descriptor. */
static bool others_are_none(struct scene *s, uint32_t i)
{
	fill(s);
	for (uint32_t other = 0; other <= N_KINDS * 3; other++)
		if (other != i)
			run_image(s, i, other < N_KINDS * 3 ? ID_VIEWS + other : 0, 0, 0);
	return hostile_runs(s->h) && image_untouched(s);
}

static bool texels_are_stored(struct scene *s, uint32_t class)
{
	const int32_t firsts[] = { 0, 44, TEXELS, -8, INT32_MIN, 0x3ffffff8, 0x40000000 };

	for (size_t n = 0; n < sizeof(firsts) / sizeof(firsts[0]); n++) {
		fill(s);
		run_image(s, N_KINDS * 3 + class, ID_TEXELS + class, firsts[n], 0);
		if (!hostile_runs(s->h) || !only_changed(s, TEXELS))
			return false;
		for (uint32_t i = 0; i < TEXELS; i++) {
			const bool stored = i - (uint32_t)firsts[n] < 8;

			if ((bound(s)[i] != CANARY) != stored) {
				printf("# texel %u is %#x\n", i, bound(s)[i]);
				return false;
			}
		}
	}
	return true;
}

static bool texels_of_another_class(struct scene *s, uint32_t class)
{
	fill(s);
	run_image(s, N_KINDS * 3 + class, ID_TEXELS + (class + 1) % 3, 0, 0);
	run_image(s, N_KINDS * 3 + class, 0, 0, 0);
	return hostile_runs(s->h) && only_changed(s, 0);
}

static void count(struct scene *s, int32_t first, uint32_t view, uint32_t texels)
{
	begin(s, ID_COUNT);
	sundog_emit_bind_images(s->h->stream, &(struct sundog_cmd_bind_images){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &view);
	sundog_emit_bind_storage_texels(s->h->stream, &(struct sundog_cmd_bind_storage_texels){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &texels);
	push(s, &first, 1);
	groups(s, 64, 1, 1);
}

static bool counts(struct scene *s)
{
	const uint32_t i = 1 * 3 + 2;
	uint32_t *image = (uint32_t *)((char *)sdrm_bo_map(s->image) + IMAGE_SIZE * i);
	uint32_t changed = 0;

	fill(s);
	memset(image, 0, IMAGE_SIZE);
	memset(bound(s), 0, TEXELS * 4);
	count(s, 0, ID_VIEWS + i, ID_TEXELS + 2);
	if (!hostile_runs(s->h) || !only_changed(s, TEXELS))
		return false;
	for (uint32_t n = 0; n < IMAGE_SIZE / 4; n++)
		changed += image[n] == 64 * 64 / 8;
	for (uint32_t n = 0; n < 8; n++)
		if (bound(s)[n] != 64 * 63 + 56 + n)
			return false;
	return changed == 8;
}

static bool counts_nothing_outside(struct scene *s)
{
	fill(s);
	count(s, SIDE, ID_VIEWS + 1 * 3 + 2, ID_TEXELS + 2);
	if (!hostile_runs(s->h) || !image_untouched(s))
		return false;
	fill(s);
	count(s, TEXELS, ID_VIEWS + 1 * 3 + 2, ID_TEXELS + 2);
	count(s, -8, ID_VIEWS + 1 * 3 + 2, ID_TEXELS + 2);
	count(s, 0, 0, 0);
	return hostile_runs(s->h) && image_untouched(s) && only_changed(s, 0);
}

/* Invalid packets */

static void list_for_reading(struct scene *s, struct sdrm_bo *bo)
{
	sdrm_submit_add(s->h->submit, bo, SUNDOG_ACCESS_READ);
}

static void shader(struct scene *s, uint32_t id)
{
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = id } });
}

static void read_only_buffer(struct scene *s)
{
	list_for_reading(s, s->buffer);
	shader(s, ID_BUFFERS);
	bind_ssbo(s, 15, s->buffer, 0, 64);
	groups(s, 1, 1, 1);
}

static void read_only_image(struct scene *s)
{
	const uint32_t view = ID_VIEWS + 5;

	list_for_reading(s, s->image);
	shader(s, ID_SHADERS + 5);
	sundog_emit_bind_images(s->h->stream, &(struct sundog_cmd_bind_images){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &view);
	groups(s, 1, 1, 1);
}

static void read_only_texels(struct scene *s)
{
	const uint32_t view = ID_TEXELS + 2;

	list_for_reading(s, s->buffer);
	shader(s, ID_SHADERS + N_KINDS * 3 + 2);
	sundog_emit_bind_storage_texels(s->h->stream, &(struct sundog_cmd_bind_storage_texels){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &view);
	groups(s, 1, 1, 1);
}

static void unlisted_buffer(struct scene *s)
{
	bind_ssbo(s, 0, s->buffer, 0, 64);
}

static void unlisted_image(struct scene *s)
{
	const uint32_t view = ID_VIEWS;

	sundog_emit_bind_images(s->h->stream, &(struct sundog_cmd_bind_images){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &view);
}

static void unlisted_texels(struct scene *s)
{
	const uint32_t view = ID_TEXELS;

	sundog_emit_bind_storage_texels(s->h->stream, &(struct sundog_cmd_bind_storage_texels){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &view);
}

static void bad_range(struct scene *s, uint64_t offset, uint64_t size)
{
	hostile_list(s->h, s->buffer);
	bind_ssbo(s, 0, s->buffer, offset, size);
}

static void odd_offset(struct scene *s)
{
	bad_range(s, 2, 64);
}

static void past_the_end(struct scene *s)
{
	bad_range(s, 64, BUFFER_SIZE);
}

static void wrapping(struct scene *s)
{
	bad_range(s, 64, UINT64_MAX - 63);
}

static void slots_of_buffers(struct scene *s)
{
	sundog_emit_bind_ssbos(s->h->stream, &(struct sundog_cmd_bind_ssbos){
		SUNDOG_STAGE_COMPUTE, SUNDOG_MAX_SSBOS - 1,
		2 }, (const struct sundog_mem_range[2]){ 0 });
}

static void slots_of_images(struct scene *s)
{
	sundog_emit_bind_images(s->h->stream,
				&(struct sundog_cmd_bind_images){ SUNDOG_STAGE_COMPUTE, 15, 2 },
				(const uint32_t[2]){ 0 });
}

static void slots_of_texels(struct scene *s)
{
	sundog_emit_bind_storage_texels(s->h->stream, &(struct sundog_cmd_bind_storage_texels){
		SUNDOG_STAGE_COMPUTE, 15, 2 }, (const uint32_t[2]){ 0 });
}

static void bind_view(struct scene *s, uint32_t view)
{
	hostile_list(s->h, s->image);
	sundog_emit_bind_images(s->h->stream, &(struct sundog_cmd_bind_images){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &view);
}

static void sampled_view(struct scene *s)
{
	bind_view(s, ID_SAMPLED_VIEW);
}

static void view_of_levels(struct scene *s)
{
	bind_view(s, ID_LEVELS_VIEW);
}

static void sampler_for_a_view(struct scene *s)
{
	bind_view(s, HOSTILE_SAMPLER);
}

static void swizzled_view(struct scene *s)
{
	struct sundog_cmd_create_image_view view = view_of(ID_NEW, 5);

	view.swizzle[0] = VK_COMPONENT_SWIZZLE_G;
	hostile_list(s->h, s->image);
	sundog_emit_create_image_view(s->h->stream, &view);
}

/* Makes a view of slices of the volume, which is kind 2. */
static struct sundog_cmd_create_image_view slice_view(void)
{
	struct sundog_cmd_create_image_view view = view_of(ID_NEW, 2 * 3 + 2);

	view.type = VK_IMAGE_VIEW_TYPE_2D;
	return view;
}

static void slice_past_the_last(struct scene *s)
{
	struct sundog_cmd_create_image_view view = slice_view();

	view.base_layer = kinds[2].depth;
	hostile_list(s->h, s->image);
	sundog_emit_create_image_view(s->h->stream, &view);
}

static void several_slices(struct scene *s)
{
	struct sundog_cmd_create_image_view view = slice_view();

	view.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
	view.layers = 2;
	hostile_list(s->h, s->image);
	sundog_emit_create_image_view(s->h->stream, &view);
}

static void sampled_slice(struct scene *s)
{
	struct sundog_cmd_create_image_view view = slice_view();

	view.usage |= SUNDOG_IMAGE_USAGE_SAMPLED;
	view.base_layer = kinds[2].depth;
	hostile_list(s->h, s->image);
	sundog_emit_create_image_view(s->h->stream, &view);
}

/* The image lacks the flag 2D_ARRAY_COMPATIBLE, which views of slices need. */
static void slice_of_a_closed_volume(struct scene *s)
{
	struct sundog_cmd_create_image image = image_of(s, 2 * 3 + 2);
	struct sundog_cmd_create_image_view view = slice_view();

	image.id = ID_CLOSED;
	image.flags = 0;
	view.image = ID_CLOSED;
	hostile_list(s->h, s->image);
	sundog_emit_create_image(s->h->stream, &image);
	sundog_emit_create_image_view(s->h->stream, &view);
}

static void vertex_shader_alone(struct scene *s)
{
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){ { ID_BUFFERS } });
}

static void no_shader(struct scene *s)
{
	groups(s, 1, 1, 1);
}

static void too_many_groups(struct scene *s)
{
	shader(s, ID_BUFFERS);
	groups(s, 1, sdrm_device_caps(s->h->dev)->max_group_count[1] + 1, 1);
}

static void base_past_the_last(struct scene *s)
{
	shader(s, ID_BUFFERS);
	groups_from(s, most_groups(s), 0);
}

static void groups_past_the_last(struct scene *s)
{
	shader(s, ID_BUFFERS);
	groups_from(s, most_groups(s) - 1, 2);
}

static void groups_that_wrap(struct scene *s)
{
	shader(s, ID_BUFFERS);
	groups_from(s, 2, UINT32_MAX);
}

static void base_without_a_shader(struct scene *s)
{
	groups_from(s, 0, 1);
}

static void base_in_a_rendering(struct scene *s)
{
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	shader(s, ID_BUFFERS);
	groups_from(s, 0, 1);
	hostile_end(s->h);
}

static void in_a_rendering(struct scene *s)
{
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	shader(s, ID_BUFFERS);
	groups(s, 1, 1, 1);
	hostile_end(s->h);
}

static void bad_arguments(struct scene *s, uint64_t offset)
{
	hostile_list(s->h, s->other);
	shader(s, ID_BUFFERS);
	indirect(s, offset);
}

static void arguments_at_odd(struct scene *s)
{
	bad_arguments(s, 2);
}

static void arguments_past_the_end(struct scene *s)
{
	bad_arguments(s, BUFFER_SIZE - 8);
}

static void arguments_far_away(struct scene *s)
{
	bad_arguments(s, UINT64_MAX - 3);
}

static void unlisted_arguments(struct scene *s)
{
	shader(s, ID_BUFFERS);
	indirect(s, 0);
}

static const struct hostile_fault faults[] = {
	{ "a shader that writes a buffer that is listed for reading", read_only_buffer,
	  SUNDOG_FAULT_CODE_ACCESS },
	{ "a shader that writes an image that is listed for reading", read_only_image,
	  SUNDOG_FAULT_CODE_ACCESS },
	{ "a shader that writes texels that are listed for reading", read_only_texels,
	  SUNDOG_FAULT_CODE_ACCESS },
	{ "a buffer that is not listed", unlisted_buffer, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "an image that is not listed", unlisted_image, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "texels that are not listed", unlisted_texels, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a range at an odd offset", odd_offset, SUNDOG_FAULT_CODE_RANGE },
	{ "a range past the end", past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a range that wraps around", wrapping, SUNDOG_FAULT_CODE_RANGE },
	{ "more slots of buffers than there are", slots_of_buffers, SUNDOG_FAULT_CODE_FIELD },
	{ "more slots of images than there are", slots_of_images, SUNDOG_FAULT_CODE_FIELD },
	{ "more slots of texels than there are", slots_of_texels, SUNDOG_FAULT_CODE_FIELD },
	{ "a view to be sampled", sampled_view, SUNDOG_FAULT_CODE_OBJECT },
	{ "a view of two levels", view_of_levels, SUNDOG_FAULT_CODE_OBJECT },
	{ "a sampler for a view", sampler_for_a_view, SUNDOG_FAULT_CODE_OBJECT },
	{ "a swizzled view to be stored to", swizzled_view, SUNDOG_FAULT_CODE_RANGE },
	{ "a slice past the last to be stored to", slice_past_the_last, SUNDOG_FAULT_CODE_RANGE },
	{ "several slices to be stored to", several_slices, SUNDOG_FAULT_CODE_RANGE },
	{ "a slice past the last to be sampled, too", sampled_slice, SUNDOG_FAULT_CODE_RANGE },
	{ "a slice of an image that has none", slice_of_a_closed_volume, SUNDOG_FAULT_CODE_RANGE },
	{ "a compute shader for a vertex shader", vertex_shader_alone, SUNDOG_FAULT_CODE_OBJECT },
	{ "a dispatch without a shader", no_shader, SUNDOG_FAULT_CODE_STATE },
	{ "more groups than there may be", too_many_groups, SUNDOG_FAULT_CODE_FIELD },
	{ "a dispatch in a rendering", in_a_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a base past the last group", base_past_the_last, SUNDOG_FAULT_CODE_FIELD },
	{ "groups from a base past the last one", groups_past_the_last, SUNDOG_FAULT_CODE_FIELD },
	{ "groups from a base that wrap around", groups_that_wrap, SUNDOG_FAULT_CODE_FIELD },
	{ "a dispatch with a base without a shader", base_without_a_shader,
	  SUNDOG_FAULT_CODE_STATE },
	{ "a dispatch with a base in a rendering", base_in_a_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "arguments at an odd offset", arguments_at_odd, SUNDOG_FAULT_CODE_RANGE },
	{ "arguments past the end", arguments_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "arguments far away", arguments_far_away, SUNDOG_FAULT_CODE_RANGE },
	{ "arguments that are not listed", unlisted_arguments, SUNDOG_FAULT_CODE_NOT_LISTED },
};

static void test_buffers(struct scene *s)
{
	const uint32_t firsts[] = { 0, 60, WORDS, 0x3fffffe0, 0x40000000, 0x7fffffe0, 0xffffffe0 };

	hostile_result(stores(s), "buffers are stored to, and nothing beyond");
	hostile_result(stores_nothing_from_a_base(s),
		       "groups far from the first one store nothing beyond");
	hostile_result(adds(s), "invocations add up");
	hostile_result(sums(s), "the invocations of a group share memory");
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		hostile_result(copies(s, firsts[i]), "words from %#x on are read, and none beyond",
			       firsts[i]);
	hostile_result(adds_nothing_beyond(s), "nothing is added beyond the end");
	hostile_result(knows_lengths(s), "a shader knows how long a buffer is");
	hostile_result(null_buffer(s, OP_COPY), "nothing is read where nothing is bound");
	hostile_result(null_buffer(s, OP_ADD_BEYOND), "nothing is added where nothing is bound");
	hostile_result(null_buffer(s, OP_LENGTH), "what is not bound has no length");
	hostile_result(no_buffers(s), "nothing is stored where nothing is bound");
	try_large(s);
}

static void test_arguments(struct scene *s)
{
	hostile_result(is_indirect(s, (const uint32_t[]){ 4, 2, 3, 0, 0 }, 4 * 2 * 3 * 64),
		       "arguments come from memory");
	hostile_result(is_indirect(s, (const uint32_t[]){ 4, 0, 3, 0, 0 }, 0),
		       "no groups are none");
	hostile_result(is_indirect_from_the_first(s),
		       "groups whose number is in memory have no base");
	hostile_result(is_indirect(s, (const uint32_t[]){ 0x10000, 0x10000, 1, 0, 0 }, 0),
		       "groups are counted in 32 bits");
	hostile_result(is_indirect(s, (const uint32_t[]){ 0x80000001, 0x10, 1, 0, 0 }, 16 * 64),
		       "groups are counted in 32 bits, and some are left");
}

static void test_images(struct scene *s)
{
	const struct kind slice = { .size = { SIDE, SIDE, 1 } };

	for (uint32_t i = 0; i < N_KINDS * 3; i++) {
		const char *name = kinds[i / 3].name, *class = classes[i % 3];

		hostile_result(stores_and_loads(s, i, ID_VIEWS + i, &kinds[i / 3]),
			       "%s of %s is stored to and loaded",
			       name, class);
		hostile_result(stores_nothing_outside(s, i), "nothing is stored outside %s of %s",
			       name, class);
		hostile_result(others_are_none(s, i),
			       "nothing is stored through %s of %s to others", name, class);
	}
	hostile_result(stores_and_loads(s, 1 * 3 + 2, ID_SLICE, &slice), "a slice is an image");
	for (uint32_t i = 0; i < 3; i++) {
		hostile_result(texels_are_stored(s, i), "texels of %s are stored", classes[i]);
		hostile_result(texels_of_another_class(s, i),
			       "texels of another class than %s are not", classes[i]);
	}
	hostile_result(counts(s), "images and texel buffers count");
	hostile_result(counts_nothing_outside(s), "they do not count outside");
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	s.other = hostile_bo(s.h, BUFFER_SIZE);
	s.image = hostile_bo(s.h, IMAGE_SIZE * N_KINDS * 3);
	hostile_guard_back(s.h);
	make_shaders(&s);
	hostile_need(s.h, "shaders");
	make_images(&s);
	hostile_need(s.h, "views");
	test_buffers(&s);
	test_arguments(&s);
	test_images(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	sdrm_bo_del(s.buffer);
	sdrm_bo_del(s.other);
	sdrm_bo_del(s.image);
	hostile_del(s.h);
	return hostile_status();
}
