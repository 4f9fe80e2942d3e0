// SPDX-License-Identifier: MIT
/*
 * Tests multisampling and dual-source blending: draws each sample on its own, resolves samples and
 * reads them in shaders. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "pixel-shaders.h"
#include "probe.vert.h"

#define SAMPLES 4u
#define LAYERS 2u
#define FORMAT VK_FORMAT_R32_SFLOAT

enum { ID_VERTEX = HOSTILE_FREE, ID_VALUE, ID_TWO, ID_FETCH, ID_FETCH_ARRAY, ID_SAMPLES, ID_LAYER0,
       ID_LAYER1,
       ID_SHOWN0, ID_SHOWN1, ID_SHOWN_ARRAY, ID_PLAIN, ID_PLAIN_VIEW, ID_VOLUME, ID_TOO_LARGE };

struct scene {
	struct hostile *h;
	struct sdrm_bo *samples, *plain, *volume;
};

static uint64_t align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* Layout rule: a multisampled image has the size of a single-sampled one times the samples. */
static uint64_t image_size(const struct scene *s, uint32_t layers, uint32_t samples)
{
	const struct sundog_caps *caps = sdrm_device_caps(s->h->dev);
	const uint64_t pitch = align(align(HOSTILE_WIDTH, caps->layout_block) * 4,
				     caps->layout_pitch_align);

	return align(pitch * align(HOSTILE_HEIGHT, caps->layout_block) * layers,
		     caps->layout_level_align) * samples;
}

static void make_image(struct scene *s, uint32_t id, struct sdrm_bo *bo, uint64_t offset,
		       uint32_t layers,
		       uint32_t samples, uint32_t usage)
{
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = sdrm_bo_mem(bo), .offset = offset, .type = VK_IMAGE_TYPE_2D,
		.format = FORMAT,
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 }, .levels = 1, .layers = layers,
		.samples = samples,
		.usage = usage,
	};

	hostile_list(s->h, bo);
	sundog_emit_create_image(s->h->stream, &image);
}

/*
 * Makes a volume with as many slices as the others have layers, which needs the same amount of
 * memory.
 */
static void make_volume(struct scene *s)
{
	const struct sundog_cmd_create_image image = {
		.id = ID_VOLUME, .mem = sdrm_bo_mem(s->volume), .type = VK_IMAGE_TYPE_3D,
		.format = FORMAT,
		.offset = sdrm_bo_size(s->volume) - image_size(s, LAYERS, 1),
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, LAYERS }, .levels = 1, .layers = 1,
		.samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_TRANSFER_SRC | SUNDOG_IMAGE_USAGE_TRANSFER_DST,
	};

	hostile_list(s->h, s->volume);
	sundog_emit_create_image(s->h->stream, &image);
}

static void make_view(struct scene *s, uint32_t id, uint32_t image, uint32_t type, uint32_t layer,
		      uint32_t layers,
		      uint32_t usage)
{
	const struct sundog_cmd_create_image_view view = {
		.id = id, .image = image, .type = type, .format = FORMAT,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1,
		.base_layer = layer, .layers = layers, .usage = usage,
	};

	sundog_emit_create_image_view(s->h->stream, &view);
}

