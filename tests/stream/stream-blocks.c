// SPDX-License-Identifier: MIT
/*
 * Tests uncompressed views of block-compressed images (VkImageCreateFlagBits BLOCK_TEXEL_VIEW): any
 * coordinate that a shader reads or writes stays within the level and layers of the view. Also
 * tests invalid views. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "blocks-shaders.h"
#include "hostile.h"

#define LEVELS 3u
#define LAYERS 3u
#define MEMORY 65536u
#define START 4096u			/* offset of the image in the memory */
#define FETCHED 256u			/* texels that a work group fetches */
#define WORDS 2u			/* words that it fetches of each texel */

/*
 * The rows of blocks have other lengths than the rows of any uncompressed image. Tests of invalid
 * views use the first format.
 */
static const struct format {
	const char *name;
	uint32_t blocks, texels;
	uint32_t side, bytes;		/* width, height and size in bytes of a block */
	uint32_t width, height;
} formats[] = {
	{ "BC1", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_R32G32_UINT, 4, 8, 44, 20 },
	{ "BC7", VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 4, 16, 44, 20 },
	{ "ASTC", VK_FORMAT_ASTC_5x5_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 5, 16, 48, 20 },
};

/* Level of the view, and its first layer. It extends to the last layer. */
#define LEVEL 1u
#define LAYER 1u

/* Word i of the view's texels has the value OWN + i. */
#define OWN 0x40000000u

enum { ID_READ = HOSTILE_FREE, ID_WRITE, ID_IMAGE, ID_SAMPLED, ID_STORAGE, ID_VOLUME, ID_PLAIN,
       ID_NEW, ID_NEW_VIEW };

struct scene {
	struct hostile *h;
	const struct format *format;
	struct sdrm_bo *memory, *out;
};

static uint64_t align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static uint32_t blocks(const struct scene *s, uint32_t size, uint32_t level)
{
	return ((size >> level) + s->format->side - 1) / s->format->side;
}

static uint32_t level_size(const struct scene *s, uint32_t level)
{
	return blocks(s, s->format->width, level) * blocks(s, s->format->height,
							   level) * s->format->bytes;
}

/* First and end word of the view in the memory. */
static uint32_t view_start(const struct scene *s)
{
	const uint32_t line = sdrm_device_caps(s->h->dev)->layout_level_align;

	return (START + align(level_size(s, 0) * LAYERS, line) + level_size(s, LEVEL) * LAYER) / 4;
}

static uint32_t view_end(const struct scene *s)
{
	return view_start(s) + level_size(s, LEVEL) * (LAYERS - LAYER) / 4;
}

static bool is_of_view(const struct scene *s, uint32_t word)
{
	return word >= view_start(s) && word < view_end(s);
}

static void fill(struct scene *s)
{
	uint32_t *words = sdrm_bo_map(s->memory);

	for (uint32_t i = 0; i < MEMORY / 4; i++)
		words[i] = is_of_view(s, i) ? OWN + i : CANARY;
	memset(sdrm_bo_map(s->out), 0xee, FETCHED * WORDS * 4);
}

/* Objects */

static struct sundog_cmd_create_image image_of(const struct scene *s, uint32_t id)
{
	return (struct sundog_cmd_create_image){
		.id = id, .mem = sdrm_bo_mem(s->memory), .offset = START,
		.flags = SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT | SUNDOG_IMAGE_FLAG_EXTENDED_USAGE |
			 SUNDOG_IMAGE_FLAG_BLOCK_TEXEL_VIEW,
		.type = VK_IMAGE_TYPE_2D, .format = s->format->blocks,
		.extent = { s->format->width, s->format->height, 1 },
		.levels = LEVELS, .layers = LAYERS, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_STORAGE |
			 SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT,
	};
}

static struct sundog_cmd_create_image_view view_of(const struct scene *s, uint32_t id,
						   uint32_t usage)
{
	return (struct sundog_cmd_create_image_view){
		.id = id, .image = ID_IMAGE, .type = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		.format = s->format->texels,
		.aspect = SUNDOG_ASPECT_COLOR, .base_level = LEVEL, .levels = 1,
		.base_layer = LAYER, .layers = LAYERS - LAYER,
		.usage = usage,
	};
}

