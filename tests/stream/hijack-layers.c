// SPDX-License-Identifier: MIT
/*
 * Tests worker isolation if the renderer lacks the check of texture types: an array layer used with
 * a cube view is an offset of up to 2 GiB in either direction. sundog-renderd-hijacked runs without
 * that check (HIJACK_UNCHECKED). Two clients share VRAM. A shader of client 1 reads at the offsets
 * of client 2's canaries and of the renderer's memory. It may see client 1's own memory, or the
 * worker may end. Prints TAP.
 */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "cover.vert.h"
#include "fake-device.h"
#include "hijack.h"
#include "layer.frag.h"

/*
 * Client 1 owns the first half of VRAM: its texture, the target, and CONTROL, memory that its
 * shader may read. Client 2 owns the second half.
 */
enum { TEXTURE = STREAM + 1, TARGET, CONTROL };
#define HALF (VRAM_SIZE / 2)
#define TEXTURE_OFFSET STREAM_SIZE
#define TEXTURE_SIZE (2 * EXTENT)
#define TARGET_OFFSET (TEXTURE_OFFSET + TEXTURE_SIZE)
#define CONTROL_OFFSET (TARGET_OFFSET + EXTENT)

#define SIDE 64				/* pixels, of one word each */
#define LAYER (SIDE * SIDE * 4)
#define LAYER_OF(offset) (((int64_t)(offset) - (int64_t)TEXTURE_OFFSET) / LAYER)

#define CANARY 0x7aceca11u
#define FOUND 0x3a3a3a3au

enum { ID_TARGET = 1, ID_TARGET_VIEW, ID_CUBE, ID_CUBE_VIEW, ID_SAMPLER, ID_VERTEX, ID_FRAGMENT };

static void report_layer(bool ok, const char *name, int layer)
{
	char line[128];

	snprintf(line, sizeof(line), "layer %d: %s", layer, name);
	report(ok, line);
}

static void fill(struct device *d, uint64_t offset, uint64_t size, uint32_t value)
{
	uint32_t *at = (uint32_t *)(d->vram + offset);

	for (uint64_t i = 0; i < size / 4; i++)
		at[i] = value;
}

static void create_image(struct device *d, uint32_t id, uint32_t handle, uint32_t view_type,
			 uint32_t layers,
			 uint32_t flags, uint32_t usage)
{
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = mem(handle), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = { SIDE, SIDE, 1 }, .levels = 1, .layers = layers, .samples = 1,
		.flags = flags,
		.usage = usage,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = id + 1, .image = id, .type = view_type, .format = VK_FORMAT_R32_UINT,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = layers, .usage = usage,
	};

	sundog_emit_create_image(&d->stream, &image);
	sundog_emit_create_image_view(&d->stream, &view);
}

static void create_objects(struct device *d)
{
	const struct sundog_cmd_create_sampler sampler = { .id = ID_SAMPLER,
							   .max_anisotropy = 1.0f };
	const struct sundog_cmd_create_shader vertex = {
		.id = ID_VERTEX, .stage = SUNDOG_STAGE_VERTEX, .n_dwords = sizeof(cover_vert) / 4,
	};
	const struct sundog_cmd_create_shader fragment = {
		.id = ID_FRAGMENT, .stage = SUNDOG_STAGE_FRAGMENT, .push_size = 4, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_TEXTURE0, 1,
				VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER } },
		.n_dwords = sizeof(layer_frag) / 4,
	};

	create_image(d, ID_TARGET, TARGET, VK_IMAGE_VIEW_TYPE_2D, 1, 0,
		     SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT);
	create_image(d, ID_CUBE, TEXTURE, VK_IMAGE_VIEW_TYPE_CUBE, 6,
		     SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE,
		     SUNDOG_IMAGE_USAGE_SAMPLED);
	sundog_emit_create_sampler(&d->stream, &sampler);
	sundog_emit_create_shader(&d->stream, &vertex, cover_vert);
	sundog_emit_create_shader(&d->stream, &fragment, layer_frag);
}

