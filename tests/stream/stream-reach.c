// SPDX-License-Identifier: MIT
/*
 * Tests vertex and index fetches out of bounds: strides, offsets and vertex numbers whose products
 * exceed the buffer, 31 bits and 32 bits; with enough VRAM also memory beyond the host's largest
 * buffer. Fetches inside the buffer return its data. Other fetches return zero or are refused, and
 * never anything else. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "reach.frag.h"
#include "reach.vert.h"

#define BUFFER_SIZE 65536
#define CANARIES (8ull << 20)
#define HUGE_SIZE (3ull << 30)
/* 2.5 GiB: as a signed 32-bit number, 1.5 GiB before the start */
#define FAR 0xa0000000ull

/* Word i of the buffer is OWN + i. */
#define OWN 0x40000000u

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_IMAGE };

enum mode { VERTICES, INDICES_32, INDICES_16, INDICES_8, INSTANCES, MODES };

static const char *const mode_names[] = { "vertices", "32-bit indices", "16-bit indices",
					  "8-bit indices", "instances" };

struct fetch {
	enum mode mode;
	/* stride of the elements; offset of the buffer; offset of the second attribute */
	uint32_t stride, offset, second;
	/* size of the bound range; 0: to the end of the memory */
	uint32_t size;
	uint32_t first;				/* first vertex, vertex offset or first instance */
};

struct memory {
	struct sdrm_bo *before, *buffer, *behind, *indices;
};

static uint32_t index_of(enum mode mode, uint32_t pixel)
{
	/* The low bits identify the pixel, the high bits make the index exceed the buffer. */
	return mode == INDICES_32 ? pixel << 22 | pixel : mode == INDICES_8 ? pixel & 0xff : pixel;
}

static void fill_indices(const struct memory *m)
{
	uint32_t *wide = sdrm_bo_map(m->indices);
	uint16_t *narrow = (uint16_t *)(wide + HOSTILE_PIXELS);
	uint8_t *bytes = (uint8_t *)(narrow + HOSTILE_PIXELS);

	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++) {
		wide[i] = index_of(INDICES_32, i);
		narrow[i] = index_of(INDICES_16, i);
		bytes[i] = index_of(INDICES_8, i);
	}
}

static void bind_vertices(struct hostile *h, const struct fetch *f, struct sundog_mem mem,
			  uint64_t offset)
{
	const struct sundog_cmd_set_vertex_input input = {
		.n_bindings = 1, .bindings = { { f->stride, f->mode == INSTANCES } }, .count = 2,
	};
	const struct sundog_vertex_attribute attributes[] = {
		{ .location = 0, .format = VK_FORMAT_R32_UINT },
		{ .location = 1, .format = VK_FORMAT_R32_UINT, .offset = f->second },
	};
	const struct sundog_cmd_bind_vertex_buffers bind = { .count = 1 };
	const struct sundog_buffer_binding buffer = { mem, offset };
	const struct sundog_cmd_bind_vertex_ranges bind_range = { .count = 1 };
	const struct sundog_mem_range range = { mem, offset, f->size };

	sundog_emit_set_vertex_input(h->stream, &input, attributes);
	if (f->size)
		sundog_emit_bind_vertex_ranges(h->stream, &bind_range, &range);
	else
		sundog_emit_bind_vertex_buffers(h->stream, &bind, &buffer);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
}

static void bind_indices(struct hostile *h, const struct memory *m, enum mode mode)
{
	static const struct {
		uint32_t type, offset;
	} places[MODES] = {
		[INDICES_32] = { 1, 0 }, [INDICES_16] = { 0, HOSTILE_PIXELS * 4 },
		[INDICES_8] = { 2, HOSTILE_PIXELS * 6 },
	};
	const struct sundog_cmd_bind_index_buffer bind = {
		.mem = sdrm_bo_mem(m->indices), .offset = places[mode].offset,
		.type = places[mode].type,
	};

	hostile_list(h, m->indices);
	sundog_emit_bind_index_buffer(h->stream, &bind);
}

static void draw(struct hostile *h, const struct memory *m, const struct fetch *f)
{
	hostile_list(h, m->buffer);
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind_vertices(h, f, sdrm_bo_mem(m->buffer), f->offset);
	switch (f->mode) {
	case VERTICES:
		sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){
			HOSTILE_PIXELS, 1, f->first, 0 });
		break;
	case INSTANCES:
		sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){
			HOSTILE_PIXELS, 1, 0, f->first });
		break;
	default:
		bind_indices(h, m, f->mode);
		sundog_emit_draw_indexed(h->stream,
					 &(struct sundog_cmd_draw_indexed){ HOSTILE_PIXELS, 1, 0,
					 (int32_t)f->first, 0 });
	}
	hostile_end(h);
}

/* Returns the element that pixel @i shows. */
static uint32_t element(const struct fetch *f, uint32_t i)
{
	return f->mode == INSTANCES ? f->first : index_of(f->mode, i) + f->first;
}