static void make_shader(struct hostile *h, uint32_t id, uint32_t binding, uint32_t type,
			const uint32_t *code, size_t size)
{
	const struct sundog_cmd_create_shader cmd = {
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = 12, .n_bindings = 2,
		.bindings = { { SUNDOG_BINDING_SSBOS, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER },
			      { binding, 1, type } },
	};

	hostile_shader(h, id, &cmd, code, size);
}

static void make_shaders(struct scene *s)
{
	make_shader(s->h, ID_READ, SUNDOG_BINDING_TEXTURE0,
		    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, blocks_read,
		    sizeof(blocks_read));
	make_shader(s->h, ID_WRITE, SUNDOG_BINDING_IMAGE0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
		    blocks_write,
		    sizeof(blocks_write));
	hostile_need(s->h, "shaders");
}

static void make_image(struct scene *s)
{
	struct sundog_cmd_create_image image = image_of(s, ID_IMAGE);
	struct sundog_cmd_create_image_view view = view_of(s, ID_SAMPLED,
							   SUNDOG_IMAGE_USAGE_SAMPLED);

	hostile_list(s->h, s->memory);
	sundog_emit_create_image(s->h->stream, &image);
	sundog_emit_create_image_view(s->h->stream, &view);
	view = view_of(s, ID_STORAGE, SUNDOG_IMAGE_USAGE_STORAGE);
	sundog_emit_create_image_view(s->h->stream, &view);
	hostile_need(s->h, "image of blocks");
}

static void drop_image(struct scene *s)
{
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE, ID_IMAGE });
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE_VIEW, ID_SAMPLED });
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE_VIEW, ID_STORAGE });
	hostile_need(s->h, "end of it");
}

/* Makes a volume of 4 slices, and an image without BLOCK_TEXEL_VIEW. */
static void make_others(struct scene *s)
{
	struct sundog_cmd_create_image image = image_of(s, ID_PLAIN);

	hostile_list(s->h, s->memory);
	image.flags &= ~SUNDOG_IMAGE_FLAG_BLOCK_TEXEL_VIEW;
	sundog_emit_create_image(s->h->stream, &image);
	image = image_of(s, ID_VOLUME);
	image.type = VK_IMAGE_TYPE_3D;
	image.extent.depth = 4;
	image.layers = 1;
	image.flags = SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE;
	image.format = VK_FORMAT_R32_UINT;
	image.usage = SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_STORAGE;
	sundog_emit_create_image(s->h->stream, &image);
	hostile_need(s->h, "other images");
}

/* Shaders */

static bool run(struct scene *s, uint32_t shader, const int32_t *first)
{
	const struct sundog_texture_binding texture = { ID_SAMPLED, HOSTILE_SAMPLER };
	const uint32_t storage = ID_STORAGE;

	fill(s);
	hostile_list(s->h, s->memory);
	hostile_list(s->h, s->out);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = shader } });
	sundog_emit_bind_ssbos(s->h->stream,
			       &(struct sundog_cmd_bind_ssbos){ SUNDOG_STAGE_COMPUTE, 0, 1 },
			       &(struct sundog_mem_range){ sdrm_bo_mem(s->out), 0,
							   FETCHED * WORDS * 4 });
	if (shader == ID_READ)
		sundog_emit_bind_textures(s->h->stream,
					  &(struct sundog_cmd_bind_textures){ SUNDOG_STAGE_COMPUTE,
									      0, 1 },
					  &texture);
	else
		sundog_emit_bind_images(s->h->stream,
					&(struct sundog_cmd_bind_images){ SUNDOG_STAGE_COMPUTE, 0,
									  1 },
					&storage);
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 3 },
				   (const uint32_t *)first);
	sundog_emit_dispatch(s->h->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	return hostile_runs(s->h);
}

