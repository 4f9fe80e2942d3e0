// SPDX-License-Identifier: MIT
/*
 * Tests invalid streams: each case must fault its channel, with a fault record of code, packet
 * offset and argument. The program gets an error. Another context of the same client and another
 * client must go on. Runs on the device that device.h finds. Prints TAP.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan_core.h>

#include "device.h"
#include "patience.h"
#include "sundog.h"
#include "triangle.frag.h"
#include "triangle.vert.h"

#define STREAM_DWORDS 65536

struct bystander {
	struct sdrm_device *dev;
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sdrm_bo *bo;
};

struct test {
	struct sundog_stream *stream;
	struct sdrm_submit *submit;
	struct sdrm_bo *bo, *unlisted;
	uint32_t expected_offset;	/* bytes before the bad packet; set by the case */
	uint64_t expected_arg;
};

/* Marks the start of the bad packet. */
static void bad_packet(struct test *t, uint64_t arg)
{
	t->expected_offset = t->stream->used * 4;
	t->expected_arg = arg;
}

static void fill(struct test *t, struct sundog_mem mem, uint64_t offset, uint64_t size)
{
	sundog_emit_fill_buffer(t->stream, &(struct sundog_cmd_fill_buffer){
		{ mem, offset, size }, 0x5d5d5d5d });
}

/* Cases */

static void wrong_length(struct test *t)
{
	bad_packet(t, 4);
	sundog_emit_draw(t->stream, &(struct sundog_cmd_draw){ 0 });
	t->stream->map[t->stream->used - 5] = SUNDOG_PACKET(SUNDOG_OP_DRAW, 4);
}

static void length_past_end(struct test *t)
{
	bad_packet(t, 1000);
	*sundog_stream_reserve(t->stream, SUNDOG_OP_NOP, 2) = 998;
	t->stream->map[t->stream->used - 2] = SUNDOG_PACKET(SUNDOG_OP_NOP, 1000);
}

static void unknown_opcode(struct test *t)
{
	bad_packet(t, 0xff);
	sundog_stream_reserve(t->stream, 0xff, 1);
}

static void field_out_of_range(struct test *t)
{
	bad_packet(t, 3);
	sundog_emit_bind_index_buffer(t->stream, &(struct sundog_cmd_bind_index_buffer){
		.type = 3 });
	t->expected_arg = 5;
}

static void id_out_of_range(struct test *t)
{
	struct sundog_cmd_create_sampler sampler = { .id = SUNDOG_MAX_OBJECTS };

	bad_packet(t, SUNDOG_MAX_OBJECTS);
	sundog_emit_create_sampler(t->stream, &sampler);
}

static void bad_sampler(struct test *t, uint32_t flags)
{
	struct sundog_cmd_create_sampler sampler = { .id = 11, .flags = flags };

	bad_packet(t, 11);
	sundog_emit_create_sampler(t->stream, &sampler);
}

static void least_and_greatest(struct test *t)
{
	bad_sampler(t, SUNDOG_SAMPLER_FLAG_REDUCE_MIN | SUNDOG_SAMPLER_FLAG_REDUCE_MAX);
}

static void least_of_compared(struct test *t)
{
	bad_sampler(t, SUNDOG_SAMPLER_FLAG_REDUCE_MIN | SUNDOG_SAMPLER_FLAG_COMPARE);
}

/* A number that stands for no format. */
#define NO_FORMAT (SUNDOG_NUM_FORMATS - 1)

static void border_of_no_format(struct test *t)
{
	struct sundog_cmd_create_sampler sampler = { .id = 11, .border_format = NO_FORMAT };

	bad_packet(t, 11);
	sundog_emit_create_sampler(t->stream, &sampler);
}

