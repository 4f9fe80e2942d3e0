// SPDX-License-Identifier: MIT
/*
 * Renders, and then reads or overwrites the result: in other tiles of the next rendering to the
 * same attachments, and by transfers that use other objects of the same memory. Barriers are those
 * that Vulkan requires, and no wider. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "scene-shaders.h"

#define WIDTH 512u			/* many tiles of a software renderer */
#define HEIGHT 256u
#define PIXELS (WIDTH * HEIGHT)
#define IMAGE_SIZE (1u << 20)
#define MARK 0x600df00du

static const uint64_t color_stage = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
static const uint64_t depth_stages = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
				     VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
static const uint64_t fragment_stage = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
static const uint64_t transfer_stage = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
static const uint64_t depth_access = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
				     VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;

enum { ID_VERTEX = HOSTILE_FREE, ID_VALUE, ID_ACROSS, ID_COLOR, ID_COLOR_VIEW, ID_DEPTH,
       ID_DEPTH_VIEW, ID_DEPTH_TEXTURE,
       ID_OTHER };

struct scene {
	struct hostile *h;
	struct sdrm_bo *color, *depth, *copy;
};

/* Commands */

static void make_image(struct scene *s, uint32_t id, struct sdrm_bo *bo, uint32_t format,
		       uint32_t usage)
{
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = sdrm_bo_mem(bo), .type = VK_IMAGE_TYPE_2D, .format = format,
		.extent = { WIDTH, HEIGHT, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = usage,
	};

	hostile_list(s->h, bo);
	sundog_emit_create_image(s->h->stream, &image);
}

static void make_view(struct scene *s, uint32_t id, uint32_t image, uint32_t format,
		      uint32_t aspect, uint32_t usage)
{
	const struct sundog_cmd_create_image_view view = {
		.id = id, .image = image, .type = VK_IMAGE_VIEW_TYPE_2D, .format = format,
		.aspect = aspect, .levels = 1,
		.layers = 1, .usage = usage,
	};

	sundog_emit_create_image_view(s->h->stream, &view);
}

static void make_objects(struct scene *s)
{
	const uint32_t drawn = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT |
			       SUNDOG_IMAGE_USAGE_TRANSFER_SRC;
	const uint32_t tested = SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT |
				SUNDOG_IMAGE_USAGE_SAMPLED;
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader value = { .stage = SUNDOG_STAGE_FRAGMENT,
							.push_size = 8 };
	const struct sundog_cmd_create_shader across = {
		.stage = SUNDOG_STAGE_FRAGMENT, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_TEXTURE0, 1,
				VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER } },
	};

	hostile_shader(s->h, ID_VERTEX, &vertex, scene_vert, sizeof(scene_vert));
	hostile_shader(s->h, ID_VALUE, &value, scene_value, sizeof(scene_value));
	hostile_shader(s->h, ID_ACROSS, &across, scene_across, sizeof(scene_across));
	make_image(s, ID_COLOR, s->color, VK_FORMAT_R32_SFLOAT, drawn);
	make_view(s, ID_COLOR_VIEW, ID_COLOR, VK_FORMAT_R32_SFLOAT, SUNDOG_ASPECT_COLOR,
		  SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT);
	make_image(s, ID_DEPTH, s->depth, VK_FORMAT_D32_SFLOAT, tested);
	make_view(s, ID_DEPTH_VIEW, ID_DEPTH, VK_FORMAT_D32_SFLOAT, SUNDOG_ASPECT_DEPTH,
		  SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT);
	make_view(s, ID_DEPTH_TEXTURE, ID_DEPTH, VK_FORMAT_D32_SFLOAT, SUNDOG_ASPECT_DEPTH,
		  SUNDOG_IMAGE_USAGE_SAMPLED);
}

static void list(struct scene *s)
{
	hostile_list(s->h, s->color);
	hostile_list(s->h, s->depth);
	hostile_list(s->h, s->copy);
}

