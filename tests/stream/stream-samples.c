// SPDX-License-Identifier: MIT
/*
 * Samples every dimension of texture with every wrap mode, at coordinates, levels and gradients
 * that are NaN, infinite or just beyond an edge. Each result must be a mixture of texels and
 * border. Runs on the device that device.h finds. Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "probe.vert.h"
#include "sample-shaders.h"

#define IMAGE_SIZE 65536
#define CANARIES (8ull << 20)
#define SIDE 8
#define LEVELS 4

/* Value of all texels. The border is 0. */
#define TEXEL 1.5f

#define N_KINDS 7
#define N_OPS 4
#define N_WRAPS 5
#define N_FILTERS 3
#define N_SAMPLERS (N_WRAPS * N_FILTERS)

enum { ID_VERTEX = HOSTILE_FREE, ID_SHADERS, ID_GROUPS = ID_SHADERS + N_KINDS * N_OPS,
       ID_SAMPLERS = ID_GROUPS + N_KINDS,
       ID_IMAGES = ID_SAMPLERS + N_SAMPLERS };

static const struct kind {
	const char *name;
	uint32_t view_type, image_type, depth, layers, flags;
} kinds[N_KINDS] = {
	{ "1D", VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_TYPE_1D, 1, 1, 0 },
	{ "2D", VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, 1, 1, 0 },
	{ "3D", VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_TYPE_3D, SIDE, 1, 0 },
	{ "cube", VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_TYPE_2D, 1, 6,
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE },
	{ "1D array", VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_TYPE_1D, 1, 4, 0 },
	{ "2D array", VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_TYPE_2D, 1, 4, 0 },
	{ "cube array", VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, VK_IMAGE_TYPE_2D, 1, 12,
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE },
};

static const struct {
	const uint32_t *code;
	size_t size;
} shaders[N_KINDS * N_OPS] = {
#define SHADER(kind, op) { sample_##kind##_##op, sizeof(sample_##kind##_##op) }
#define SHADERS(kind) SHADER(kind, 0), SHADER(kind, 1), SHADER(kind, 2), SHADER(kind, 3)
	SHADERS(0), SHADERS(1), SHADERS(2), SHADERS(3), SHADERS(4), SHADERS(5), SHADERS(6),
}, groups[N_KINDS] = {
#define GROUPS(kind) { sample_groups_##kind, sizeof(sample_groups_##kind) }
	GROUPS(0), GROUPS(1), GROUPS(2), GROUPS(3), GROUPS(4), GROUPS(5), GROUPS(6),
};

static void make_shaders(struct hostile *h)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = {
		.stage = SUNDOG_STAGE_FRAGMENT, .push_size = 4, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_TEXTURE0, 1,
				VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER } },
	};
	const struct sundog_cmd_create_shader group = {
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = 4, .n_bindings = 2,
		.bindings = { { SUNDOG_BINDING_TEXTURE0, 1,
				VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER },
			      { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};

	hostile_shader(h, ID_VERTEX, &vertex, probe_vert, sizeof(probe_vert));
	for (uint32_t i = 0; i < N_KINDS * N_OPS; i++)
		hostile_shader(h, ID_SHADERS + i, &fragment, shaders[i].code, shaders[i].size);
	for (uint32_t i = 0; i < N_KINDS; i++)
		hostile_shader(h, ID_GROUPS + i, &group, groups[i].code, groups[i].size);
}

/*
 * For each wrap mode: nearest, all filters with anisotropy, and all filters beyond the last level.
 */
static void make_samplers(struct hostile *h)
{
	for (uint32_t i = 0; i < N_SAMPLERS; i++) {
		const uint32_t wrap = i / N_FILTERS, linear = !!(i % N_FILTERS);
		const float min_lod = i % N_FILTERS == 2 ? INFINITY : 0.0f;
		const struct sundog_cmd_create_sampler sampler = {
			.id = ID_SAMPLERS + i, .flags = linear ? SUNDOG_SAMPLER_FLAG_ANISOTROPY : 0,
			.mag_filter = linear, .min_filter = linear, .mipmap_mode = linear,
			.address_u = wrap,
			.address_v = wrap, .address_w = wrap,
			.max_anisotropy = linear ? 16.0f : 1.0f, .min_lod = min_lod,
			.max_lod = min_lod + 16.0f,
		};

		sundog_emit_create_sampler(h->stream, &sampler);
	}
}

static struct sdrm_bo *make_image(struct hostile *h, uint32_t i)
{
	const struct kind *k = &kinds[i];
	struct sdrm_bo *bo = hostile_bo(h, IMAGE_SIZE);
	const struct sundog_cmd_create_image image = {
		.id = ID_IMAGES + i * 2, .mem = sdrm_bo_mem(bo), .type = k->image_type,
		.format = VK_FORMAT_R32_SFLOAT,
		.extent = { SIDE, k->image_type == VK_IMAGE_TYPE_1D ? 1 : SIDE, k->depth },
		.levels = LEVELS,
		.layers = k->layers, .samples = 1, .flags = k->flags,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = image.id + 1, .image = image.id, .type = k->view_type, .format = image.format,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = LEVELS, .layers = k->layers,
		.usage = image.usage,
	};
	float *map = sdrm_bo_map(bo);

	for (uint32_t texel = 0; texel < IMAGE_SIZE / 4; texel++)
		map[texel] = TEXEL;
	hostile_list(h, bo);
	sundog_emit_create_image(h->stream, &image);
	sundog_emit_create_image_view(h->stream, &view);
	return bo;
}

static void draw(struct hostile *h, uint32_t shader, uint32_t sampler, float level)
{
	const struct sundog_cmd_bind_textures textures = { .stage = SUNDOG_STAGE_FRAGMENT,
							   .count = 1 };
	const struct sundog_texture_binding texture = { ID_IMAGES + shader / N_OPS * 2 + 1,
							ID_SAMPLERS + sampler };
	const struct sundog_cmd_set_vertex_input no_input = { 0 };
	uint32_t bits;

	memcpy(&bits, &level, sizeof(bits));
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(h->stream, &no_input, NULL);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_SHADERS + shader } });
	sundog_emit_bind_textures(h->stream, &textures, &texture);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 1 },
				   &bits);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(h);
}

