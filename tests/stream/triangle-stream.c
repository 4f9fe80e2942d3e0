// SPDX-License-Identifier: MIT
/*
 * The triangle scene as a hand-written command stream, through libdrm_sundog: on the render node of
 * the kernel driver, or directly on the socket SUNDOG_SOCKET. Prints frames per second, and the
 * number of context switches of worker threads per frame.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "device.h"
#include "picture.h"
#include "sundog.h"
#include "switches.h"
#include "triangle.h"
#include FRAGMENT_SHADER
#include VERTEX_SHADER

#define MATRIX_STRIDE 256
#define STREAM_DWORDS 65536

enum { ID_TARGET = 1, ID_TARGET_VIEW, ID_TEXTURE, ID_TEXTURE_VIEW, ID_SAMPLER, ID_VERTEX,
       ID_FRAGMENT };

struct surface {
	struct sdrm_resource *res;
	struct sdrm_bo *bo;
	uint32_t pitch;
};

struct scene {
	struct triangle_options options;
	struct sdrm_device *dev;
	struct sdrm_context *ctx;
	struct sdrm_submit *submit;
	struct sundog_stream *stream;
	struct surface target, texture;
	struct sdrm_bo *vertices, *matrices;
	double submitted;	/* time of the last frame's submission */
};

static uint32_t align(uint32_t value, uint32_t to)
{
	return (value + to - 1) / to * to;
}

/* Makes a surface of one RGBA8 level, aligned by the layout rule in the device's capabilities. */
static struct surface surface_new(struct scene *s, uint32_t width, uint32_t height)
{
	const struct sundog_caps *caps = sdrm_device_caps(s->dev);
	struct surface p;
	uint64_t size;

	p.pitch = align(align(width, caps->layout_block) * 4, caps->layout_pitch_align);
	size = align(p.pitch * align(height, caps->layout_block), caps->layout_level_align);
	errno = -sdrm_resource_new(s->dev, 0, &size, 1, NULL, 0, &p.res);
	if (errno)
		err(1, "cannot make a picture");
	p.bo = sdrm_resource_bo(p.res, 0);
	return p;
}

static void create_surface(struct scene *s, const struct surface *p, uint32_t id, uint32_t width,
			   uint32_t height, uint32_t usage)
{
	struct sundog_cmd_create_image image = {
		.id = id, .mem = sdrm_bo_mem(p->bo), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM, .extent = { width, height, 1 },
		.levels = 1, .layers = 1, .samples = 1, .usage = usage,
	};
	struct sundog_cmd_create_image_view view = {
		.id = id + 1, .image = id, .type = VK_IMAGE_VIEW_TYPE_2D, .format = image.format,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1, .usage = usage,
	};

	sundog_emit_create_image(s->stream, &image);
	sundog_emit_create_image_view(s->stream, &view);
}

static void create_shader(struct scene *s, uint32_t id, uint32_t stage, uint32_t binding,
			  uint32_t type,
			  const uint32_t *code, size_t size)
{
	struct sundog_cmd_create_shader shader = {
		.id = id, .stage = stage, .n_bindings = 1,
		.bindings = { { binding, 1, type } }, .n_dwords = size / 4,
	};

	sundog_emit_create_shader(s->stream, &shader, code);
}