/* Sets all state of a draw. */
static void begin(struct scene *s)
{
	const struct sundog_viewport viewport = { 0.0f, 0.0f, WIDTH, HEIGHT, 0.0f, 1.0f };
	const struct sundog_rect all = { 0, 0, WIDTH, HEIGHT };

	memset(sdrm_bo_map(s->copy), 0, IMAGE_SIZE);
	list(s);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_end_rendering(s->h->stream);
	sundog_emit_set_viewports(s->h->stream, &(struct sundog_cmd_set_viewports){ .count = 1 },
				  &viewport);
	sundog_emit_set_scissors(s->h->stream, &(struct sundog_cmd_set_scissors){ .count = 1 },
				 &all);
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
}

static void barrier(struct scene *s, uint64_t src, uint64_t src_access, uint64_t dst,
		    uint64_t dst_access)
{
	sundog_emit_barrier(s->h->stream, &(struct sundog_cmd_barrier){
		src, src_access, dst, dst_access });
}

/* Renders one draw to both attachments, or to the colour attachment alone. */
static void draw(struct scene *s, uint32_t fragment, bool depth, uint32_t load, bool writes_color,
		 bool writes_depth,
		 const void *push)
{
	const struct sundog_cmd_begin_rendering rendering = {
		.area = { 0, 0, WIDTH, HEIGHT }, .layers = 1, .count = 1,
		.depth = { .view = depth ? ID_DEPTH_VIEW : 0, .load = load,
			   .store = SUNDOG_STORE_OP_STORE,
			   .clear = { 0x3f800000 } },
	};
	const struct sundog_attachment color = { .view = ID_COLOR_VIEW, .load = load,
						 .store = SUNDOG_STORE_OP_STORE };
	const struct sundog_cmd_set_depth_stencil test = {
		.flags = depth ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST |
				 (writes_depth ? SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE : 0) : 0,
		.depth_compare = VK_COMPARE_OP_ALWAYS,
	};

	sundog_emit_set_depth_stencil(s->h->stream, &test);
	sundog_emit_set_blend(s->h->stream, &(struct sundog_cmd_set_blend){ .count = 1 },
			      &(struct sundog_blend_attachment){ .write_mask = writes_color ? 15 :
								 0 });
	sundog_emit_begin_rendering(s->h->stream, &rendering, &color);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, fragment } });
	if (fragment == ID_ACROSS)
		sundog_emit_bind_textures(s->h->stream,
					  &(struct sundog_cmd_bind_textures){
						  .stage = SUNDOG_STAGE_FRAGMENT, .count = 1 },
					  &(struct sundog_texture_binding){ ID_DEPTH_TEXTURE,
									    HOSTILE_SAMPLER });
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   push);
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	sundog_emit_end_rendering(s->h->stream);
}

static void draw_value(struct scene *s, float value)
{
	draw(s, ID_VALUE, false, SUNDOG_LOAD_OP_CLEAR, true, false, (const float[2]){ value });
}

static void copy_out(struct scene *s, uint32_t image)
{
	const struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = sdrm_bo_mem(s->copy),
		.src = { .image = image, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { WIDTH, HEIGHT, 1 },
	};

	sundog_emit_copy_image_to_buffer(s->h->stream, &copy);
}

/* Results */

static bool words_are(struct scene *s, struct sdrm_bo *bo, uint32_t n, uint32_t expected)
{
	const uint32_t *words = sdrm_bo_map(bo);
	uint32_t wrong = 0;

	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < n; i++)
		wrong += words[i] != expected;
	if (wrong)
		printf("# %u words of %u are not %#x\n", wrong, n, expected);
	return !wrong;
}

static bool copy_is(struct scene *s, float expected)
{
	uint32_t word;

	memcpy(&word, &expected, sizeof(word));
	return words_are(s, s->copy, PIXELS, word);
}

/*
 * Reads depths in another place of the picture. @written_first: the rendering before the read
 * writes them, else the one after it does. @split: one barrier is for the read, another one for the
 * attachments.
 */