/* A weight may be NaN, and so may the result. */
static bool all_right(const float *pixels)
{
	for (int i = 0; i < HOSTILE_PIXELS * 2; i++)
		if (pixels[i] > TEXEL * 1.01f || pixels[i] < -0.01f) {
			printf("# pixel %d is %g\n", i / 2, pixels[i]);
			return false;
		}
	return true;
}

/* Samples in a work group, whose derivatives select the level, and stores to @result. */
static void dispatch(struct hostile *h, uint32_t kind, uint32_t sampler, float level,
		     struct sdrm_bo *result)
{
	const struct sundog_cmd_bind_textures textures = { .stage = SUNDOG_STAGE_COMPUTE,
							   .count = 1 };
	const struct sundog_texture_binding texture = { ID_IMAGES + kind * 2 + 1,
							ID_SAMPLERS + sampler };
	const struct sundog_mem_range range = { sdrm_bo_mem(result), 0, HOSTILE_PIXELS * 8 };
	uint32_t bits;

	memcpy(&bits, &level, sizeof(bits));
	hostile_list(h, result);
	sundog_emit_bind_textures(h->stream, &textures, &texture);
	sundog_emit_bind_ssbos(h->stream, &(struct sundog_cmd_bind_ssbos){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &range);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 1 },
				   &bits);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, ID_GROUPS + kind);
}

/* @result: the shader is a compute shader; NULL: a fragment shader */
static bool try_shader(struct hostile *h, struct sdrm_bo *image, uint32_t shader,
		       struct sdrm_bo *result)
{
	const float levels[] = { 0.0f, NAN, INFINITY, -INFINITY, 1e30f, 2.5f, -1.0f };
	bool ok = true;

	for (uint32_t i = 0; i < N_SAMPLERS * sizeof(levels) / sizeof(levels[0]); i++) {
		hostile_list(h, image);
		if (result)
			dispatch(h, shader, i % N_SAMPLERS, levels[i / N_SAMPLERS], result);
		else
			draw(h, shader, i % N_SAMPLERS, levels[i / N_SAMPLERS]);
		if (!hostile_run(h)) {
			printf("# fault %u\n", hostile_fault(h));
			ok = false;
		} else if (!all_right(result ? sdrm_bo_map(result) :
				      (const void *)hostile_pixels(h))) {
			printf("# sampler %u, level %g\n", i % N_SAMPLERS, levels[i / N_SAMPLERS]);
			ok = false;
		}
	}
	return ok;
}

int main(void)
{
	static const char *const ops[N_OPS] = { "at a level", "with a bias", "with gradients",
						"with an offset" };
	struct hostile *h = hostile_new();
	struct sdrm_bo *before = hostile_canaries(h, CANARIES), *images[N_KINDS], *behind,
		*result;

	for (uint32_t i = 0; i < N_KINDS; i++)
		images[i] = make_image(h, i);
	behind = hostile_canaries(h, CANARIES);
	make_samplers(h);
	make_shaders(h);
	hostile_need(h, "shaders and images");
	for (uint32_t i = 0; i < N_KINDS * N_OPS; i++)
		hostile_result(try_shader(h, images[i / N_OPS], i, NULL),
			       "a %s texture is sampled %s", kinds[i / N_OPS].name,
			       ops[i % N_OPS]);
	result = hostile_bo(h, IMAGE_SIZE);
	for (uint32_t i = 0; i < N_KINDS; i++)
		hostile_result(try_shader(h, images[i], i, result),
			       "a %s texture is sampled by work groups", kinds[i].name);
	sdrm_bo_del(result);
	for (uint32_t i = 0; i < N_KINDS; i++)
		sdrm_bo_del(images[i]);
	sdrm_bo_del(before);
	sdrm_bo_del(behind);
	hostile_del(h);
	return hostile_status();
}