static bool is_right(const struct fetch *f, uint32_t pixel, uint32_t offset, uint32_t word)
{
	const uint64_t at = f->offset + (uint64_t)element(f, pixel) * f->stride + offset;

	const uint32_t from = f->size ? f->offset : 0,
		end = f->size ? f->offset + f->size : BUFFER_SIZE;

	if (at + 4 <= end)
		return word == OWN + at / 4;
	/* 32-bit products wrap around, so any word of the range is right. */
	return !word || (word - OWN >= from / 4 && word - OWN < end / 4);
}

static bool all_right(const struct hostile *h, const struct fetch *f)
{
	const uint32_t *pixels = hostile_pixels(h);

	for (uint32_t i = 0; i < (f->mode == INDICES_8 ? 0x100 : HOSTILE_PIXELS); i++) {
		if (is_right(f, i, 0, pixels[i * 2]) &&
		    is_right(f, i, f->second, pixels[i * 2 + 1]))
			continue;
		printf("# stride %u, offset %u and %u, first %#x: pixel %u is %#x %#x\n", f->stride,
		       f->offset,
		       f->second, f->first, i, pixels[i * 2], pixels[i * 2 + 1]);
		return false;
	}
	return true;
}

/* @ranges: binds ranges with a size. */
static bool try_fetches(struct hostile *h, const struct memory *m, enum mode mode, bool ranges)
{
	static const uint32_t strides[] = { 0, 4, 8, 2044, 2052, 65532 },
		offsets[] = { 0, 32768, 65532 };
	static const uint32_t firsts[] = {
		0, 0x400, 0x8000, 0x10000, 0x7fffc00, 0x10000000, 0x20000000, 0x40000000,
		0x7ffff800, 0x80000000,
		0xc0000000, 0xfffff800,
	};
	struct fetch f = { .mode = mode };
	bool ok = true;

	for (uint32_t i = 0; i < sizeof(strides) / 4 * 3 * (sizeof(firsts) / 4); i++) {
		f.first = firsts[i % 12];
		f.offset = offsets[i / 12 % 3];
		f.stride = strides[i / 36];
		f.second = i & 1 ? 4 : 2044;
		f.size = !ranges ? 0 : f.offset < 65532 ? 16384 + 4 * (i % 7) : 4;
		draw(h, m, &f);
		if (hostile_run(h)) {
			ok &= all_right(h, &f);
		} else {
			printf("# stride %u, first %#x: fault %u\n", f.stride, f.first,
			       hostile_fault(h));
			ok = false;
		}
	}
	return ok;
}

/* Returns true if a host that is llvmpipe takes strides up to 65535: OpenGL knows no limit. */
static bool takes_strides(const struct hostile *h)
{
	return sdrm_device_caps(h->dev)->host_driver_id != VK_DRIVER_ID_MESA_LLVMPIPE ||
	       sdrm_device_caps(h->dev)->max_vertex_stride == 65535;
}

/* Memory beyond the host's largest buffer */

static struct sdrm_bo *make_image(struct hostile *h)
{
	const struct sundog_cmd_create_image image = {
		.id = ID_IMAGE, .type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R32_UINT,
		.extent = { 64, 64, 1 },
		.levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_TRANSFER_SRC | SUNDOG_IMAGE_USAGE_TRANSFER_DST,
	};
	struct sdrm_bo *bo = hostile_bo(h, BUFFER_SIZE);
	struct sundog_cmd_create_image create = image;

	create.mem = sdrm_bo_mem(bo);
	hostile_list(h, bo);
	sundog_emit_create_image(h->stream, &create);
	return hostile_run(h) ? bo : NULL;
}

static void far_vertices(struct hostile *h, struct sundog_mem mem)
{
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind_vertices(h, &(struct fetch){ .stride = 8, .second = 4 }, mem, FAR);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ HOSTILE_PIXELS, 1, 0, 0 });
	hostile_end(h);
}

static void far_indices(struct hostile *h, struct sundog_mem mem)
{
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind_vertices(h, &(struct fetch){ .stride = 8, .second = 4 }, mem, 0);
	sundog_emit_bind_index_buffer(h->stream, &(struct sundog_cmd_bind_index_buffer){
		mem, FAR, VK_INDEX_TYPE_UINT32 });
	sundog_emit_draw_indexed(h->stream, &(struct sundog_cmd_draw_indexed){
		HOSTILE_PIXELS, 1, 0, 0, 0 });
	hostile_end(h);
}

static void far_index_count(struct hostile *h, struct sundog_mem mem)
{
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind_vertices(h, &(struct fetch){ .stride = 8, .second = 4 }, mem, 0);
	sundog_emit_bind_index_buffer(h->stream, &(struct sundog_cmd_bind_index_buffer){
		mem, 0, VK_INDEX_TYPE_UINT32 });
	sundog_emit_draw_indexed(h->stream, &(struct sundog_cmd_draw_indexed){
		HOSTILE_PIXELS, 1, FAR / 4, 0, 0 });
	hostile_end(h);
}

static void far_source(struct hostile *h, struct sundog_mem mem)
{
	sundog_emit_copy_buffer(h->stream, &(struct sundog_cmd_copy_buffer){
		mem, mem, FAR, 0, 4096 });
}

