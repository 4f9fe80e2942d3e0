// SPDX-License-Identifier: MIT
/*
 * Tests descriptor sets with separate images and samplers: images that are listed or not, samplers
 * that were written or not, elements beyond arrays, and invalid packets. Runs on the device that
 * device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "samplers_comp.h"
#include "samplers_integers.h"

#define SIDE 4u
#define IMAGE_BYTES 65536u
#define WORDS 64u
#define ONE 0x3f800000u		/* 1.0 as a float */
#define SAMPLERS 3		/* binding numbers */
#define IMAGES 5

enum {
	ID_BUFFERS = HOSTILE_FREE, ID_TEXTURES, ID_LAYOUT, ID_SET, ID_TEXTURE_SET, ID_SHADER,
	ID_IMAGE, ID_VIEW,
	ID_ARRAY_VIEW, ID_TARGET_VIEW, ID_TEXELS, ID_SECRET, ID_SECRET_VIEW, ID_SAMPLER,
	ID_INTEGER_SHADER,
	ID_INTEGERS, ID_INTEGER_VIEW, ID_REFUSED, ID_NEW = ID_REFUSED + 2,
};

struct scene {
	struct hostile *h;
	struct sdrm_bo *image, *secret, *result;
};

static void make_layout(struct hostile *h, uint32_t id, uint32_t n,
			const struct sundog_set_binding *b)
{
	sundog_emit_create_set_layout(h->stream, &(struct sundog_cmd_create_set_layout){ id, n },
				      b);
}

static void write_element(struct hostile *h, uint32_t binding, uint32_t element, uint32_t view,
			  uint32_t sampler)
{
	const struct sundog_set_descriptor d = { .view = view, .sampler = sampler };

	sundog_emit_write_set(h->stream, &(struct sundog_cmd_write_set){
		ID_TEXTURE_SET, binding, element, 1 }, &d);
}

static void make_image(struct hostile *h, uint32_t id, struct sdrm_bo *bo, uint32_t format)
{
	sundog_emit_create_image(h->stream, &(struct sundog_cmd_create_image){
		.id = id, .mem = sdrm_bo_mem(bo), .type = VK_IMAGE_TYPE_2D, .format = format,
		.extent = { SIDE, SIDE, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT });
}

static void make_view(struct hostile *h, uint32_t id, uint32_t image, uint32_t type, uint32_t usage)
{
	const uint32_t format = image == ID_INTEGERS ? VK_FORMAT_R32_UINT : VK_FORMAT_R32_SFLOAT;

	sundog_emit_create_image_view(h->stream, &(struct sundog_cmd_create_image_view){
		.id = id, .image = image, .type = type, .format = format,
		.aspect = SUNDOG_ASPECT_COLOR,
		.levels = 1, .layers = 1, .usage = usage });
}

static void make_images(struct scene *s)
{
	struct hostile *h = s->h;

	hostile_list(h, s->image);
	hostile_list(h, s->secret);
	make_image(h, ID_IMAGE, s->image, VK_FORMAT_R32_SFLOAT);
	make_image(h, ID_SECRET, s->secret, VK_FORMAT_R32_SFLOAT);
	make_image(h, ID_INTEGERS, s->image, VK_FORMAT_R32_UINT);
	make_view(h, ID_VIEW, ID_IMAGE, VK_IMAGE_VIEW_TYPE_2D, SUNDOG_IMAGE_USAGE_SAMPLED);
	make_view(h, ID_ARRAY_VIEW, ID_IMAGE, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		  SUNDOG_IMAGE_USAGE_SAMPLED);
	make_view(h, ID_TARGET_VIEW, ID_IMAGE, VK_IMAGE_VIEW_TYPE_2D,
		  SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT);
	make_view(h, ID_INTEGER_VIEW, ID_INTEGERS, VK_IMAGE_VIEW_TYPE_2D,
		  SUNDOG_IMAGE_USAGE_SAMPLED);
	make_view(h, ID_SECRET_VIEW, ID_SECRET, VK_IMAGE_VIEW_TYPE_2D, SUNDOG_IMAGE_USAGE_SAMPLED);
	sundog_emit_create_buffer_view(h->stream, &(struct sundog_cmd_create_buffer_view){
		ID_TEXELS, { sdrm_bo_mem(s->image), 0, 256 }, VK_FORMAT_R32_SFLOAT });
}

static void make_objects(struct scene *s)
{
	static const struct sundog_set_binding buffer = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 };
	static const struct sundog_set_binding textures[] = {
		{ SAMPLERS, VK_DESCRIPTOR_TYPE_SAMPLER, 2 },
		{ IMAGES, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3 },
	};
	const uint32_t layouts[] = { ID_BUFFERS, ID_TEXTURES };
	const struct sundog_set_descriptor range = { .range = { sdrm_bo_mem(s->result), 0,
								2 * WORDS * 4 } };
	struct hostile *h = s->h;

	make_images(s);
	hostile_list(h, s->result);
	make_layout(h, ID_BUFFERS, 1, &buffer);
	make_layout(h, ID_TEXTURES, 2, textures);
	sundog_emit_create_pipeline_layout(h->stream, &(struct sundog_cmd_create_pipeline_layout){
		ID_LAYOUT, 8, 2 }, layouts);
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){ ID_SET, ID_BUFFERS });
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){
		ID_TEXTURE_SET, ID_TEXTURES });
	sundog_emit_create_layout_shader(h->stream, &(struct sundog_cmd_create_layout_shader){
		ID_SHADER, SUNDOG_STAGE_COMPUTE, ID_LAYOUT,
		sizeof(samplers_comp) / 4 }, samplers_comp);
	sundog_emit_create_layout_shader(h->stream, &(struct sundog_cmd_create_layout_shader){
		ID_INTEGER_SHADER, SUNDOG_STAGE_COMPUTE, ID_LAYOUT,
		sizeof(samplers_integers) / 4 }, samplers_integers);
	sundog_emit_write_set(h->stream, &(struct sundog_cmd_write_set){ ID_SET, 0, 0, 1 }, &range);
	write_element(h, SAMPLERS, 0, 0, HOSTILE_SAMPLER);
	write_element(h, IMAGES, 0, ID_VIEW, 0);
}