static void image_of_no_format(struct test *t)
{
	struct sundog_cmd_create_image image = {
		.id = 12, .mem = sdrm_bo_mem(t->bo), .type = VK_IMAGE_TYPE_2D, .format = NO_FORMAT,
		.extent = { 4, 4, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	};

	bad_packet(t, 12);
	sundog_emit_create_image(t->stream, &image);
}

static void view_of_no_format(struct test *t)
{
	struct sundog_cmd_create_image image = {
		.id = 44, .mem = sdrm_bo_mem(t->bo), .type = VK_IMAGE_TYPE_2D,
		.flags = SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT, .format = SUNDOG_FORMAT_A4R4G4B4,
		.extent = { 4, 4, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	};
	struct sundog_cmd_create_image_view view = {
		.id = 45, .image = 44, .type = VK_IMAGE_VIEW_TYPE_2D, .format = NO_FORMAT,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	};

	sundog_emit_create_image(t->stream, &image);
	bad_packet(t, 44);
	sundog_emit_create_image_view(t->stream, &view);
}

static void texels_of_no_format(struct test *t)
{
	struct sundog_cmd_create_buffer_view view = {
		.id = 12, .range = { sdrm_bo_mem(t->bo), 0, 256 }, .format = NO_FORMAT,
	};

	bad_packet(t, 12);
	sundog_emit_create_buffer_view(t->stream, &view);
}

static void vertices_of_no_format(struct test *t)
{
	struct sundog_cmd_set_vertex_input input = {
		.n_bindings = 1, .bindings = { { .stride = 4 } }, .count = 1,
	};
	const struct sundog_vertex_attribute attribute = { .format = NO_FORMAT };

	bad_packet(t, sizeof(input) / 4 + 1);
	sundog_emit_set_vertex_input(t->stream, &input, &attribute);
}

static void vertex_range(struct test *t, struct sundog_mem mem, uint64_t offset, uint64_t size)
{
	const struct sundog_mem_range ranges[2] = { { .size = 0 }, { mem, offset, size } };

	bad_packet(t, mem.index);
	sundog_emit_bind_vertex_ranges(t->stream, &(struct sundog_cmd_bind_vertex_ranges){ 3, 2 },
				       ranges);
}

static void vertices_past_allocation(struct test *t)
{
	vertex_range(t, sdrm_bo_mem(t->bo), 8, sdrm_bo_size(t->bo));
}

static void vertices_that_wrap(struct test *t)
{
	vertex_range(t, sdrm_bo_mem(t->bo), UINT64_MAX - 3, 8);
}

static void vertices_not_listed(struct test *t)
{
	vertex_range(t, sdrm_bo_mem(t->unlisted), 0, 8);
}

static void vertices_past_the_slots(struct test *t)
{
	const struct sundog_mem_range ranges[2] = { 0 };

	bad_packet(t, 2);
	sundog_emit_bind_vertex_ranges(t->stream, &(struct sundog_cmd_bind_vertex_ranges){ 15, 2 },
				       ranges);
}

static void missing_object(struct test *t)
{
	bad_packet(t, 4711);
	sundog_emit_destroy(t->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE, 4711 });
}

static void wrong_kind(struct test *t)
{
	struct sundog_cmd_create_sampler sampler = { .id = 11 };

	sundog_emit_create_sampler(t->stream, &sampler);
	bad_packet(t, 11);
	sundog_emit_destroy(t->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SHADER, 11 });
}

static void offset_past_allocation(struct test *t)
{
	fill(t, sdrm_bo_mem(t->bo), 0, 64);
	bad_packet(t, sdrm_bo_mem(t->bo).index);
	fill(t, sdrm_bo_mem(t->bo), sdrm_bo_size(t->bo), 4);
}

static void size_that_wraps(struct test *t)
{
	bad_packet(t, sdrm_bo_mem(t->bo).index);
	fill(t, sdrm_bo_mem(t->bo), 4096, UINT64_MAX - 3);
}

static void update_past_allocation(struct test *t)
{
	const uint32_t data[4] = { 0 };

	bad_packet(t, sdrm_bo_mem(t->bo).index);
	sundog_emit_update_buffer(t->stream, &(struct sundog_cmd_update_buffer){
		sdrm_bo_mem(t->bo), sdrm_bo_size(t->bo) - 12, 4 }, data);
}

static void update_between_words(struct test *t)
{
	bad_packet(t, sdrm_bo_mem(t->bo).index);
	sundog_emit_update_buffer(t->stream,
				  &(struct sundog_cmd_update_buffer){ sdrm_bo_mem(t->bo), 2, 1 },
				  &(uint32_t){ 0 });
}

/*
 * Clears an image of 3 levels and 2 layers. @field: the refused field of the packet; 0: the image
 * is refused.
 */
static void clear(struct test *t, VkFormat format, uint32_t usage,
		  struct sundog_cmd_clear_image packet, uint64_t field)
{
	static uint32_t id = 100;
	const struct sundog_cmd_create_image image = {
		.id = ++id, .mem = sdrm_bo_mem(t->bo), .type = VK_IMAGE_TYPE_2D, .format = format,
		.extent = { 16, 16, 1 }, .levels = 3, .layers = 2, .samples = 1, .usage = usage,
	};

