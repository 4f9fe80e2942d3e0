// SPDX-License-Identifier: MIT
/*
 * Tests texel buffers: reads in the range of a view and beyond it, and invalid views. Runs on the
 * device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "probe.vert.h"
#include "texel-shaders.h"

#define BUFFER_SIZE 65536u
#define FIRST 256u			/* offset of the viewed range in bytes */
#define TEXELS 48u

enum { ID_VERTEX = HOSTILE_FREE, ID_SHADERS, ID_VIEWS = ID_SHADERS + 3, ID_NEW = ID_VIEWS + 8 };

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer;
};

static const struct format {
	const char *name;
	uint32_t format, size, class;	/* size in bytes; class 0: float, 1: int, 2: uint */
} formats[] = {
	{ "R32_UINT", VK_FORMAT_R32_UINT, 4, 2 }, { "R32_SINT", VK_FORMAT_R32_SINT, 4, 1 },
	{ "R32_SFLOAT", VK_FORMAT_R32_SFLOAT, 4, 0 }, { "R16_UINT", VK_FORMAT_R16_UINT, 2, 2 },
	{ "R8_SINT", VK_FORMAT_R8_SINT, 1, 1 }, { "R32G32_UINT", VK_FORMAT_R32G32_UINT, 8, 2 },
	{ "R32G32B32A32_SFLOAT", VK_FORMAT_R32G32B32A32_SFLOAT, 16, 0 },
	{ "R32G32B32_SFLOAT", VK_FORMAT_R32G32B32_SFLOAT, 12, 0 },
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

static struct sundog_cmd_create_buffer_view view_of(const struct scene *s, uint32_t i)
{
	return (struct sundog_cmd_create_buffer_view){
		.id = ID_VIEWS + i, .range = { sdrm_bo_mem(s->buffer), FIRST,
					       TEXELS * formats[i].size },
		.format = formats[i].format,
	};
}

static void make_objects(struct scene *s)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = {
		.stage = SUNDOG_STAGE_FRAGMENT, .push_size = 4, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_TEXELS0, 1,
				VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER } },
	};
	struct hostile *h = s->h;

	hostile_shader(h, ID_VERTEX, &vertex, probe_vert, sizeof(probe_vert));
	hostile_shader(h, ID_SHADERS, &fragment, texels, sizeof(texels));
	hostile_shader(h, ID_SHADERS + 1, &fragment, itexels, sizeof(itexels));
	hostile_shader(h, ID_SHADERS + 2, &fragment, utexels, sizeof(utexels));
	hostile_list(h, s->buffer);
	for (uint32_t i = 0; i < N_FORMATS; i++) {
		const struct sundog_cmd_create_buffer_view view = view_of(s, i);

		sundog_emit_create_buffer_view(h->stream, &view);
	}
}

/* Texel @i is i + 1, with canaries around the range. */
static void fill(struct scene *s, const struct format *f)
{
	char *map = sdrm_bo_map(s->buffer);

	for (uint32_t i = 0; i < BUFFER_SIZE / 4; i++)
		((uint32_t *)map)[i] = CANARY;
	for (uint32_t i = 0; i < TEXELS; i++) {
		const uint32_t number = i + 1;
		const float real = number;

		memcpy(map + FIRST + i * f->size, f->class ? (const void *)&number :
		       (const void *)&real,
		       f->size < 4 ? f->size : 4);
	}
}

static void draw(struct scene *s, uint32_t shader, uint32_t view, uint32_t first)
{
	struct hostile *h = s->h;

	hostile_list(h, s->buffer);
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_SHADERS + shader } });
	sundog_emit_bind_texel_buffers(h->stream, &(struct sundog_cmd_bind_texel_buffers){
		SUNDOG_STAGE_FRAGMENT, 0, 1 }, &view);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 1 },
				   &first);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(h);
}

static uint32_t word_of(const struct format *f, uint32_t texel)
{
	const float real = texel + 1;
	uint32_t word = texel + 1;

	if (!f->class)
		memcpy(&word, &real, sizeof(word));
	return word;
}

/* Reads texels from @first on. Texels beyond the range must be zero. */
static bool reads(struct scene *s, uint32_t i, uint32_t first)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	fill(s, &formats[i]);
	draw(s, formats[i].class, ID_VIEWS + i, first);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t x = 0; x < HOSTILE_WIDTH; x++) {
		const uint32_t texel = first + x;
		const uint32_t expected = texel < TEXELS ? word_of(&formats[i], texel) : 0;

		if (pixels[2 * x] != expected || pixels[2 * x + 1] != TEXELS) {
			printf("# texel %#x of %u is %#x\n", texel, pixels[2 * x + 1],
			       pixels[2 * x]);
			return false;
		}
	}
	return true;
}