static void make_objects(struct scene *s)
{
	const uint32_t drawn = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT,
		sampled = SUNDOG_IMAGE_USAGE_SAMPLED;
	const uint32_t copied = SUNDOG_IMAGE_USAGE_TRANSFER_SRC | SUNDOG_IMAGE_USAGE_TRANSFER_DST;
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT,
							   .push_size = 8 };
	const struct sundog_cmd_create_shader fetch = {
		.stage = SUNDOG_STAGE_FRAGMENT, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_TEXTURE0, 1,
				VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER } },
	};
	const uint64_t size = image_size(s, LAYERS, SAMPLES);
	struct hostile *h = s->h;

	hostile_shader(h, ID_VERTEX, &vertex, probe_vert, sizeof(probe_vert));
	hostile_shader(h, ID_VALUE, &fragment, value_one, sizeof(value_one));
	hostile_shader(h, ID_TWO, &fragment, value_two, sizeof(value_two));
	hostile_shader(h, ID_FETCH, &fetch, fetch_plain, sizeof(fetch_plain));
	hostile_shader(h, ID_FETCH_ARRAY, &fetch, fetch_array, sizeof(fetch_array));
	/* At the last possible offset of its memory. */
	make_image(s, ID_SAMPLES, s->samples, sdrm_bo_size(s->samples) - size, LAYERS, SAMPLES,
		   drawn | sampled | copied);
	make_view(s, ID_LAYER0, ID_SAMPLES, VK_IMAGE_VIEW_TYPE_2D, 0, 1, drawn);
	make_view(s, ID_LAYER1, ID_SAMPLES, VK_IMAGE_VIEW_TYPE_2D, 1, 1, drawn);
	make_view(s, ID_SHOWN0, ID_SAMPLES, VK_IMAGE_VIEW_TYPE_2D, 0, 1, sampled);
	make_view(s, ID_SHOWN1, ID_SAMPLES, VK_IMAGE_VIEW_TYPE_2D, 1, 1, sampled);
	make_view(s, ID_SHOWN_ARRAY, ID_SAMPLES, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0, LAYERS, sampled);
	make_image(s, ID_PLAIN, s->plain, 0, 1, 1, drawn | copied);
	make_view(s, ID_PLAIN_VIEW, ID_PLAIN, VK_IMAGE_VIEW_TYPE_2D, 0, 1, drawn);
	make_volume(s);
}

static void push(struct scene *s, const void *two_words)
{
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   two_words);
}

static void bind(struct scene *s, uint32_t fragment)
{
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, fragment } });
}

static void barrier(struct scene *s)
{
	sundog_emit_barrier(s->h->stream, &(struct sundog_cmd_barrier){
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT });
}

/* Begins rendering to @view instead of the target. */
static void begin(struct scene *s, uint32_t view)
{
	const struct sundog_cmd_begin_rendering rendering = {
		.area = { 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT }, .layers = 1, .count = 1,
	};
	const struct sundog_attachment color = {
		.view = view, .load = SUNDOG_LOAD_OP_CLEAR, .store = SUNDOG_STORE_OP_STORE,
	};

	hostile_list(s->h, s->samples);
	hostile_list(s->h, s->plain);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_end_rendering(s->h->stream);
	sundog_emit_begin_rendering(s->h->stream, &rendering, &color);
}

static void draw(struct scene *s)
{
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
}

static float value_of(uint32_t layer, uint32_t sample)
{
	return 10.0f * layer + sample + 1;
}

/* Draws each sample of @layer on its own. */
static void draw_samples(struct scene *s, uint32_t layer)
{
	begin(s, ID_LAYER0 + layer);
	bind(s, ID_VALUE);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		sundog_emit_set_multisample(s->h->stream, &(struct sundog_cmd_set_multisample){
			.samples = SAMPLES, .mask = 1u << i });
		push(s, (const float[2]){ value_of(layer, i) });
		draw(s);
	}
	sundog_emit_end_rendering(s->h->stream);
}

/* Copies a layer or slice to the readback BO. */
static void read_image(struct scene *s, uint32_t image, uint32_t layer)
{
	const struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = sdrm_bo_mem(s->h->readback),
		.src = { .image = image, .aspect = SUNDOG_ASPECT_COLOR, .offset = { 0, 0, layer } },
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 },
	};

	barrier(s);
	sundog_emit_copy_image_to_buffer(s->h->stream, &copy);
}

static void read_plain(struct scene *s)
{
	read_image(s, ID_PLAIN, 0);
}

static bool plain_is(struct scene *s, float expected)
{
	const float *pixels = (const float *)hostile_pixels(s->h);

	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++)
		if (pixels[i] != expected) {
			printf("# pixel %u is %g, expected %g\n", i, pixels[i], expected);
			return false;
		}
	return true;
}

static void resolve(struct scene *s, uint32_t layer)
{
	const struct sundog_cmd_resolve_image resolve = {
		.src = { .image = ID_SAMPLES, .aspect = SUNDOG_ASPECT_COLOR,
			 .offset = { 0, 0, layer } },
		.dst = { .image = ID_PLAIN, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 },
	};

	barrier(s);
	sundog_emit_resolve_image(s->h->stream, &resolve);
	read_plain(s);
}

static bool resolves(struct scene *s)
{
	for (uint32_t layer = 0; layer < LAYERS; layer++) {
		draw_samples(s, layer);
		resolve(s, layer);
		if (!hostile_runs(s->h) || !plain_is(s, value_of(layer, 0) + 1.5f))
			return false;
	}
	return true;
}

