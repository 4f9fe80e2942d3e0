// SPDX-License-Identifier: MIT
/*
 * Draws points, lines and triangles with vertices that are NaN or infinite, viewports and scissors
 * beyond the picture, with and without clipping, various widths and sample counts. All writes must
 * stay in the picture. Runs on the device that device.h finds. Prints TAP.
 */
#include <math.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "store.frag.h"
#include "store.vert.h"

#define WIDTH 100
#define HEIGHT 60
/* canaries before and behind the pictures in their memory */
#define MARGIN (256u << 10)
#define CANARIES (8ull << 20)
#define VERTICES 3000

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_IMAGES };

struct vertex {
	float position[4], size;
};

struct picture {
	uint32_t format, samples, usage;
	uint64_t size;			/* size of the image */
	struct sdrm_bo *bo;
};

struct scene {
	struct hostile *h;
	struct sdrm_bo *vertices;
	struct picture color, depth;
};

static uint64_t align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* Makes a picture at the offset that the layout rule allows, between canaries. */
static void make_picture(struct scene *s, struct picture *p, uint32_t id, uint32_t aspect)
{
	const struct sundog_caps *caps = sdrm_device_caps(s->h->dev);
	const uint64_t pitch = align(align(WIDTH, caps->layout_block) * 4,
				     caps->layout_pitch_align);
	const struct sundog_cmd_create_image_view view = {
		.id = id + 1, .image = id, .type = VK_IMAGE_VIEW_TYPE_2D, .format = p->format,
		.aspect = aspect,
		.levels = 1, .layers = 1, .usage = p->usage,
	};
	struct sundog_cmd_create_image image = {
		.id = id, .offset = MARGIN, .type = VK_IMAGE_TYPE_2D, .format = p->format,
		.extent = { WIDTH, HEIGHT, 1 }, .levels = 1, .layers = 1, .samples = p->samples,
		.usage = p->usage,
	};

	p->size = align(pitch * align(HEIGHT, caps->layout_block),
			caps->layout_level_align) * p->samples;
	p->bo = hostile_canaries(s->h, align(2 * MARGIN + p->size, 4096));
	image.mem = sdrm_bo_mem(p->bo);
	hostile_list(s->h, p->bo);
	sundog_emit_create_image(s->h->stream, &image);
	sundog_emit_create_image_view(s->h->stream, &view);
}

static void drop_picture(struct scene *s, struct picture *p, uint32_t id)
{
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE_VIEW, id + 1 });
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE, id });
	sdrm_bo_del(p->bo);
}

/* Returns true if all canaries are unchanged and some word between them has changed. */
static bool stays_inside(const struct picture *p, const char *name)
{
	const uint32_t *words = sdrm_bo_map(p->bo);
	uint64_t changed = 0;

	for (uint64_t i = 0; i < sdrm_bo_size(p->bo) / 4; i++) {
		const bool inside = i >= MARGIN / 4 && i < (MARGIN + p->size) / 4;

		changed += inside && words[i] != CANARY;
		if (!inside && words[i] != CANARY) {
			printf("# %s: word %lld of the image is %#x\n", name,
			       (long long)i - MARGIN / 4, words[i]);
			return false;
		}
	}
	return changed;
}

static uint32_t random_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

static float special(void)
{
	static const float values[] = {
		NAN, -NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e9f, -1e9f, 32768.0f, -32768.0f,
		2.0f, -2.0f, 1.0f,
		-1.0f, 0.5f, -0.3f, 0.0f, -0.0f, FLT_MIN, -1e-45f, 1.00001f, 65535.0f, -65537.0f,
		16777216.0f,
	};

	return values[random_number() % (sizeof(values) / sizeof(values[0]))];
}

static void fill_vertices(struct vertex *v)
{
	for (int i = 0; i < VERTICES; i++) {
		for (int k = 0; k < 4; k++)
			v[i].position[k] = special();
		/* w is 1 in half of the vertices. */
		if (i & 1)
			v[i].position[3] = 1.0f;
		v[i].size = special();
	}
	/* The centre of triangle fans. */
	v[0] = (struct vertex){ { 0.1f, 0.2f, 0.5f, 1.0f }, 1.0f };
}

