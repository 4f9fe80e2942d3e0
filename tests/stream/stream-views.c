// SPDX-License-Identifier: MIT
/*
 * Binds every type of view to every type of texture declaration, for all numeric classes of both. A
 * shader sees a view of its own type and reads zero from any other. At no coordinate does it see
 * memory outside of the view. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "probe-shaders.h"
#include "probe.vert.h"
#include "view-kinds.h"

#define IMAGE_SIZE 65536
#define CANARIES (8ull << 20)
#define PROBES 5
#define SIDE 8

/* Word i of an image's memory is OWN + i, also a valid float. */
#define OWN 0x40000000u

enum { ID_VERTEX = HOSTILE_FREE, ID_SHADERS, ID_IMAGES = ID_SHADERS + 27 };

static const struct type_shader shaders[N_TYPES] = { TYPE_SHADERS(probe) };

static void make_shaders(struct hostile *h)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = {
		.stage = SUNDOG_STAGE_FRAGMENT, .push_size = 4, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_TEXTURE0, 1,
				VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER } },
	};

	hostile_shader(h, ID_VERTEX, &vertex, probe_vert, sizeof(probe_vert));
	for (uint32_t i = 0; i < N_TYPES; i++)
		hostile_shader(h, ID_SHADERS + i, &fragment, shaders[i].code, shaders[i].size);
}

static struct sdrm_bo *make_image(struct hostile *h, uint32_t type)
{
	const struct kind *k = &kinds[type / 3];
	const struct sundog_cmd_create_image image = {
		.id = ID_IMAGES + type * 2, .type = k->image_type,
		.format = class_formats[type % 3],
		.extent = { SIDE, k->image_type == VK_IMAGE_TYPE_1D ? 1 : SIDE, k->depth },
		.levels = 1,
		.layers = k->layers, .samples = k->samples, .flags = k->flags,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = image.id + 1, .image = image.id, .type = k->view_type, .format = image.format,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = k->layers,
		.usage = image.usage,
	};
	struct sundog_cmd_create_image create = image;
	struct sdrm_bo *bo = hostile_bo(h, IMAGE_SIZE);
	uint32_t *map = sdrm_bo_map(bo);

	for (uint32_t i = 0; i < IMAGE_SIZE / 4; i++)
		map[i] = OWN + i;
	create.mem = sdrm_bo_mem(bo);
	hostile_list(h, bo);
	sundog_emit_create_image(h->stream, &create);
	sundog_emit_create_image_view(h->stream, &view);
	return bo;
}

static void draw(struct hostile *h, uint32_t shader, uint32_t view, uint32_t probe)
{
	const struct sundog_cmd_bind_textures textures = { .stage = SUNDOG_STAGE_FRAGMENT,
							   .count = 1 };
	const struct sundog_texture_binding texture = { ID_IMAGES + view * 2 + 1, HOSTILE_SAMPLER };
	const struct sundog_cmd_push_constants push = { .count = 1 };
	const struct sundog_cmd_set_vertex_input no_input = { 0 };

	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(h->stream, &no_input, NULL);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_SHADERS + shader } });
	sundog_emit_bind_textures(h->stream, &textures, &texture);
	sundog_emit_push_constants(h->stream, &push, &probe);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(h);
}

static bool is_own(uint32_t word)
{
	return word - OWN < IMAGE_SIZE / 4;
}

/* Returns true if pixel @i of probe 0 is inside the image. */
static bool inside(const struct kind *k, int i)
{
	const uint32_t z = i / HOSTILE_WIDTH;

	return k->image_type == VK_IMAGE_TYPE_3D ? z < k->depth : k->layers == 1 || z < k->layers;
}

/* Returns true if probe 0 has fetched the image's texels: consecutive words in each row. */
static bool fetched_right(const struct kind *k, const uint32_t *pixels)
{
	for (int i = 0; i < HOSTILE_PIXELS; i++) {
		const uint32_t word = pixels[i * 2];

		if (!inside(k, i) ? word != 0 : !is_own(word) ||
		    (i % SIDE && word != pixels[i * 2 - 2] + 1))
			return false;
	}
	return true;
}

static bool shows(const struct kind *k, const uint32_t *pixels, uint32_t probe)
{
	for (int i = 0; i < HOSTILE_PIXELS * 2; i++)
		if (pixels[i] && !is_own(pixels[i]))
			return false;
	if (probe)
		return true;
	return k->fetched ? fetched_right(k, pixels) : is_own(pixels[1]);
}

static bool shows_nothing(const uint32_t *pixels)
{
	for (int i = 0; i < HOSTILE_PIXELS * 2; i++)
		if (pixels[i])
			return false;
	return true;
}

static int count(const uint32_t *pixels, uint32_t word)
{
	int n = 0;

	for (int i = 0; i < HOSTILE_PIXELS * 2; i++)
		n += pixels[i] == word;
	return n;
}

static bool try_pair(struct hostile *h, struct sdrm_bo *image, uint32_t shader, uint32_t view)
{
	const struct kind *k = &kinds[view / 3];
	bool all = true;

	for (uint32_t probe = 0; probe < PROBES; probe++) {
		const uint32_t *pixels = hostile_pixels(h);
		bool ok;

		hostile_list(h, image);
		draw(h, shader, view, probe);
		ok = hostile_run(h);
		if (ok)
			ok = shader == view ? shows(k, pixels, probe) : shows_nothing(pixels);
		else
			printf("# fault %u\n", hostile_fault(h));
		if (!ok)
			printf("# %s %s view, probe %u: %d canaries, %d zeroes, first %#x %#x\n",
			       k->name,
			       class_names[view % 3], probe, count(pixels, CANARY),
			       count(pixels, 0), pixels[0], pixels[1]);
		all &= ok;
	}
	return all;
}

int main(void)
{
	struct hostile *h = hostile_new();
	struct sdrm_bo *before = hostile_canaries(h, CANARIES), *images[N_TYPES], *behind;

	for (uint32_t i = 0; i < N_TYPES; i++)
		images[i] = make_image(h, i);
	behind = hostile_canaries(h, CANARIES);
	make_shaders(h);
	hostile_need(h, "shaders and images");
	for (uint32_t shader = 0; shader < N_TYPES; shader++) {
		bool ok = true;

		for (uint32_t view = 0; view < N_TYPES; view++)
			ok &= try_pair(h, images[view], shader, view);
		hostile_result(ok, "%ssampler%s sees views of its kind only",
			       class_names[shader % 3],
			       kinds[shader / 3].name);
	}
	for (uint32_t i = 0; i < N_TYPES; i++)
		sdrm_bo_del(images[i]);
	sdrm_bo_del(before);
	sdrm_bo_del(behind);
	hostile_del(h);
	return hostile_status();
}