/* Resolves @count layers from @layer on to slices from @slice on. */
static void resolve_to_volume(struct scene *s, uint32_t layer, uint32_t slice, uint32_t count)
{
	const struct sundog_cmd_resolve_image resolve = {
		.src = { .image = ID_SAMPLES, .aspect = SUNDOG_ASPECT_COLOR,
			 .offset = { 0, 0, layer } },
		.dst = { .image = ID_VOLUME, .aspect = SUNDOG_ASPECT_COLOR,
			 .offset = { 0, 0, slice } },
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, count },
	};

	hostile_list(s->h, s->samples);
	hostile_list(s->h, s->volume);
	barrier(s);
	sundog_emit_resolve_image(s->h->stream, &resolve);
}

static bool resolves_to_slices(struct scene *s)
{
	for (uint32_t slice = 0; slice < LAYERS; slice++) {
		const uint32_t layer = LAYERS - 1 - slice;

		draw_samples(s, layer);
		resolve_to_volume(s, layer, slice, 1);
		read_image(s, ID_VOLUME, slice);
		if (!hostile_runs(s->h) || !plain_is(s, value_of(layer, 0) + 1.5f))
			return false;
	}
	return true;
}

static bool refuses_slices(struct scene *s, uint32_t slice, uint32_t count)
{
	resolve_to_volume(s, 0, slice, count);
	return !hostile_run(s->h) && hostile_fault(s->h) == SUNDOG_FAULT_CODE_RANGE;
}

static bool refuses_slices_beyond(struct scene *s)
{
	return refuses_slices(s, LAYERS, 1) && refuses_slices(s, UINT32_MAX, 1);
}

static bool refuses_several_slices(struct scene *s)
{
	return refuses_slices(s, 0, LAYERS);
}

static void multisample(struct scene *s, uint32_t flags, uint32_t mask)
{
	sundog_emit_set_multisample(s->h->stream, &(struct sundog_cmd_set_multisample){
		flags, SAMPLES, mask });
}

/* Alternates draws of whole pixels and of one sample each. */
static bool covers_pixels(struct scene *s)
{
	begin(s, ID_LAYER0);
	bind(s, ID_VALUE);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		multisample(s, SUNDOG_MULTISAMPLE_FLAG_WHOLE_PIXELS, UINT32_MAX);
		push(s, (const float[2]){ 8.0f });
		draw(s);
		multisample(s, 0, 1u << i);
		push(s, (const float[2]){ 16.0f });
		draw(s);
	}
	sundog_emit_end_rendering(s->h->stream);
	resolve(s, 0);
	return hostile_runs(s->h) && plain_is(s, (8.0f * (SAMPLES - 1) + 16.0f) / SAMPLES);
}

/* Alpha-to-one needs samples, of which a whole pixel has none. */
static bool alpha_is_of_samples(struct scene *s)
{
	begin(s, ID_LAYER0);
	multisample(s, SUNDOG_MULTISAMPLE_FLAG_WHOLE_PIXELS | SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_ONE,
		    UINT32_MAX);
	return !hostile_run(s->h) && hostile_fault(s->h) == SUNDOG_FAULT_CODE_FIELD;
}

/*
 * Returns true if a shader reads sample @number of @layer, or no canary if the sample or layer does
 * not exist.
 */
static bool fetches(struct scene *s, uint32_t view, uint32_t shader, int32_t number, int32_t layer)
{
	const struct sundog_texture_binding texture = { view, HOSTILE_SAMPLER };
	const bool there = number >= 0 && number < (int32_t)SAMPLES && layer >= 0 &&
			   layer < (int32_t)LAYERS;
	const float expected = there ? value_of(layer, number) : 0.0f;
	const uint32_t *pixels = hostile_pixels(s->h);

	hostile_list(s->h, s->samples);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	bind(s, shader);
	sundog_emit_bind_textures(s->h->stream,
				  &(struct sundog_cmd_bind_textures){ SUNDOG_STAGE_FRAGMENT, 0, 1 },
				  &texture);
	push(s, (const int32_t[]){ number, layer });
	draw(s);
	hostile_end(s->h);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++) {
		float value;

		memcpy(&value, &pixels[2 * i], sizeof(value));
		/* The host may clamp a layer that does not exist. */
		if (pixels[2 * i] == CANARY || pixels[2 * i + 1] != SAMPLES ||
		    (there && value != expected)) {
			printf("# sample %d of layer %d, pixel %u: %g of %u samples\n", number,
			       layer, i, value,
			       pixels[2 * i + 1]);
			return false;
		}
	}
	return true;
}