static bool reads_right(struct scene *s, uint32_t i)
{
	const uint32_t firsts[] = { 0, 40, 0x0fffffe0, 0x10000000, 0x1ffffff0, 0x20000000,
				    0x3fffffe0, 0x40000000,
				    0x7fffffd0, 0x80000000, 0xffffffc0, 0xffffffe0, TEXELS,
				    0x08000000, 0x15555550 };
	bool ok = true;

	for (size_t k = 0; k < sizeof(firsts) / sizeof(firsts[0]); k++)
		ok = reads(s, i, firsts[k]) && ok;
	return ok;
}

/* A view of another class, or none, reads zero. */
static bool reads_nothing(struct scene *s, uint32_t shader, uint32_t view)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	draw(s, shader, view, 0);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t x = 0; x < HOSTILE_WIDTH; x++)
		if (pixels[2 * x]) {
			printf("# texel %u is %#x\n", x, pixels[2 * x]);
			return false;
		}
	return true;
}

/* Invalid packets */

static void make(struct scene *s, uint64_t offset, uint64_t size, uint32_t format)
{
	hostile_list(s->h, s->buffer);
	sundog_emit_create_buffer_view(s->h->stream, &(struct sundog_cmd_create_buffer_view){
		.id = ID_NEW, .range = { sdrm_bo_mem(s->buffer), offset, size },
		.format = format });
}

static void odd_offset(struct scene *s)
{
	make(s, 4, 64, VK_FORMAT_R32_UINT);
}

static void odd_size(struct scene *s)
{
	make(s, 0, 62, VK_FORMAT_R32_UINT);
}

static void no_texels(struct scene *s)
{
	make(s, 0, 0, VK_FORMAT_R32_UINT);
}

static void past_the_end(struct scene *s)
{
	make(s, 64, BUFFER_SIZE, VK_FORMAT_R32_UINT);
}

static void wrapping(struct scene *s)
{
	make(s, 64, UINT64_MAX - 63, VK_FORMAT_R32_UINT);
}

static void depth(struct scene *s)
{
	make(s, 0, 64, VK_FORMAT_D24_UNORM_S8_UINT);
}

static void no_format(struct scene *s)
{
	make(s, 0, 64, VK_FORMAT_UNDEFINED);
}

static void compressed(struct scene *s)
{
	make(s, 0, 64, VK_FORMAT_BC1_RGBA_UNORM_BLOCK);
}

static void bind(struct scene *s, uint32_t stage, uint32_t first, uint32_t view)
{
	sundog_emit_bind_texel_buffers(s->h->stream,
				       &(struct sundog_cmd_bind_texel_buffers){ stage, first, 2 },
				       (const uint32_t[]){ 0, view });
}

static void unlisted(struct scene *s)
{
	bind(s, SUNDOG_STAGE_FRAGMENT, 0, ID_VIEWS);
}

static void sampler_for_a_view(struct scene *s)
{
	bind(s, SUNDOG_STAGE_FRAGMENT, 0, HOSTILE_SAMPLER);
}

static void too_many(struct scene *s)
{
	bind(s, SUNDOG_STAGE_FRAGMENT, SUNDOG_MAX_TEXEL_BUFFERS - 1, 0);
}

static void no_stage(struct scene *s)
{
	bind(s, SUNDOG_STAGE_MESH + 1, 0, 0);
}

static const struct hostile_fault faults[] = {
	{ "a view at an odd offset", odd_offset, SUNDOG_FAULT_CODE_RANGE },
	{ "a view that ends in a texel", odd_size, SUNDOG_FAULT_CODE_RANGE },
	{ "a view of nothing", no_texels, SUNDOG_FAULT_CODE_RANGE },
	{ "a view past the end", past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a view that wraps around", wrapping, SUNDOG_FAULT_CODE_RANGE },
	{ "a view with a depth format", depth, SUNDOG_FAULT_CODE_RANGE },
	{ "a view without a format", no_format, SUNDOG_FAULT_CODE_RANGE },
	{ "a view with a compressed format", compressed, SUNDOG_FAULT_CODE_RANGE },
	{ "a view whose memory is not listed", unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a sampler for a view", sampler_for_a_view, SUNDOG_FAULT_CODE_OBJECT },
	{ "more slots than there are", too_many, SUNDOG_FAULT_CODE_FIELD },
	{ "a stage that there is not", no_stage, SUNDOG_FAULT_CODE_FIELD },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	make_objects(&s);
	hostile_need(s.h, "shaders and views");
	for (uint32_t i = 0; i < N_FORMATS; i++) {
		hostile_result(reads_right(&s, i), "texels of %s are read, and none beyond",
			       formats[i].name);
		hostile_result(reads_nothing(&s, (formats[i].class + 1) % 3, ID_VIEWS + i),
			       "nothing is read of %s as numbers of another kind", formats[i].name);
	}
	for (uint32_t i = 0; i < 3; i++)
		hostile_result(reads_nothing(&s, i, 0), "nothing is read where nothing is bound");
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	sdrm_bo_del(s.buffer);
	hostile_del(s.h);
	return hostile_status();
}