	packet.image = id;
	sundog_emit_create_image(t->stream, &image);
	bad_packet(t, field ? field : id);
	sundog_emit_clear_image(t->stream, &packet);
}

static void clear_color(struct test *t, struct sundog_cmd_clear_image packet)
{
	clear(t, VK_FORMAT_R8G8B8A8_UNORM, SUNDOG_IMAGE_USAGE_TRANSFER_DST, packet, 0);
}

static void clear_past_levels(struct test *t)
{
	clear_color(t, (struct sundog_cmd_clear_image){
		.aspect = SUNDOG_ASPECT_COLOR, .base_level = 2, .levels = 2, .layers = 1 });
}

static void clear_past_layers(struct test *t)
{
	clear_color(t, (struct sundog_cmd_clear_image){
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .base_layer = 1, .layers = 2 });
}

static void clear_of_other_aspect(struct test *t)
{
	clear_color(t, (struct sundog_cmd_clear_image){
		.aspect = SUNDOG_ASPECT_STENCIL, .levels = 1, .layers = 1 });
}

static void clear_of_blocks(struct test *t)
{
	clear(t, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, SUNDOG_IMAGE_USAGE_TRANSFER_DST,
	      (struct sundog_cmd_clear_image){
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1 }, 0);
}

static void clear_to_no_depth(struct test *t)
{
	clear(t, VK_FORMAT_D32_SFLOAT, SUNDOG_IMAGE_USAGE_TRANSFER_DST,
	      (struct sundog_cmd_clear_image){
		.aspect = SUNDOG_ASPECT_DEPTH, .levels = 1, .layers = 1,
		.clear = { 0x7fc00000 } }, 7);
}

static void viewport_without_end(struct test *t)
{
	const struct sundog_viewport viewport = { 0, 0, 1, 1, 0, INFINITY };

	bad_packet(t, 2);
	sundog_emit_set_viewports(t->stream, &(struct sundog_cmd_set_viewports){ .count = 1 },
				  &viewport);
}

static void depth_bounds_of_no_number(struct test *t)
{
	bad_packet(t, 3);
	sundog_emit_set_depth_stencil(t->stream, &(struct sundog_cmd_set_depth_stencil){
		.flags = SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_BOUNDS, .bounds_max = NAN });
}

static void clear_without_usage(struct test *t)
{
	clear(t, VK_FORMAT_R8G8B8A8_UNORM, SUNDOG_IMAGE_USAGE_SAMPLED,
	      (struct sundog_cmd_clear_image){
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1 }, 0);
}

static void handle_not_listed(struct test *t)
{
	bad_packet(t, sdrm_bo_mem(t->unlisted).index);
	fill(t, sdrm_bo_mem(t->unlisted), 0, 64);
}

static void kres_not_listed(struct test *t)
{
	bad_packet(t, 3);
	fill(t, (struct sundog_mem){ 0x7fffffff, 3 }, 0, 64);
}

static void handle_past_table(struct test *t)
{
	bad_packet(t, 0xffffffff);
	fill(t, (struct sundog_mem){ 0, 0xffffffff }, 0, 64);
}