static bool are_in_order(struct scene *s, bool written_first, bool split)
{
	const float color[2] = { written_first };

	begin(s);
	draw(s, ID_VALUE, true, SUNDOG_LOAD_OP_CLEAR, true, written_first, color);
	if (split) {
		barrier(s, depth_stages, depth_access, fragment_stage,
			VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
		barrier(s, depth_stages, depth_access, depth_stages, depth_access);
	} else {
		barrier(s, depth_stages, depth_access, fragment_stage | depth_stages,
			VK_ACCESS_2_SHADER_SAMPLED_READ_BIT |
			VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | depth_access);
	}
	draw(s, ID_ACROSS, true, SUNDOG_LOAD_OP_LOAD, true, false,
	     (const int32_t[2]){ WIDTH - 1, HEIGHT - 1 });
	if (!written_first) {
		barrier(s, fragment_stage, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, depth_stages,
			depth_access);
		draw(s, ID_VALUE, true, SUNDOG_LOAD_OP_LOAD, false, true, color);
	}
	barrier(s, color_stage, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, transfer_stage,
		VK_ACCESS_2_TRANSFER_READ_BIT);
	copy_out(s, ID_COLOR);
	return copy_is(s, !written_first);
}

static void drawn_before_transfers(struct scene *s, uint64_t access)
{
	barrier(s, color_stage, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, transfer_stage, access);
}

static void make_other(struct scene *s)
{
	make_image(s, ID_OTHER, s->color, VK_FORMAT_R32_SFLOAT,
		   SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT | SUNDOG_IMAGE_USAGE_TRANSFER_SRC);
}

static void drop_other(struct scene *s)
{
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE, ID_OTHER });
}

/*
 * Copies the drawn pixels from another image in the same memory. @late: that image is made while
 * rendering is open.
 */
static bool are_copied(struct scene *s, bool late)
{
	const float value = late ? 8 : 7;

	begin(s);
	if (!late)
		make_other(s);
	draw_value(s, value);
	drawn_before_transfers(s, VK_ACCESS_2_TRANSFER_READ_BIT);
	if (late) {
		hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
		make_other(s);
		sundog_emit_end_rendering(s->h->stream);
	}
	copy_out(s, ID_OTHER);
	drop_other(s);
	return copy_is(s, value);
}

/* The memory of a drawn picture is overwritten: the draws must not overwrite the new contents. */
static bool are_over(struct scene *s, bool updates)
{
	static const uint32_t marks[] = { MARK, MARK, MARK, MARK };
	const struct sundog_cmd_fill_buffer fill = { { sdrm_bo_mem(s->color), 0, IMAGE_SIZE / 2 },
						     MARK };

	begin(s);
	draw_value(s, 9);
	drawn_before_transfers(s, VK_ACCESS_2_TRANSFER_WRITE_BIT);
	if (updates)
		sundog_emit_update_buffer(s->h->stream, &(struct sundog_cmd_update_buffer){
			sdrm_bo_mem(s->color), 0, 4 }, marks);
	else
		sundog_emit_fill_buffer(s->h->stream, &fill);
	return words_are(s, s->color, updates ? 4 : IMAGE_SIZE / 8, MARK);
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	s.color = hostile_bo(s.h, IMAGE_SIZE);
	s.depth = hostile_bo(s.h, IMAGE_SIZE);
	s.copy = hostile_bo(s.h, IMAGE_SIZE);
	make_objects(&s);
	hostile_need(s.h, "shaders and images");
	/* First, since the depths of another order would be the same. */
	hostile_result(are_in_order(&s, true, true),
		       "depths are written, then read by other tiles, with two barriers");
	hostile_result(are_in_order(&s, true, false),
		       "depths are written, then read by other tiles of the same attachments");
	hostile_result(are_in_order(&s, false, false),
		       "depths are read by other tiles of the same attachments, then written");
	hostile_result(are_over(&s, true),
		       "what was drawn does not come over an update of its memory");
	hostile_result(are_over(&s, false),
		       "what was drawn does not come over what its memory is filled with");
	hostile_result(are_copied(&s, false),
		       "what was drawn is copied from another image of the same memory");
	hostile_result(are_copied(&s, true),
		       "what was drawn is copied from one that is made "
		       "while another rendering is open");
	sdrm_bo_del(s.color);
	sdrm_bo_del(s.depth);
	sdrm_bo_del(s.copy);
	hostile_del(s.h);
	return hostile_status();
}