static void set_state(struct scene *s, uint32_t topology)
{
	static const struct sundog_viewport viewports[] = {
		{ 0, 0, WIDTH, HEIGHT, 0, 1 }, { -32768, -32768, 16384, 16384, 0, 1 },
		{ 32767, 32767, 1, 1, 1, 0 },
		{ -500, 300, 1000, -600, 0, 1 }, { 0.5f, 0.25f, 16384, -16384, 0.5f, 0.5f },
		/* with feature DEPTH_RANGE */
		{ 0, 0, WIDTH, HEIGHT, -FLT_MAX, FLT_MAX }, { 0, 0, WIDTH, HEIGHT, 1e30f, -3 },
		{ -500, 300, 1000, -600, -1e-38f, 4.3e9f },
	};
	static const struct sundog_rect scissors[] = {
		{ 0, 0, WIDTH, HEIGHT }, { 0, 0, 65535, 65535 }, { 99, 59, 4000, 4000 },
		{ 0x7fff, 0x7fff, 9, 9 },
	};
	const struct sundog_caps *caps = sdrm_device_caps(s->h->dev);
	const uint32_t n_viewports = caps->features & SUNDOG_FEATURE_DEPTH_RANGE ? 8 : 5;
	const struct sundog_cmd_set_viewports set_viewports = { .count = 1 };
	const struct sundog_cmd_set_scissors set_scissors = { .count = 1 };
	const struct sundog_cmd_set_raster raster = {
		.flags = random_number() & (SUNDOG_RASTER_FLAG_DEPTH_CLAMP |
					    SUNDOG_RASTER_FLAG_DEPTH_CLIP |
					    SUNDOG_RASTER_FLAG_DEPTH_BIAS |
					    SUNDOG_RASTER_FLAG_PROVOKING_LAST |
					    SUNDOG_RASTER_FLAG_CLIP_NEGATIVE_ONE),
		.topology = topology, .polygon_mode = random_number() % 3,
		.line_mode = random_number() % 4,
		.line_width = random_number() & 1 ? caps->line_width_max : caps->line_width_min,
		.stipple_factor = 1 + random_number() % 256, .stipple_pattern = 0x5a5a,
		.bias_constant = special(),
		.bias_slope = special(), .bias_clamp = special(),
	};
	const struct sundog_cmd_set_depth_stencil depth = {
		.flags = SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST |
			 SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE,
		.depth_compare = VK_COMPARE_OP_ALWAYS,
	};
	const struct sundog_cmd_set_blend blend = { .count = 1 };
	const struct sundog_blend_attachment attachment = { .write_mask = 15 };
	const struct sundog_cmd_set_multisample multisample = { .samples = s->color.samples,
								.mask = ~0u };

	sundog_emit_set_viewports(s->h->stream, &set_viewports,
				  &viewports[random_number() % n_viewports]);
	sundog_emit_set_scissors(s->h->stream, &set_scissors, &scissors[random_number() % 4]);
	sundog_emit_set_raster(s->h->stream, &raster);
	sundog_emit_set_depth_stencil(s->h->stream, &depth);
	sundog_emit_set_stencil_reference(s->h->stream,
					  &(struct sundog_cmd_set_stencil_reference){ 0 });
	sundog_emit_set_blend(s->h->stream, &blend, &attachment);
	sundog_emit_set_blend_constants(s->h->stream,
					&(struct sundog_cmd_set_blend_constants){ 0 });
	sundog_emit_set_multisample(s->h->stream, &multisample);
}

static void bind_vertices(struct scene *s)
{
	const struct sundog_cmd_set_vertex_input input = {
		.n_bindings = 1, .bindings = { { sizeof(struct vertex), 0 } }, .count = 2,
	};
	const struct sundog_vertex_attribute attributes[] = {
		{ .location = 0, .format = VK_FORMAT_R32G32B32A32_SFLOAT },
		{ .location = 1, .format = VK_FORMAT_R32_SFLOAT, .offset = 16 },
	};
	const struct sundog_cmd_bind_vertex_buffers bind = { .count = 1 };
	const struct sundog_buffer_binding buffer = { sdrm_bo_mem(s->vertices), 0 };

	sundog_emit_set_vertex_input(s->h->stream, &input, attributes);
	sundog_emit_bind_vertex_buffers(s->h->stream, &bind, &buffer);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
}

/* Draws once with the whole picture as render area, and once with a part of it. */
static void draw(struct scene *s, uint32_t topology)
{
	static const struct sundog_rect areas[] = { { 0, 0, WIDTH, HEIGHT }, { 37, 21, 33, 9 } };
	const struct sundog_attachment color = { .view = ID_IMAGES + 1 },
		depth = { .view = ID_IMAGES + 3 };

	bind_vertices(s);
	for (int i = 0; i < 2; i++) {
		const struct sundog_cmd_begin_rendering begin = {
			.area = areas[i], .layers = 1, .count = 1, .depth = depth,
		};

		sundog_emit_begin_rendering(s->h->stream, &begin, &color);
		for (int k = 0; k < 8; k++) {
			set_state(s, topology);
			sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){
				VERTICES, 1, 0, 0 });
		}
		sundog_emit_end_rendering(s->h->stream);
	}
}

static bool try_topology(struct scene *s, uint32_t topology, uint32_t samples)
{
	bool ok;

	s->color = (struct picture){ VK_FORMAT_R8G8B8A8_UNORM, samples,
				     SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT, 0, NULL };
	s->depth = (struct picture){ VK_FORMAT_D32_SFLOAT, samples,
				     SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT, 0, NULL };
	make_picture(s, &s->color, ID_IMAGES, SUNDOG_ASPECT_COLOR);
	make_picture(s, &s->depth, ID_IMAGES + 2, SUNDOG_ASPECT_DEPTH);
	fill_vertices(sdrm_bo_map(s->vertices));
	hostile_list(s->h, s->vertices);
	draw(s, topology);
	ok = hostile_run(s->h);
	if (ok)
		ok = stays_inside(&s->color, "colour") && stays_inside(&s->depth, "depth");
	else
		printf("# fault %u\n", hostile_fault(s->h));
	drop_picture(s, &s->color, ID_IMAGES);
	drop_picture(s, &s->depth, ID_IMAGES + 2);
	return hostile_run(s->h) && ok;
}

int main(void)
{
	static const char *const topologies[] = {
		"points", "lines", "line strips", "triangles", "triangle strips", "triangle fans",
	};
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };
	struct scene s = { .h = hostile_new() };
	struct sdrm_bo *before = hostile_canaries(s.h, CANARIES);

	s.vertices = hostile_bo(s.h, VERTICES * sizeof(struct vertex));
	hostile_shader(s.h, ID_VERTEX, &vertex, store_vert, sizeof(store_vert));
	hostile_shader(s.h, ID_FRAGMENT, &fragment, store_frag, sizeof(store_frag));
	for (uint32_t i = 0; i < 12; i++)
		hostile_result(try_topology(&s, i / 2, i % 2 ? 4 : 1) &&
			       hostile_canaries_live(before),
			       "%s stay in the picture, %d samples", topologies[i / 2],
			       i % 2 ? 4 : 1);
	sdrm_bo_del(before);
	sdrm_bo_del(s.vertices);
	hostile_del(s.h);
	return hostile_status();
}