static void draw_without_state(struct test *t)
{
	bad_packet(t, SUNDOG_OP_DRAW);
	sundog_emit_draw(t->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
}

static void rendering_left_open(struct test *t)
{
	struct sundog_cmd_begin_rendering begin = { .area = { 0, 0, 64, 64 }, .layers = 1 };

	sundog_emit_begin_rendering(t->stream, &begin, &(struct sundog_attachment){ 0 });
	bad_packet(t, SUNDOG_OP_END_RENDERING);
}

static void image_larger_than_memory(struct test *t)
{
	struct sundog_cmd_create_image image = {
		.id = 12, .mem = sdrm_bo_mem(t->bo), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM, .extent = { 4096, 4096, 1 }, .levels = 1,
		.layers = 1,
		.samples = 1, .usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	};

	bad_packet(t, sdrm_bo_mem(t->bo).index);
	sundog_emit_create_image(t->stream, &image);
}

static void linear_image(struct test *t, uint64_t offset, uint32_t pitch, uint32_t usage,
			 uint64_t arg)
{
	struct sundog_cmd_create_linear_image image = {
		.id = 12, .mem = sdrm_bo_mem(t->bo), .offset = offset, .pitch = pitch,
		.format = VK_FORMAT_R8G8B8A8_UNORM, .width = 7, .height = 5, .usage = usage,
	};

	bad_packet(t, arg);
	sundog_emit_create_linear_image(t->stream, &image);
}

static void linear_image_past_memory(struct test *t)
{
	const uint64_t size = 4 * 32 + 7 * 4;

	linear_image(t, sdrm_bo_size(t->bo) - size + 4, 32, SUNDOG_IMAGE_USAGE_SAMPLED,
		     sdrm_bo_mem(t->bo).index);
}

static void linear_image_narrow(struct test *t)
{
	linear_image(t, 0, 24, SUNDOG_IMAGE_USAGE_SAMPLED, 12);
}

static void linear_image_between_texels(struct test *t)
{
	linear_image(t, 2, 32, SUNDOG_IMAGE_USAGE_SAMPLED, 12);
}

static void linear_image_drawn_unaligned(struct test *t)
{
	linear_image(t, 0, 40, SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT, 12);
}

/*
 * Copies texels of three numbers to an image from byte @offset: no buffer of the host has a whole
 * number of texels before it.
 */
static void copy_between_texels(struct test *t, uint32_t id, uint64_t offset)
{
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = sdrm_bo_mem(t->bo), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32G32B32_UINT, .extent = { 4, 1, 1 }, .levels = 1, .layers = 1,
		.samples = 1, .usage = SUNDOG_IMAGE_USAGE_TRANSFER_DST,
	};

	sundog_emit_create_image(t->stream, &image);
	bad_packet(t, sdrm_bo_mem(t->bo).index);
	sundog_emit_copy_buffer_to_image(t->stream, &(struct sundog_cmd_copy_buffer_to_image){
		.mem = sdrm_bo_mem(t->bo), .offset = offset,
		.dst = { .image = id, .aspect = SUNDOG_ASPECT_COLOR }, .extent = { 4, 1, 1 } });
}

static void copy_inside_a_number(struct test *t)
{
	copy_between_texels(t, 21, 4098);
}

static void copy_inside_the_first_texel(struct test *t)
{
	copy_between_texels(t, 22, 8);
}

/* Emits a fragment shader with id @id, a vertex shader with the next id, and a draw with both. */
static void emit_shader(struct test *t, uint32_t id, uint32_t binding, const uint32_t *code,
			uint32_t dwords)
{
	struct sundog_cmd_create_shader shader = {
		.id = id, .stage = SUNDOG_STAGE_FRAGMENT, .n_bindings = 1,
		.bindings = { { binding, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER } },
		.n_dwords = dwords,
	};

	const struct sundog_cmd_create_shader vertex = {
		.id = id + 1, .stage = SUNDOG_STAGE_VERTEX, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_UBO0, 1, 6 } },
		.n_dwords = sizeof(triangle_vert) / 4,
	};

	sundog_emit_create_shader(t->stream, &vertex, triangle_vert);
	sundog_emit_create_shader(t->stream, &shader, code);
	sundog_emit_bind_shaders(t->stream, &(struct sundog_cmd_bind_shaders){ { id + 1, id } });
	bad_packet(t, id);
	sundog_emit_draw(t->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
}

static void invalid_spirv(struct test *t)
{
	uint32_t code[sizeof(triangle_frag) / 4];

	memcpy(code, triangle_frag, sizeof(code));
	code[sizeof(code) / 8] ^= 0xffff;
	emit_shader(t, 13, SUNDOG_BINDING_TEXTURE0, code, sizeof(code) / 4);
}

static void undeclared_binding(struct test *t)
{
	emit_shader(t, 15, SUNDOG_BINDING_TEXTURE0 + 1, triangle_frag, sizeof(triangle_frag) / 4);
}