/* Returns the index of a texel's first word in the memory, or 0 if the view has no such texel. */
static uint32_t place(const struct scene *s, const int32_t *first, uint32_t i)
{
	const int64_t x = first[0] + (int64_t)(i % 8), y = first[1] + (int64_t)(i / 8 % 8),
		z = first[2] + (int64_t)(i / 64);

	const uint32_t columns = blocks(s, s->format->width, LEVEL),
		rows = blocks(s, s->format->height, LEVEL);

	if (x < 0 || x >= columns || y < 0 || y >= rows || z < 0 || z >= LAYERS - LAYER)
		return 0;
	return view_start(s) + ((z * rows + y) * columns + x) * s->format->bytes / 4;
}

/* Some hosts clamp the layer, so fetched texels have to be those of the view or zero. */
static bool reads_only_its_own(struct scene *s, const int32_t *first)
{
	const uint32_t *words = sdrm_bo_map(s->out);

	if (!run(s, ID_READ, first))
		return false;
	for (uint32_t i = 0; i < FETCHED * WORDS; i++) {
		const uint32_t at = place(s, first, i / WORDS), expected = OWN + at + i % WORDS;

		if (at ? words[i] == expected : !words[i] || is_of_view(s, words[i] - OWN))
			continue;
		printf("# texel %u is %#x, not %#x\n", i / WORDS, words[i], at ? expected : 0);
		return false;
	}
	return true;
}

static bool writes_only_its_own(struct scene *s, const int32_t *first)
{
	const uint32_t *words = sdrm_bo_map(s->memory);
	uint32_t changed = 0, expected = 0;

	if (!run(s, ID_WRITE, first))
		return false;
	for (uint32_t i = 0; i < FETCHED; i++)
		expected += place(s, first, i) ? s->format->bytes / 4 : 0;
	for (uint32_t i = 0; i < MEMORY / 4; i++) {
		if (!is_of_view(s, i) && words[i] != CANARY) {
			printf("# word %u became %#x\n", i, words[i]);
			return false;
		}
		changed += is_of_view(s, i) && words[i] != OWN + i;
	}
	if (changed != expected)
		printf("# %u words changed, not %u\n", changed, expected);
	return changed == expected;
}