static void far_destination(struct hostile *h, struct sundog_mem mem)
{
	sundog_emit_copy_buffer(h->stream, &(struct sundog_cmd_copy_buffer){
		mem, mem, 0, FAR, 4096 });
}

static void far_fill(struct hostile *h, struct sundog_mem mem)
{
	sundog_emit_fill_buffer(h->stream, &(struct sundog_cmd_fill_buffer){
		{ mem, FAR, 4096 }, 0 });
}

static void far_upload(struct hostile *h, struct sundog_mem mem)
{
	const struct sundog_cmd_copy_buffer_to_image copy = {
		.mem = mem, .offset = FAR,
		.dst = { .image = ID_IMAGE, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { 64, 64, 1 },
	};

	sundog_emit_copy_buffer_to_image(h->stream, &copy);
}

static void far_download(struct hostile *h, struct sundog_mem mem)
{
	const struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = mem, .offset = FAR,
		.src = { .image = ID_IMAGE, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { 64, 64, 1 },
	};

	sundog_emit_copy_image_to_buffer(h->stream, &copy);
}

static void far_range(struct hostile *h, struct sundog_mem mem)
{
	const struct sundog_cmd_bind_vertex_ranges bind = { .count = 1 };
	const struct sundog_mem_range range = { mem, FAR, 4096 };

	sundog_emit_bind_vertex_ranges(h->stream, &bind, &range);
}

static void far_uniforms(struct hostile *h, struct sundog_mem mem)
{
	sundog_emit_bind_ubo(h->stream, &(struct sundog_cmd_bind_ubo){
		.range = { mem, FAR, 4096 } });
}

static const struct {
	const char *name;
	void (*emit)(struct hostile *h, struct sundog_mem mem);
} far_cases[] = {
	{ "vertex buffer", far_vertices }, { "range of vertices", far_range },
	{ "index buffer", far_indices }, { "first index", far_index_count },
	{ "source of a copy", far_source }, { "destination of a copy", far_destination },
	{ "fill", far_fill },
	{ "upload", far_upload }, { "download", far_download }, { "uniform buffer", far_uniforms },
};

/* The canaries are where a signed offset would lead: FAR minus 4 GiB from the start. */
static void try_far(struct hostile *h)
{
	struct sdrm_bo *canaries, *far, *image;

	if (!sdrm_device_caps(h->dev)->max_buffer) {
		printf("ok - memory past what the host's buffers reach # SKIP there is none\n");
		return;
	}
	canaries = hostile_canaries(h, (4ull << 30) - FAR);
	far = hostile_bo(h, HUGE_SIZE);
	image = make_image(h);
	for (uint32_t i = 0; i < sizeof(far_cases) / sizeof(far_cases[0]); i++) {
		enum sundog_fault_code fault = SUNDOG_FAULT_CODE_NONE;

		hostile_list(h, far);
		hostile_list(h, image);
		far_cases[i].emit(h, sdrm_bo_mem(far));
		if (!hostile_run(h))
			fault = hostile_fault(h);
		if (fault != SUNDOG_FAULT_CODE_RANGE)
			printf("# fault %u, pixel 0 is %#x\n", fault, hostile_pixels(h)[0]);
		hostile_result(fault == SUNDOG_FAULT_CODE_RANGE && hostile_canaries_live(canaries),
			       "past 2 GiB: %s, is refused", far_cases[i].name);
	}
	sdrm_bo_del(canaries);
	sdrm_bo_del(far);
	sdrm_bo_del(image);
}

int main(void)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };
	struct hostile *h = hostile_new();
	struct memory m = {
		.before = hostile_canaries(h, CANARIES), .buffer = hostile_bo(h, BUFFER_SIZE),
		.behind = hostile_canaries(h, CANARIES),
		.indices = hostile_bo(h, HOSTILE_PIXELS * 7),
	};
	uint32_t *words = sdrm_bo_map(m.buffer);

	for (uint32_t i = 0; i < BUFFER_SIZE / 4; i++)
		words[i] = OWN + i;
	fill_indices(&m);
	hostile_shader(h, ID_VERTEX, &vertex, reach_vert, sizeof(reach_vert));
	hostile_shader(h, ID_FRAGMENT, &fragment, reach_frag, sizeof(reach_frag));
	hostile_need(h, "shaders");
	hostile_result(takes_strides(h), "strides up to 65535");
	for (enum mode mode = 0; mode < MODES; mode++)
		for (int ranges = 0; ranges < 2; ranges++)
			hostile_result(try_fetches(h, &m, mode, ranges) &&
				       hostile_canaries_live(m.before) &&
				       hostile_canaries_live(m.behind), "%s that leave the %s",
				       mode_names[mode],
				       ranges ? "range" : "buffer");
	/* Room for the memory and the canaries before it. */
	if (sdrm_device_vram_size(h->dev) > 5ull << 30)
		try_far(h);
	sdrm_bo_del(m.before);
	sdrm_bo_del(m.buffer);
	sdrm_bo_del(m.behind);
	sdrm_bo_del(m.indices);
	hostile_del(h);
	return hostile_status();
}