static void fill(struct scene *s)
{
	float *map = sdrm_bo_map(s->image);

	for (uint32_t i = 0; i < IMAGE_BYTES / 4; i++)
		map[i] = 1.0f;
	memset(sdrm_bo_map(s->result), 0x5d, IMAGE_BYTES);
}

/* Samples element @image with sampler @which. */
static void dispatch(struct hostile *h, uint32_t shader, uint32_t image, uint32_t which)
{
	const uint32_t push[] = { image, which };

	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 1, 0, ID_SET, 0 }, NULL);
	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 1, 1, ID_TEXTURE_SET, 0 },
			     NULL);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   push);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, shader);
}

/*
 * Returns true if all sampled words are @sampled, or with @any also zero, and fetched words are
 * @sampled inside the image and zero outside.
 */
static bool words_are(struct scene *s, uint32_t sampled, bool any)
{
	const uint32_t *words = sdrm_bo_map(s->result);

	for (uint32_t i = 0; i < WORDS; i++) {
		const bool inside = i % 8 - 2 < SIDE && i / 8 - 2 < SIDE;
		const uint32_t fetched = inside ? sampled : 0;

		if ((words[i] == sampled || (any && !words[i])) &&
		    (words[WORDS + i] == fetched || (any && !words[WORDS + i])))
			continue;
		printf("# word %u is %#x and %#x, not %#x\n", i, words[i], words[WORDS + i],
		       sampled);
		return false;
	}
	return true;
}

static bool shader_sees(struct scene *s, uint32_t shader, uint32_t image, uint32_t which,
			uint32_t sampled, bool any)
{
	fill(s);
	hostile_list(s->h, s->image);
	hostile_list(s->h, s->result);
	dispatch(s->h, shader, image, which);
	return hostile_runs(s->h) && words_are(s, sampled, any);
}

static bool sees(struct scene *s, uint32_t image, uint32_t which, uint32_t sampled, bool any)
{
	return shader_sees(s, ID_SHADER, image, which, sampled, any);
}

static void try_elements(struct scene *s)
{
	static const uint32_t wild[] = { 3, 4, 100, 4096, 0x7fffffff, 0x80000000, 0xffffffff };
	bool ok = true;

	hostile_result(sees(s, 0, 0, ONE, false), "an image is seen through a sampler");
	hostile_result(sees(s, 0, 1, ONE, true), "and through one that was not written");
	hostile_result(sees(s, 1, 0, 0, false) && sees(s, 2, 1, 0, false),
		       "images that were not written are nothing");
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		ok &= sees(s, wild[i], 0, ONE, true) && sees(s, 0, wild[i], ONE, true) &&
		      sees(s, wild[i], wild[i], ONE, true);
	hostile_result(ok, "nothing is seen past arrays of them");
}

static void try_unlisted(struct scene *s)
{
	write_element(s->h, IMAGES, 1, ID_SECRET_VIEW, 0);
	hostile_result(sees(s, 1, 0, 0, false), "an image that is not listed is nothing");
	write_element(s->h, IMAGES, 1, ID_ARRAY_VIEW, 0);
	hostile_result(sees(s, 1, 0, 0, false), "nor is a view of another kind");
	hostile_result(shader_sees(s, ID_INTEGER_SHADER, 1, 0, 0, false),
		       "to a shader of integers neither");
	hostile_result(shader_sees(s, ID_INTEGER_SHADER, 0, 0, ONE, false),
		       "floats are seen as integers");
	write_element(s->h, IMAGES, 1, ID_INTEGER_VIEW, 0);
	hostile_result(sees(s, 1, 0, 0, false), "integers are nothing to a shader of floats");
	hostile_result(shader_sees(s, ID_INTEGER_SHADER, 1, 0, ONE, false),
		       "and seen by one of integers");
	write_element(s->h, IMAGES, 1, ID_VIEW, 12345);
	hostile_result(sees(s, 1, 0, ONE, false), "the sampler of what has none is not looked at");
	write_element(s->h, IMAGES, 1, 0, 0);
	write_element(s->h, SAMPLERS, 0, 0, 0);
	hostile_result(sees(s, 1, 0, 0, false) && sees(s, 0, 0, ONE, true), "elements are emptied");
	write_element(s->h, SAMPLERS, 0, 54321, HOSTILE_SAMPLER);
	hostile_result(sees(s, 0, 0, ONE, false), "the view of a sampler is not looked at");
}