static const struct {
	const char *name;
	void (*emit)(struct test *t);
	enum sundog_fault_code code;
} cases[] = {
	{ "packet with a wrong length", wrong_length, SUNDOG_FAULT_CODE_LENGTH },
	{ "packet that is longer than its stream", length_past_end, SUNDOG_FAULT_CODE_LENGTH },
	{ "unknown opcode", unknown_opcode, SUNDOG_FAULT_CODE_OPCODE },
	{ "field out of range", field_out_of_range, SUNDOG_FAULT_CODE_FIELD },
	{ "object id out of range", id_out_of_range, SUNDOG_FAULT_CODE_OBJECT },
	{ "sampler of the least and of the greatest", least_and_greatest, SUNDOG_FAULT_CODE_RANGE },
	{ "sampler of the least of what was compared", least_of_compared, SUNDOG_FAULT_CODE_RANGE },
	{ "border colour for no format", border_of_no_format, SUNDOG_FAULT_CODE_RANGE },
	{ "image of no format", image_of_no_format, SUNDOG_FAULT_CODE_RANGE },
	{ "view of no format", view_of_no_format, SUNDOG_FAULT_CODE_RANGE },
	{ "texel buffer of no format", texels_of_no_format, SUNDOG_FAULT_CODE_RANGE },
	{ "vertices of no format", vertices_of_no_format, SUNDOG_FAULT_CODE_FIELD },
	{ "object that does not exist", missing_object, SUNDOG_FAULT_CODE_OBJECT },
	{ "object of another kind", wrong_kind, SUNDOG_FAULT_CODE_OBJECT },
	{ "offset past its allocation", offset_past_allocation, SUNDOG_FAULT_CODE_RANGE },
	{ "offset and size that wrap around", size_that_wraps, SUNDOG_FAULT_CODE_RANGE },
	{ "update past its allocation", update_past_allocation, SUNDOG_FAULT_CODE_RANGE },
	{ "update between words", update_between_words, SUNDOG_FAULT_CODE_RANGE },
	{ "clear past the last level", clear_past_levels, SUNDOG_FAULT_CODE_RANGE },
	{ "clear past the last layer", clear_past_layers, SUNDOG_FAULT_CODE_RANGE },
	{ "clear of an aspect that is not there", clear_of_other_aspect, SUNDOG_FAULT_CODE_RANGE },
	{ "clear of compressed blocks", clear_of_blocks, SUNDOG_FAULT_CODE_RANGE },
	{ "clear to a depth that is no number", clear_to_no_depth, SUNDOG_FAULT_CODE_FIELD },
	{ "viewport up to an infinite depth", viewport_without_end, SUNDOG_FAULT_CODE_FIELD },
	{ "depth bounds that are no numbers", depth_bounds_of_no_number,
	  SUNDOG_FAULT_CODE_FIELD },
	{ "clear of an image without that usage", clear_without_usage, SUNDOG_FAULT_CODE_RANGE },
	{ "range of vertices past its allocation", vertices_past_allocation,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "range of vertices that wraps around", vertices_that_wrap, SUNDOG_FAULT_CODE_RANGE },
	{ "range of vertices that is not listed", vertices_not_listed,
	  SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "ranges past the last slot", vertices_past_the_slots, SUNDOG_FAULT_CODE_FIELD },
	{ "handle that is not in the list", handle_not_listed, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "kres that is not in the list", kres_not_listed, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "handle past the table", handle_past_table, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "draw without state", draw_without_state, SUNDOG_FAULT_CODE_STATE },
	{ "rendering left open", rendering_left_open, SUNDOG_FAULT_CODE_STATE },
	{ "image larger than its memory", image_larger_than_memory, SUNDOG_FAULT_CODE_RANGE },
	{ "linear image that leaves its memory", linear_image_past_memory,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "linear image with rows that overlap", linear_image_narrow, SUNDOG_FAULT_CODE_RANGE },
	{ "linear image between texels", linear_image_between_texels, SUNDOG_FAULT_CODE_RANGE },
	{ "linear image to draw to, not aligned", linear_image_drawn_unaligned,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "copy that begins inside a number", copy_inside_a_number, SUNDOG_FAULT_CODE_RANGE },
	{ "copy that begins inside the first texel", copy_inside_the_first_texel,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "draw with invalid SPIR-V", invalid_spirv, SUNDOG_FAULT_CODE_SHADER },
	{ "draw with a shader that uses an undeclared binding", undeclared_binding,
	  SUNDOG_FAULT_CODE_SHADER },
};

#define N_CASES (sizeof(cases) / sizeof(cases[0]))

/* Running */

static bool wait_dead(struct sdrm_context *ctx, struct sdrm_context_status *status)
{
	const int64_t end = patience_end();

	do {
		if (sdrm_context_query(ctx, status))
			return false;
		if (status->state == SDRM_CONTEXT_ENDED)
			return true;
	} while (patience_pause(end));
	return false;
}