static void draw(struct device *d, int32_t layer)
{
	const struct sundog_viewport viewport = { 0.0f, 0.0f, SIDE, SIDE, 0.0f, 1.0f };
	const struct sundog_rect all = { 0, 0, SIDE, SIDE };
	const struct sundog_cmd_set_raster raster = {
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .line_width = 1.0f,
		.stipple_factor = 1,
	};
	const struct sundog_blend_attachment attachment = { .write_mask = 15 };
	const struct sundog_cmd_begin_rendering begin = { .area = all, .layers = 1, .count = 1 };
	const struct sundog_attachment color = {
		.view = ID_TARGET_VIEW, .load = SUNDOG_LOAD_OP_CLEAR,
		.store = SUNDOG_STORE_OP_STORE,
	};
	const struct sundog_cmd_bind_textures textures = { .stage = SUNDOG_STAGE_FRAGMENT,
							   .count = 1 };
	const struct sundog_texture_binding cube = { ID_CUBE_VIEW, ID_SAMPLER };
	struct sundog_stream *s = &d->stream;

	sundog_emit_set_viewports(s, &(struct sundog_cmd_set_viewports){ .count = 1 }, &viewport);
	sundog_emit_set_scissors(s, &(struct sundog_cmd_set_scissors){ .count = 1 }, &all);
	sundog_emit_set_raster(s, &raster);
	sundog_emit_set_depth_stencil(s, &(struct sundog_cmd_set_depth_stencil){ 0 });
	sundog_emit_set_stencil_reference(s, &(struct sundog_cmd_set_stencil_reference){ 0 });
	sundog_emit_set_blend(s, &(struct sundog_cmd_set_blend){ .count = 1 }, &attachment);
	sundog_emit_set_blend_constants(s, &(struct sundog_cmd_set_blend_constants){ 0 });
	sundog_emit_set_multisample(s, &(struct sundog_cmd_set_multisample){
		.samples = 1, .mask = ~0u });
	sundog_emit_set_vertex_input(s, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_begin_rendering(s, &begin, &color);
	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
	sundog_emit_bind_textures(s, &textures, &cube);
	sundog_emit_push_constants(s, &(struct sundog_cmd_push_constants){ .count = 1 },
				   (uint32_t *)&layer);
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	sundog_emit_end_rendering(s);
}

static void set_up(struct device *d)
{
	give_extents(d, 0, HALF, 1);
	give_extents(d, HALF, HALF, 2);
	publish(d, TEXTURE, SUNDOG_HEAP_VRAM, TEXTURE_OFFSET, TEXTURE_SIZE);
	publish(d, TARGET, SUNDOG_HEAP_VRAM, TARGET_OFFSET, EXTENT);
	publish(d, CONTROL, SUNDOG_HEAP_VRAM, CONTROL_OFFSET, EXTENT);
	fill(d, CONTROL_OFFSET, EXTENT, FOUND);
	fill(d, HALF, HALF, CANARY);
}

/* Waits until the draw is done or the worker crashes. Returns false if anything else happens. */
static bool draws_or_ends(struct device *d, struct channel *ch)
{
	while (!is_done(ch) && !message_waits(d->sock))
		sched_yield();
	return is_done(ch) || crashes(d, ch->index);
}

static bool sees(struct device *d, uint32_t value)
{
	const uint32_t *pixels = (uint32_t *)(d->vram + TARGET_OFFSET);

	for (int i = 0; i < SIDE * SIDE; i++)
		if (pixels[i] == value)
			return true;
	return false;
}

/*
 * Draws with texture layer @layer. @own: the layer is memory of client 1, which the shader has to
 * read; this checks that the attack works at all.
 */
static void attack(int32_t layer, bool own)
{
	static const uint32_t list[] = { TEXTURE, TARGET, CONTROL, 0 };
	struct device *d = device_new();
	struct channel ch, victim;
	struct hijack unchecked = { .magic = HIJACK_MAGIC, .op = HIJACK_UNCHECKED };
	bool ok;

	set_up(d);
	ch = channel_new(d, 1, 0);
	victim = channel_new(d, 2, 1);
	memcpy(d->stream.map, &unchecked, sizeof(unchecked));
	d->stream.used = sizeof(unchecked) / 4;
	if (!run(d, &ch, list))
		errx(1, "the check stays");
	create_objects(d);
	draw(d, layer);
	submit(d, &ch, STREAM, list);
	ok = draws_or_ends(d, &ch) && !sees(d, CANARY) && (!own || sees(d, FOUND));
	ok = ok && is_filled((uint32_t *)(d->vram + HALF), HALF, CANARY);
	report_layer(ok, own ? "own memory is read" : "no canary is seen", layer);
	channel_free(&ch);
	channel_free(&victim);
	device_free(d);
}

int main(void)
{
	static const int32_t layers[] = {
		LAYER_OF(HALF), LAYER_OF(HALF) + 1, LAYER_OF(VRAM_SIZE) - 1, LAYER_OF(VRAM_SIZE),
		LAYER_OF(1ull << 30),
		LAYER_OF(2ull << 30), LAYER_OF(2ull << 30) + 10, LAYER_OF(4ull << 30) - 1,
		LAYER_OF(0) - 1,
		LAYER_OF(0) - LAYER_OF(1ull << 30), INT32_MAX, INT32_MIN,
	};

	attack(LAYER_OF(CONTROL_OFFSET), true);
	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		attack(layers[i], false);
	return report_end();
}