static bool fetches_all(struct scene *s)
{
	const int32_t beyond[] = { -1, SAMPLES, SAMPLES * 2, 1000, 0x7fffffff, -0x7fffffff - 1,
				   0x10000000 };
	bool ok = true;

	for (uint32_t layer = 0; layer < LAYERS; layer++) {
		draw_samples(s, layer);
		if (!hostile_runs(s->h))
			return false;
		for (uint32_t i = 0; i < SAMPLES; i++) {
			ok = fetches(s, ID_SHOWN0 + layer, ID_FETCH, i, layer) && ok;
			ok = fetches(s, ID_SHOWN_ARRAY, ID_FETCH_ARRAY, i, layer) && ok;
		}
	}
	for (uint32_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		ok = fetches(s, ID_SHOWN0, ID_FETCH, beyond[i], 0) && ok;
		ok = fetches(s, ID_SHOWN_ARRAY, ID_FETCH_ARRAY, beyond[i], 1) && ok;
		ok = fetches(s, ID_SHOWN_ARRAY, ID_FETCH_ARRAY, 0, beyond[i]) && ok;
	}
	return ok;
}

/* The image is one alignment step larger than the memory behind the offset. */
static bool checks_the_size(struct scene *s)
{
	const uint64_t size = image_size(s, LAYERS, SAMPLES);

	make_image(s, ID_TOO_LARGE, s->samples, align(sdrm_bo_size(s->samples) - size + 1, 4096),
		   LAYERS, SAMPLES,
		   SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT);
	return !hostile_run(s->h) && hostile_fault(s->h) == SUNDOG_FAULT_CODE_RANGE;
}

/* Blends: first source times second source. */
static void blend(struct scene *s, uint32_t fragment)
{
	const struct sundog_blend_attachment attachment = {
		.enable = 1, .src_color = VK_BLEND_FACTOR_SRC1_COLOR,
		.src_alpha = VK_BLEND_FACTOR_SRC1_ALPHA,
		.write_mask = 15,
	};

	begin(s, ID_PLAIN_VIEW);
	sundog_emit_set_blend(s->h->stream, &(struct sundog_cmd_set_blend){ .count = 1 },
			      &attachment);
	bind(s, fragment);
	push(s, (const float[]){ 3.0f, 0.25f });
	draw(s);
	sundog_emit_end_rendering(s->h->stream);
	read_plain(s);
}

static bool blends(struct scene *s)
{
	blend(s, ID_TWO);
	return hostile_runs(s->h) && plain_is(s, 0.75f);
}

static bool wants_the_second(struct scene *s)
{
	blend(s, ID_VALUE);
	return !hostile_run(s->h) && hostile_fault(s->h) == SUNDOG_FAULT_CODE_STATE;
}

int main(void)
{
	static const struct {
		const char *name;
		bool (*passes)(struct scene *s);
	} tests[] = {
		{ "samples are resolved", resolves }, { "to slices, too", resolves_to_slices },
		{ "but to none beyond", refuses_slices_beyond },
		{ "nor to several at once", refuses_several_slices },
		{ "whole pixels are covered", covers_pixels },
		{ "whole pixels have no alpha to make one", alpha_is_of_samples },
		{ "shaders read samples, and none beyond", fetches_all },
		{ "an image of many samples must fit", checks_the_size },
		{ "two sources are blended", blends },
		{ "a second source must be there", wants_the_second },
	};
	struct scene s = { .h = hostile_new() };

	s.volume = hostile_bo(s.h, align(image_size(&s, LAYERS, 1), 4096));
	hostile_guard_front(s.h);
	s.samples = hostile_bo(s.h, align(image_size(&s, LAYERS, SAMPLES), 4096));
	hostile_guard_back(s.h);
	s.plain = hostile_bo(s.h, align(image_size(&s, 1, 1), 4096));
	make_objects(&s);
	hostile_need(s.h, "shaders and images");
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		hostile_result(tests[i].passes(&s), "%s", tests[i].name);
	sdrm_bo_del(s.samples);
	sdrm_bo_del(s.volume);
	sdrm_bo_del(s.plain);
	hostile_del(s.h);
	return hostile_status();
}