/*
 * Returns true if the fence signals: a fence of a faulted submission must not block its waiters
 * forever.
 */
static bool submit_and_wait(struct test *t)
{
	struct sdrm_fence *fence;
	int error;

	if (sdrm_submit_flush(t->submit, -1, &fence))
		return false;
	error = sdrm_fence_wait(fence, patience_end());
	sdrm_fence_del(fence);
	return error != -ETIME;
}

static bool record_is(const struct test *t, const struct sdrm_context_status *s,
		      enum sundog_fault_code code)
{
	if (s->fault == code && s->offset == t->expected_offset && s->arg == t->expected_arg)
		return true;
	printf("# fault %u at %llu, arg %#llx; expected %u at %u, arg %#llx\n", s->fault,
	       (unsigned long long)s->offset, (unsigned long long)s->arg, code, t->expected_offset,
	       (unsigned long long)t->expected_arg);
	return false;
}

static bool refused_from_now_on(struct test *t)
{
	sundog_emit_end_rendering(t->stream);
	return sdrm_submit_flush(t->submit, -1, NULL) == -EIO;
}

static bool bystander_works(struct bystander *b, uint32_t value)
{
	struct sundog_stream *s = sdrm_submit_stream(b->submit);
	struct sdrm_fence *fence;
	uint32_t *map = sdrm_bo_map(b->bo);
	bool ok;

	map[15] = ~value;
	sdrm_submit_add(b->submit, b->bo, SUNDOG_ACCESS_WRITE);
	sundog_emit_fill_buffer(s, &(struct sundog_cmd_fill_buffer){
		{ sdrm_bo_mem(b->bo), 0, 64 }, value });
	if (sdrm_submit_flush(b->submit, -1, &fence))
		return false;
	ok = !sdrm_fence_wait(fence, patience_end());
	sdrm_fence_del(fence);
	return ok && map[15] == value;
}

static struct bystander bystander_new(struct sdrm_device *dev)
{
	struct bystander b = { .dev = dev, .ctx = sdrm_context_new(dev) };

	if (!b.ctx || sdrm_bo_new(dev, 4096, &b.bo)) {
		printf("Bail out! no context\n");
		exit(1);
	}
	b.submit = sdrm_submit_new(b.ctx, STREAM_DWORDS);
	return b;
}

static void bystander_free(struct bystander *b)
{
	sdrm_submit_del(b->submit);
	sdrm_bo_del(b->bo);
	sdrm_context_del(b->ctx);
}

static bool run_case(struct sdrm_device *dev, unsigned int i, struct bystander *same,
		     struct bystander *other)
{
	struct test t = { 0 };
	struct sdrm_context *ctx = sdrm_context_new(dev);
	struct sdrm_context_status status = { 0 };
	bool ok;

	if (!ctx || sdrm_bo_new(dev, 65536, &t.bo) || sdrm_bo_new(dev, 65536, &t.unlisted))
		return false;
	t.submit = sdrm_submit_new(ctx, STREAM_DWORDS);
	t.stream = sdrm_submit_stream(t.submit);
	sdrm_submit_add(t.submit, t.bo, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	/* Precedes the bad packet, so that the offset in the record is not 0. */
	sundog_emit_nop(t.stream, &(struct sundog_cmd_nop){ 0 }, &(uint32_t){ 0 });
	cases[i].emit(&t);
	ok = submit_and_wait(&t) && wait_dead(ctx, &status) &&
	     record_is(&t, &status, cases[i].code) &&
	     refused_from_now_on(&t) && bystander_works(same, i) && bystander_works(other, i);
	sdrm_submit_del(t.submit);
	sdrm_bo_del(t.bo);
	sdrm_bo_del(t.unlisted);
	sdrm_context_del(ctx);
	return ok;
}

int main(void)
{
	struct sdrm_device *dev = device_open(), *other_dev = device_open();
	struct bystander same = bystander_new(dev), other = bystander_new(other_dev);

	printf("1..%zu\n", N_CASES);
	for (unsigned int i = 0; i < N_CASES; i++)
		printf("%sok %u - %s\n", run_case(dev, i, &same, &other) ? "" : "not ", i + 1,
		       cases[i].name);
	bystander_free(&same);
	bystander_free(&other);
	sdrm_device_del(dev);
	sdrm_device_del(other_dev);
	return 0;
}