static void list_all(struct scene *s)
{
	sdrm_submit_add(s->submit, s->target.bo, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	sdrm_submit_add(s->submit, s->texture.bo, SUNDOG_ACCESS_READ);
	sdrm_submit_add(s->submit, s->vertices, SUNDOG_ACCESS_READ);
	sdrm_submit_add(s->submit, s->matrices, SUNDOG_ACCESS_READ);
}

static void create_objects(struct scene *s)
{
	struct sundog_cmd_create_sampler sampler = {
		.id = ID_SAMPLER, .mag_filter = VK_FILTER_LINEAR, .min_filter = VK_FILTER_LINEAR,
		.max_lod = 0.0f, .max_anisotropy = 1.0f,
	};

	create_surface(s, &s->target, ID_TARGET, s->options.width, s->options.height,
		       SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT);
	create_surface(s, &s->texture, ID_TEXTURE, TEXTURE_SIZE, TEXTURE_SIZE,
		       SUNDOG_IMAGE_USAGE_SAMPLED);
	sundog_emit_create_sampler(s->stream, &sampler);
	create_shader(s, ID_VERTEX, SUNDOG_STAGE_VERTEX, SUNDOG_BINDING_UBO0,
		      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, triangle_vert, sizeof(triangle_vert));
	create_shader(s, ID_FRAGMENT, SUNDOG_STAGE_FRAGMENT, SUNDOG_BINDING_TEXTURE0,
		      VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, triangle_frag,
		      sizeof(triangle_frag));
}

static void fill_memory(struct scene *s)
{
	uint8_t *texels = sdrm_bo_map(s->texture.bo);

	memcpy(sdrm_bo_map(s->vertices), triangle_vertices, sizeof(triangle_vertices));
	for (int y = 0; y < TEXTURE_SIZE; y++)
		for (int x = 0; x < TEXTURE_SIZE; x++)
			triangle_texel(x, y, texels + y * s->texture.pitch + x * 4);
}

static void set_state(struct scene *s)
{
	/* A negative height makes +y point up, so that the bottom row is first, as in OpenGL. */
	struct sundog_cmd_set_viewports viewports = { .count = 1 };
	struct sundog_viewport viewport = {
		0.0f, s->options.height, s->options.width, -s->options.height, 0.0f, 1.0f,
	};
	struct sundog_cmd_set_scissors scissors = { .count = 1 };
	struct sundog_rect scissor = { 0, 0, s->options.width, s->options.height };
	struct sundog_cmd_set_raster raster = {
		.flags = SUNDOG_RASTER_FLAG_DEPTH_CLIP,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
		.line_width = 1.0f, .stipple_factor = 1,
	};
	struct sundog_cmd_set_blend blend = { .count = 1 };
	struct sundog_blend_attachment attachment = { .write_mask = 15 };
	struct sundog_cmd_set_multisample multisample = { .samples = 1, .mask = ~0u };
	struct sundog_cmd_set_vertex_input input = { .n_bindings = 1, .bindings = { { 16, 0 } },
						     .count = 1 };
	struct sundog_vertex_attribute attribute = { .format = VK_FORMAT_R32G32B32A32_SFLOAT };
	struct sundog_cmd_bind_vertex_buffers vertex_buffers = { .count = 1 };
	struct sundog_buffer_binding vertices = { .mem = sdrm_bo_mem(s->vertices) };
	struct sundog_cmd_bind_textures textures = { .stage = SUNDOG_STAGE_FRAGMENT, .count = 1 };
	struct sundog_texture_binding texture = { ID_TEXTURE_VIEW, ID_SAMPLER };

	sundog_emit_set_viewports(s->stream, &viewports, &viewport);
	sundog_emit_set_scissors(s->stream, &scissors, &scissor);
	sundog_emit_set_raster(s->stream, &raster);
	sundog_emit_set_depth_stencil(s->stream, &(struct sundog_cmd_set_depth_stencil){ 0 });
	sundog_emit_set_stencil_reference(s->stream,
					  &(struct sundog_cmd_set_stencil_reference){ 0 });
	sundog_emit_set_blend(s->stream, &blend, &attachment);
	sundog_emit_set_blend_constants(s->stream, &(struct sundog_cmd_set_blend_constants){ 0 });
	sundog_emit_set_multisample(s->stream, &multisample);
	sundog_emit_set_vertex_input(s->stream, &input, &attribute);
	sundog_emit_bind_vertex_buffers(s->stream, &vertex_buffers, &vertices);
	sundog_emit_bind_shaders(s->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
	sundog_emit_bind_textures(s->stream, &textures, &texture);
}

static uint64_t matrix_offset(const struct scene *s, int frame, int draw)
{
	return ((uint64_t)(frame % TRIANGLE_IN_FLIGHT) * s->options.draws + draw) * MATRIX_STRIDE;
}

static struct sdrm_fence *draw_frame(struct scene *s, int frame)
{
	struct sundog_cmd_begin_rendering begin = {
		.area = { 0, 0, s->options.width, s->options.height }, .layers = 1, .count = 1,
	};
	struct sundog_attachment color = {
		.view = ID_TARGET_VIEW, .load = SUNDOG_LOAD_OP_CLEAR,
		.store = SUNDOG_STORE_OP_STORE,
	};
	struct sdrm_fence *fence;

	memcpy(color.clear, triangle_clear, sizeof(color.clear));
	list_all(s);
	if (frame == 0)
		create_objects(s);
	set_state(s);
	sundog_emit_begin_rendering(s->stream, &begin, &color);
	for (int i = 0; i < s->options.draws; i++) {
		struct sundog_cmd_bind_ubo ubo = {
			.stage = SUNDOG_STAGE_VERTEX,
			.range = { sdrm_bo_mem(s->matrices), matrix_offset(s, frame, i), 64 },
		};

		triangle_matrix(frame, i,
				(float *)((char *)sdrm_bo_map(s->matrices) + ubo.range.offset));
		sundog_emit_bind_ubo(s->stream, &ubo);
		sundog_emit_draw(s->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	}
	sundog_emit_end_rendering(s->stream);
	s->submitted = triangle_now();
	errno = -sdrm_submit_flush(s->submit, -1, &fence);
	if (errno)
		err(1, "frame %d is not taken", frame);
	return fence;
}

static void finish(struct scene *s, struct sdrm_fence *fence, int frame)
{
	struct sdrm_context_status status = { 0 };

	if (!fence)
		return;
	errno = -sdrm_fence_wait(fence, SDRM_FOREVER);
	if (errno) {
		sdrm_context_query(s->ctx, &status);
		err(1, "frame %d: fault %u after %d ms", frame, status.fault,
		    (int)((triangle_now() - s->submitted) * 1000));
	}
	sdrm_fence_del(fence);
}

static void draw_frames(struct scene *s)
{
	struct sdrm_fence *fences[TRIANGLE_IN_FLIGHT] = { NULL };
	const int in_flight = s->options.in_flight;
	double start = 0.0;
	long switches = 0;
	int frame;

	for (frame = 0; frame < s->options.frames; frame++) {
		/*
		 * Starts the clock after the first frame, which creates objects and compiles
		 * shaders.
		 */
		if (frame == 1) {
			finish(s, fences[0], 0);
			fences[0] = NULL;
			switches = worker_switches();
			start = triangle_now();
		}
		finish(s, fences[frame % in_flight], frame - in_flight);
		fences[frame % in_flight] = draw_frame(s, frame);
	}
	for (int i = 0; i < in_flight; i++)
		finish(s, fences[i], frame - 1);
	if (frame > 1)
		printf("fps %.1f\n", (frame - 1) / (triangle_now() - start));
	if (frame > 1 && switches >= 0)
		printf("switches %.1f\n", (double)(worker_switches() - switches) / (frame - 1));
}

int main(int argc, char **argv)
{
	struct scene s = { .options = triangle_parse(argc, argv) };
	int error;

	s.dev = device_open();
	s.ctx = sdrm_context_new(s.dev);
	if (!s.ctx)
		err(1, "no context");
	s.submit = sdrm_submit_new(s.ctx, STREAM_DWORDS);
	s.stream = sdrm_submit_stream(s.submit);
	s.target = surface_new(&s, s.options.width, s.options.height);
	s.texture = surface_new(&s, TEXTURE_SIZE, TEXTURE_SIZE);
	error = sdrm_bo_new(s.dev, 4096, &s.vertices);
	if (!error)
		error = sdrm_bo_new(s.dev, MATRIX_STRIDE * s.options.draws * TRIANGLE_IN_FLIGHT,
				    &s.matrices);
	if (error)
		errx(1, "no memory: %s", strerror(-error));
	fill_memory(&s);
	draw_frames(&s);
	if (s.options.png && !picture_save(s.options.png, sdrm_bo_map(s.target.bo),
					   s.options.width,
				       s.options.height, s.target.pitch))
		return 1;
	sdrm_submit_del(s.submit);
	sdrm_bo_del(s.vertices);
	sdrm_bo_del(s.matrices);
	sdrm_resource_del(s.target.res);
	sdrm_resource_del(s.texture.res);
	sdrm_context_del(s.ctx);
	sdrm_device_del(s.dev);
	return 0;
}