static void test_places(struct scene *s)
{
	static const int32_t firsts[][3] = {
		{ 0, 0, 0 }, { -7, -7, -3 }, { 5, 2, 1 }, { 6, 0, 0 }, { 0, 3, 0 }, { 0, 0, 2 },
		{ 36, 12, 0 }, { -8, 0, -1 },
		{ 65536, 0, 0 }, { 0, 65536, 0 }, { 0, 0, 65536 },
		{ INT32_MAX - 7, INT32_MAX - 7, 0 },
		{ INT32_MIN, INT32_MIN, INT32_MIN }, { 0, 0x2aaaaaaa, 0 }, { 0x20000000, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		const int32_t *f = firsts[i];

		hostile_result(reads_only_its_own(s, f),
			       "%s: what is read from %d,%d,%d on is the view's", s->format->name,
			       f[0],
			       f[1], f[2]);
		hostile_result(writes_only_its_own(s, f),
			       "%s: what is written from %d,%d,%d on is the view's",
			       s->format->name,
			       f[0], f[1], f[2]);
	}
}

/* Invalid packets */

static void emit_view(struct scene *s, const struct sundog_cmd_create_image_view *view)
{
	hostile_list(s->h, s->memory);
	sundog_emit_create_image_view(s->h->stream, view);
}

#define BAD_VIEW(name, change) \
	static void name(struct scene *s) \
	{ \
		struct sundog_cmd_create_image_view view = \
			view_of(s, ID_NEW_VIEW, SUNDOG_IMAGE_USAGE_SAMPLED); \
		\
		change; \
		emit_view(s, &view); \
	}

BAD_VIEW(two_levels, view.levels = 2)
BAD_VIEW(level_past_the_last, view.base_level = LEVELS)
BAD_VIEW(layer_past_the_last, view.base_layer = LAYERS)
BAD_VIEW(too_many_layers, view.layers = LAYERS)
BAD_VIEW(larger_texels, view.format = VK_FORMAT_R32G32B32A32_UINT)
BAD_VIEW(smaller_texels, view.format = VK_FORMAT_R32_UINT)
BAD_VIEW(depths, (view.format = VK_FORMAT_D32_SFLOAT_S8_UINT, view.aspect = SUNDOG_ASPECT_DEPTH))
BAD_VIEW(another_aspect, view.aspect = SUNDOG_ASPECT_DEPTH)
BAD_VIEW(attachment, view.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT)
BAD_VIEW(sampled_attachment, view.usage |= SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT)
BAD_VIEW(no_use, view.usage = 0)
BAD_VIEW(other_use, view.usage = SUNDOG_IMAGE_USAGE_TRANSFER_SRC)
BAD_VIEW(volume, (view.type = VK_IMAGE_VIEW_TYPE_3D, view.base_layer = 0, view.layers = 1))
BAD_VIEW(cube, (view.type = VK_IMAGE_VIEW_TYPE_CUBE, view.base_layer = 0, view.layers = 6))
BAD_VIEW(one_dimension, (view.type = VK_IMAGE_VIEW_TYPE_1D, view.layers = 1))
BAD_VIEW(several_for_one, view.type = VK_IMAGE_VIEW_TYPE_2D)
BAD_VIEW(swizzled_storage, (view.usage = SUNDOG_IMAGE_USAGE_STORAGE,
			    view.swizzle[0] = VK_COMPONENT_SWIZZLE_G))
BAD_VIEW(without_the_flag, view.image = ID_PLAIN)
BAD_VIEW(slices_of_layers, (view.type = SUNDOG_VIEW_TYPE_SLICES,
			    view.usage = SUNDOG_IMAGE_USAGE_STORAGE))
BAD_VIEW(unlisted_type, view.type = SUNDOG_VIEW_TYPE_SLICES + 1)

/* Views of a volume with 4 slices, and 2 in the next level. */
#define BAD_SLICES(name, change) \
	BAD_VIEW(name, (view.image = ID_VOLUME, view.type = SUNDOG_VIEW_TYPE_SLICES, \
			view.format = VK_FORMAT_R32_UINT, view.base_level = 0, \
			view.usage = SUNDOG_IMAGE_USAGE_STORAGE, change))

BAD_SLICES(slice_past_the_last, (view.base_layer = 4, view.layers = 1))
BAD_SLICES(too_many_slices, (view.base_layer = 1, view.layers = 4))
BAD_SLICES(too_many_of_a_level, (view.base_level = 1, view.base_layer = 1, view.layers = 2))
BAD_SLICES(no_slices, view.layers = 0)
BAD_SLICES(slices_of_levels, (view.levels = 2, view.layers = 1))
BAD_SLICES(sampled_slices, view.usage |= SUNDOG_IMAGE_USAGE_SAMPLED)
BAD_SLICES(sampled_slice_past_the_last,
	   (view.type = VK_IMAGE_VIEW_TYPE_2D, view.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	    view.base_layer = 4, view.layers = 1))
BAD_SLICES(sampled_slices_as_layers,
	   (view.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY, view.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	    view.layers = 2))

static void texels_that_are_no_blocks(struct scene *s)
{
	struct sundog_cmd_create_image image = image_of(s, ID_NEW);

	image.format = VK_FORMAT_R32G32_UINT;
	hostile_list(s->h, s->memory);
	sundog_emit_create_image(s->h->stream, &image);
}

static void of_its_own_format(struct scene *s)
{
	struct sundog_cmd_create_image image = image_of(s, ID_NEW);

	image.flags = SUNDOG_IMAGE_FLAG_BLOCK_TEXEL_VIEW;
	image.usage = SUNDOG_IMAGE_USAGE_SAMPLED;
	hostile_list(s->h, s->memory);
	sundog_emit_create_image(s->h->stream, &image);
}

/* The image fits exactly at its offset, so that a later one is refused. */
static void past_the_memory(struct scene *s)
{
	struct sundog_cmd_create_image image = image_of(s, ID_NEW);

	image.offset = MEMORY - 64;
	hostile_list(s->h, s->memory);
	sundog_emit_create_image(s->h->stream, &image);
}

static const struct hostile_fault faults[] = {
	{ "a view of blocks of two levels", two_levels, SUNDOG_FAULT_CODE_RANGE },
	{ "of a level past the last", level_past_the_last, SUNDOG_FAULT_CODE_RANGE },
	{ "of a layer past the last", layer_past_the_last, SUNDOG_FAULT_CODE_RANGE },
	{ "of more layers than there are", too_many_layers, SUNDOG_FAULT_CODE_RANGE },
	{ "with texels that are larger", larger_texels, SUNDOG_FAULT_CODE_RANGE },
	{ "with texels that are smaller", smaller_texels, SUNDOG_FAULT_CODE_RANGE },
	{ "of depths", depths, SUNDOG_FAULT_CODE_RANGE },
	{ "of an aspect that is not there", another_aspect, SUNDOG_FAULT_CODE_RANGE },
	{ "that is drawn to", attachment, SUNDOG_FAULT_CODE_RANGE },
	{ "that is sampled and drawn to", sampled_attachment, SUNDOG_FAULT_CODE_RANGE },
	{ "for no use", no_use, SUNDOG_FAULT_CODE_RANGE },
	{ "for a use that is none of the image's", other_use, SUNDOG_FAULT_CODE_RANGE },
	{ "as a volume", volume, SUNDOG_FAULT_CODE_RANGE },
	{ "as a cube that has too few layers", cube, SUNDOG_FAULT_CODE_RANGE },
	{ "of one dimension", one_dimension, SUNDOG_FAULT_CODE_RANGE },
	{ "of several layers as one", several_for_one, SUNDOG_FAULT_CODE_RANGE },
	{ "swizzled, to be stored to", swizzled_storage, SUNDOG_FAULT_CODE_RANGE },
	{ "of an image that has none", without_the_flag, SUNDOG_FAULT_CODE_RANGE },
	{ "slices of what has layers", slices_of_layers, SUNDOG_FAULT_CODE_RANGE },
	{ "a type of views behind the last", unlisted_type, SUNDOG_FAULT_CODE_FIELD },
	{ "a range of slices past the last", slice_past_the_last, SUNDOG_FAULT_CODE_RANGE },
	{ "a range of too many slices", too_many_slices, SUNDOG_FAULT_CODE_RANGE },
	{ "a range of more slices than the level has", too_many_of_a_level,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "a range of no slices", no_slices, SUNDOG_FAULT_CODE_RANGE },
	{ "a range of slices of two levels", slices_of_levels, SUNDOG_FAULT_CODE_RANGE },
	{ "a range of slices to be sampled", sampled_slices, SUNDOG_FAULT_CODE_RANGE },
	{ "a slice past the last to be sampled", sampled_slice_past_the_last,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "several slices to be sampled", sampled_slices_as_layers, SUNDOG_FAULT_CODE_RANGE },
	{ "views of blocks of what has none", texels_that_are_no_blocks, SUNDOG_FAULT_CODE_RANGE },
	{ "views of blocks of what has views of one format", of_its_own_format,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "an image of blocks past its memory", past_the_memory, SUNDOG_FAULT_CODE_RANGE },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.memory = hostile_bo(s.h, MEMORY);
	s.out = hostile_bo(s.h, FETCHED * WORDS * 4);
	hostile_guard_back(s.h);
	make_shaders(&s);
	for (size_t i = sizeof(formats) / sizeof(formats[0]); i--;) {
		s.format = &formats[i];
		if (!sdrm_device_caps(s.h->dev)->formats[s.format->blocks]) {
			printf("ok - %s # SKIP the host has no such blocks\n", s.format->name);
			continue;
		}
		make_image(&s);
		test_places(&s);
		if (i)
			drop_image(&s);
	}
	make_others(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	hostile_result(reads_only_its_own(&s, (const int32_t[]){ 0, 0, 0 }),
		       "what was there is there");
	sdrm_bo_del(s.memory);
	sdrm_bo_del(s.out);
	hostile_del(s.h);
	return hostile_status();
}