/* A write copies the objects, which live on in elements after their ids are destroyed. */
static void try_lifetimes(struct scene *s)
{
	struct hostile *h = s->h;

	sundog_emit_create_sampler(h->stream, &(struct sundog_cmd_create_sampler){
		.id = ID_SAMPLER, .address_u = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
		.max_anisotropy = 1.0f });
	write_element(h, SAMPLERS, 0, 0, ID_SAMPLER);
	sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SAMPLER, ID_SAMPLER });
	sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE_VIEW, ID_VIEW });
	hostile_result(sees(s, 0, 0, ONE, false),
		       "a sampler and a view live as long as a set has them");
}

/* Invalid packets */

static void record_reserved_type(struct scene *s)
{
	make_layout(s->h, ID_NEW, 1, &(struct sundog_set_binding){ 0, SUNDOG_MUTABLE_TYPE + 1, 1 });
}

static void record_view_as_sampler(struct scene *s)
{
	write_element(s->h, SAMPLERS, 0, 0, ID_VIEW);
}

static void record_no_sampler(struct scene *s)
{
	write_element(s->h, SAMPLERS, 0, 0, ID_NEW);
}

static void record_sampler_as_view(struct scene *s)
{
	write_element(s->h, IMAGES, 0, HOSTILE_SAMPLER, 0);
}

static void record_texels(struct scene *s)
{
	write_element(s->h, IMAGES, 0, ID_TEXELS, 0);
}

static void record_target(struct scene *s)
{
	write_element(s->h, IMAGES, 0, ID_TARGET_VIEW, 0);
}

static void record_past_the_samplers(struct scene *s)
{
	write_element(s->h, SAMPLERS, 2, 0, HOSTILE_SAMPLER);
}

static void record_copy_between_types(struct scene *s)
{
	sundog_emit_copy_set(s->h->stream, &(struct sundog_cmd_copy_set){
		ID_TEXTURE_SET, SAMPLERS, 0, ID_TEXTURE_SET, IMAGES, 0, 1 });
}

/* The shader declares more samplers than its layout has. */
static void record_shader_of_more(struct scene *s)
{
	const struct sundog_set_binding textures[] = {
		{ SAMPLERS, VK_DESCRIPTOR_TYPE_SAMPLER, 1 },
		{ IMAGES, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3 },
	};
	const uint32_t layouts[] = { ID_BUFFERS, ID_REFUSED };
	struct hostile *h = s->h;

	make_layout(h, ID_REFUSED, 2, textures);
	sundog_emit_create_pipeline_layout(h->stream,
		&(struct sundog_cmd_create_pipeline_layout){ ID_REFUSED + 1, 8, 2 }, layouts);
	sundog_emit_create_layout_shader(h->stream, &(struct sundog_cmd_create_layout_shader){
		ID_NEW, SUNDOG_STAGE_COMPUTE, ID_REFUSED + 1,
		sizeof(samplers_comp) / 4 }, samplers_comp);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, ID_NEW);
}

static const struct hostile_fault faults[] = {
	{ "a type that is reserved", record_reserved_type, SUNDOG_FAULT_CODE_FIELD },
	{ "a view as a sampler", record_view_as_sampler, SUNDOG_FAULT_CODE_OBJECT },
	{ "a sampler that there is not", record_no_sampler, SUNDOG_FAULT_CODE_OBJECT },
	{ "a sampler as a view", record_sampler_as_view, SUNDOG_FAULT_CODE_OBJECT },
	{ "texels as an image", record_texels, SUNDOG_FAULT_CODE_OBJECT },
	{ "a view that is not for shaders", record_target, SUNDOG_FAULT_CODE_OBJECT },
	{ "a sampler past the binding", record_past_the_samplers, SUNDOG_FAULT_CODE_FIELD },
	{ "a copy of a sampler to an image", record_copy_between_types, SUNDOG_FAULT_CODE_FIELD },
	{ "a shader with more samplers than its layout", record_shader_of_more,
	  SUNDOG_FAULT_CODE_SHADER },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.image = hostile_bo(s.h, IMAGE_BYTES);
	s.result = hostile_bo(s.h, IMAGE_BYTES);
	s.secret = hostile_canaries(s.h, IMAGE_BYTES);
	hostile_guard_back(s.h);
	make_objects(&s);
	hostile_need(s.h, "images, samplers, sets and a shader");
	try_elements(&s);
	try_unlisted(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	try_lifetimes(&s);
	sdrm_bo_del(s.image);
	sdrm_bo_del(s.secret);
	sdrm_bo_del(s.result);
	hostile_del(s.h);
	return hostile_status();
}
