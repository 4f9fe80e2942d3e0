// SPDX-License-Identifier: MIT
/*
 * Tests indirect draws: their number, their results, and arguments that the renderer cannot check.
 * Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "indirect-shaders.h"

#define BUFFER_SIZE 65536u
/* offset of the count in the buffer of arguments, in bytes */
#define COUNT_AT 4096u
#define STRIDE 32u
#define VERTICES 64u			/* number of values */
#define VALUE 1000u			/* value of vertex 0 */
#define INDICES_AT 128u
#define INDICES 12u
#define RESTART 0xffffu

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT };

struct scene {
	struct hostile *h;
	struct sdrm_bo *arguments, *indices, *values;
	uint32_t topology, flags, divisor;
};

static void make_shaders(struct scene *s)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };

	hostile_shader(s->h, ID_VERTEX, &vertex, indirect_vert, sizeof(indirect_vert));
	hostile_shader(s->h, ID_FRAGMENT, &fragment, indirect_frag, sizeof(indirect_frag));
}

/* The values and the indices are at the end of their buffers. */
static struct sundog_mem_range values_of(const struct scene *s)
{
	return (struct sundog_mem_range){ sdrm_bo_mem(s->values), BUFFER_SIZE - VERTICES * 4,
					  VERTICES * 4 };
}

static uint16_t *indices_of(const struct scene *s)
{
	return (uint16_t *)((char *)sdrm_bo_map(s->indices) + BUFFER_SIZE - INDICES * 2);
}

static void fill(struct scene *s)
{
	static const uint16_t indices[INDICES] = { 3, 4, 5, 40, 41, 42, 0, 10, RESTART, 20, 30,
						   63 };
	uint32_t *values = (uint32_t *)((char *)sdrm_bo_map(s->values) + values_of(s).offset);

	for (uint32_t i = 0; i < VERTICES; i++)
		values[i] = VALUE + i;
	memcpy(indices_of(s), indices, sizeof(indices));
	memset(sdrm_bo_map(s->arguments), 0, BUFFER_SIZE);
}

static void set_arguments(struct scene *s, uint32_t draw, const uint32_t *words, uint32_t n)
{
	memcpy((char *)sdrm_bo_map(s->arguments) + draw * STRIDE, words, n * 4);
}

static void set_count(struct scene *s, uint32_t count)
{
	memcpy((char *)sdrm_bo_map(s->arguments) + COUNT_AT, &count, 4);
}

static void list(struct scene *s)
{
	hostile_list(s->h, s->arguments);
	hostile_list(s->h, s->indices);
	hostile_list(s->h, s->values);
}

static void begin(struct scene *s)
{
	const struct sundog_cmd_set_vertex_input input = {
		.n_bindings = 1, .bindings = { { 4, s->divisor } }, .count = 1,
	};
	const struct sundog_vertex_attribute attribute = { .format = VK_FORMAT_R32_UINT };
	const struct sundog_mem_range values = values_of(s);
	struct hostile *h = s->h;

	hostile_begin(h, s->topology);
	sundog_emit_set_raster(h->stream, &(struct sundog_cmd_set_raster){
		.flags = s->flags, .topology = s->topology, .line_width = 1.0f, .stipple_factor = 1,
		.line_mode = 2 /* VK_LINE_RASTERIZATION_MODE_BRESENHAM */ });
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
	sundog_emit_set_vertex_input(h->stream, &input, &attribute);
	sundog_emit_bind_vertex_buffers(h->stream, &(struct sundog_cmd_bind_vertex_buffers){ 0, 1 },
					&(struct sundog_buffer_binding){ values.mem,
									 values.offset });
	sundog_emit_bind_index_buffer(h->stream, &(struct sundog_cmd_bind_index_buffer){
		sdrm_bo_mem(s->indices), BUFFER_SIZE - INDICES * 2, VK_INDEX_TYPE_UINT16 });
}

static struct sundog_indirect draws_of(const struct scene *s, uint32_t n, bool counted)
{
	struct sundog_indirect i = { .mem = sdrm_bo_mem(s->arguments), .stride = STRIDE,
				     .max_draws = n };

	if (counted) {
		i.count_mem = i.mem;
		i.count_offset = COUNT_AT;
	}
	return i;
}

static void draw(struct scene *s, uint32_t n, bool counted)
{
	sundog_emit_draw_indirect(s->h->stream, &(struct sundog_cmd_draw_indirect){
		draws_of(s, n, counted) });
}

static void draw_indexed(struct scene *s, uint32_t n, bool counted)
{
	sundog_emit_draw_indexed_indirect(s->h->stream, &(struct sundog_cmd_draw_indexed_indirect){
		draws_of(s, n, counted) });
}

static bool runs(struct scene *s)
{
	hostile_end(s->h);
	return hostile_runs(s->h);
}

/* Returns true if row @y has the points @x to @x + @n - 1 of draw @id, and no others of it. */
static bool drawn(struct scene *s, uint32_t id, uint32_t x, uint32_t n, uint32_t y)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	for (uint32_t i = 0; i < HOSTILE_WIDTH; i++) {
		const uint32_t *p = pixels + 2 * (y * HOSTILE_WIDTH + i);
		const bool there = i >= x && i < x + n;

		if ((p[0] == id) != there || (there && p[1] != VALUE + i)) {
			printf("# pixel %u %u is %u %u\n", i, y, p[0], p[1]);
			return false;
		}
	}
	return true;
}

static bool nothing_drawn(struct scene *s, uint32_t y)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	for (uint32_t i = 0; i < HOSTILE_WIDTH; i++)
		if (pixels[2 * (y * HOSTILE_WIDTH + i)])
			return false;
	return true;
}

/* Sets three draws, of the rows 1, 2 and 3. */
static void three(struct scene *s)
{
	fill(s);
	for (uint32_t i = 0; i < 3; i++)
		set_arguments(s, i, (const uint32_t[]){ 5 + i, 1, 10 * i, i + 1 }, 4);
}

static bool rows(struct scene *s, uint32_t n)
{
	bool ok = nothing_drawn(s, 0);

	for (uint32_t i = 0; i < 3; i++)
		ok = ok &&
		     (i < n ? drawn(s, i + 1, 10 * i, 5 + i, i + 1) : nothing_drawn(s, i + 1));
	return ok;
}

static bool several(struct scene *s, uint32_t n)
{
	three(s);
	list(s);
	begin(s);
	draw(s, n, false);
	return runs(s) && rows(s, n);
}

static bool counted(struct scene *s, uint32_t count, uint32_t most, uint32_t expected)
{
	three(s);
	set_count(s, count);
	list(s);
	begin(s);
	draw(s, most, true);
	return runs(s) && rows(s, expected);
}

/* A count in memory applies to its own draw, not to following ones. */
static bool not_counted_after(struct scene *s)
{
	three(s);
	set_count(s, 1);
	list(s);
	begin(s);
	draw(s, 3, true);
	draw(s, 3, false);
	return runs(s) && rows(s, 3);
}

static bool instances(struct scene *s)
{
	fill(s);
	set_arguments(s, 0, (const uint32_t[]){ 4, 2, 7, 5 }, 4);
	list(s);
	begin(s);
	draw(s, 1, false);
	return runs(s) && drawn(s, 1, 7, 4, 5) && drawn(s, 1, 7, 4, 6) && nothing_drawn(s, 4) &&
	       nothing_drawn(s, 7);
}

static bool indexed(struct scene *s, bool count)
{
	fill(s);
	set_count(s, 2);
	set_arguments(s, 0, (const uint32_t[]){ 3, 1, 0, 2, 1 }, 5);
	set_arguments(s, 1, (const uint32_t[]){ 3, 1, 3, -2u, 2 }, 5);
	list(s);
	begin(s);
	draw_indexed(s, 2, count);
	return runs(s) && drawn(s, 1, 5, 3, 1) && drawn(s, 2, 38, 3, 2);
}

/* A line strip that restarts at RESTART. Draws without indices have no restart. */
static bool restarts(struct scene *s, bool count)
{
	const uint32_t *row;
	bool ok;

	s->topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
	s->flags = SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART;
	fill(s);
	set_count(s, 1);
	set_arguments(s, 0, (const uint32_t[]){ 5, 1, 6, 0, 1 }, 5);
	list(s);
	begin(s);
	draw_indexed(s, 1, count);
	s->topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	s->flags = 0;
	ok = runs(s);
	row = hostile_pixels(s->h) + 2 * HOSTILE_WIDTH;
	for (uint32_t x = 0; ok && x < HOSTILE_WIDTH; x++) {
		/* The last pixel of a line is not drawn. */
		ok = x == 10 || x == 30 || !!row[2 * x] == (x < 10 || (x > 19 && x < 30));
		if (!ok)
			printf("# pixel %u is %u\n", x, row[2 * x]);
	}
	return ok;
}

/* Uses arguments out of range: the shader may read zero or the bound buffers. */
static bool bears(struct scene *s, const uint32_t *words, bool index)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	fill(s);
	set_arguments(s, 0, words, 5);
	list(s);
	begin(s);
	if (index)
		draw_indexed(s, 1, false);
	else
		draw(s, 1, false);
	if (!runs(s))
		return false;
	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++)
		if (pixels[2 * i + 1] && pixels[2 * i + 1] - VALUE >= VERTICES) {
			printf("# pixel %u has %#x\n", i, pixels[2 * i + 1]);
			return false;
		}
	return true;
}

static const uint32_t wild[][5] = {
	{ 64, 1, 0xffffffe0, 0, 0 }, { 64, 1, 0x7fffffe0, 0, 0 }, { 64, 1, 0x40000000 - 32, 0, 0 },
	{ 64, 1, 40, 0, 0 },
	{ 64, 2, 0, 0xffffffff, 0 }, { 0, 0xffffffff, 0, 0, 0 },
	{ 0xffffffff, 0, 0xffffffff, 0xffffffff, 0 },
	{ 70000, 1, 0xffff0000, 0, 0 }, { 1, 3, 0, 0xfffffffe, 0 }, { 1, 3, 0, 0x7ffffffe, 0 },
	{ 1, 3, 0, 0x3ffffffe, 0 },
};

static const uint32_t wild_indexed[][5] = {
	{ 64, 1, 0, 0, 0 }, { 64, 1, 0xffffffe0, 0, 0 }, { 64, 1, 0x7fffffe0, 0, 0 },
	{ 12, 1, 0, 0x7fffffff, 0 },
	{ 12, 1, 0, 0x80000000, 0 }, { 12, 1, 0, 0xffffff00, 0 }, { 12, 2, 0, 0, 0xffffffff },
	{ 0, 0xffffffff, 0, 0, 0 }, { 0xffffffff, 0, 0xffffffff, 0, 0 },
	{ 70000, 1, 0xffff0000, 0, 0 },
	{ 12, 1, 11, 0, 0 },
};

/* Invalid packets */

static void send(struct scene *s, const struct sundog_indirect *i)
{
	list(s);
	begin(s);
	sundog_emit_draw_indirect(s->h->stream, &(struct sundog_cmd_draw_indirect){ *i });
	hostile_end(s->h);
}

static void odd_offset(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 1, false);

	i.offset = 2;
	send(s, &i);
}

static void past_the_end(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 2, false);

	i.offset = BUFFER_SIZE - STRIDE - 12;
	send(s, &i);
}

static void wrapping(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 2, false);

	i.offset = UINT64_MAX - STRIDE + 1;
	send(s, &i);
}

static void many(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 0x100000, false);

	i.stride = 0xfffc;
	send(s, &i);
}

static void odd_stride(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 2, false);

	i.stride = 18;
	send(s, &i);
}

static void overlapping(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 2, false);

	i.stride = 12;
	send(s, &i);
}

static void count_at_odd(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 1, true);

	i.count_offset++;
	send(s, &i);
}

static void count_past_the_end(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 1, true);

	i.count_offset = BUFFER_SIZE;
	send(s, &i);
}

static void unlisted(struct scene *s)
{
	const struct sundog_indirect i = draws_of(s, 1, false);

	hostile_list(s->h, s->values);
	hostile_list(s->h, s->indices);
	begin(s);
	sundog_emit_draw_indirect(s->h->stream, &(struct sundog_cmd_draw_indirect){ i });
	hostile_end(s->h);
}

static void unlisted_count(struct scene *s)
{
	struct sundog_indirect i = draws_of(s, 1, true);

	i.mem = sdrm_bo_mem(s->values);
	hostile_list(s->h, s->values);
	hostile_list(s->h, s->indices);
	begin(s);
	sundog_emit_draw_indirect(s->h->stream, &(struct sundog_cmd_draw_indirect){ i });
	hostile_end(s->h);
}

static void no_indices(struct scene *s)
{
	list(s);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	draw_indexed(s, 1, false);
	hostile_end(s->h);
}

static void no_rendering(struct scene *s)
{
	list(s);
	draw(s, 1, false);
}

static const struct hostile_fault faults[] = {
	{ "arguments at an odd offset", odd_offset, SUNDOG_FAULT_CODE_RANGE },
	{ "arguments past the end", past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "arguments that wrap around", wrapping, SUNDOG_FAULT_CODE_RANGE },
	{ "more arguments than memory", many, SUNDOG_FAULT_CODE_RANGE },
	{ "an odd stride", odd_stride, SUNDOG_FAULT_CODE_FIELD },
	{ "arguments that overlap", overlapping, SUNDOG_FAULT_CODE_FIELD },
	{ "a count at an odd offset", count_at_odd, SUNDOG_FAULT_CODE_RANGE },
	{ "a count past the end", count_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "arguments that are not listed", unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a count that is not listed", unlisted_count, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "indices that are not bound", no_indices, SUNDOG_FAULT_CODE_STATE },
	{ "a draw outside a rendering", no_rendering, SUNDOG_FAULT_CODE_STATE },
};

static void test_draws(struct scene *s)
{
	hostile_result(several(s, 1), "a draw's arguments come from memory");
	hostile_result(several(s, 3), "three draws do, and know their numbers");
	hostile_result(several(s, 0), "no draws are none");
	hostile_result(instances(s), "instances begin where they say");
	hostile_result(counted(s, 2, 3, 2), "there are as many as memory says");
	hostile_result(counted(s, 0, 3, 0), "there are none if memory says so");
	hostile_result(counted(s, 1000, 2, 2), "there are at most as many as the packet says");
	hostile_result(counted(s, UINT32_MAX, 3, 3),
		       "there are at most as many, whatever memory says");
	hostile_result(not_counted_after(s), "draws after a number in memory have their own");
	hostile_result(indexed(s, false), "draws of indices");
	hostile_result(indexed(s, true), "draws of indices, their number in memory");
	hostile_result(restarts(s, false), "strips begin anew");
	hostile_result(restarts(s, true), "strips begin anew, their number in memory");
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.arguments = hostile_bo(s.h, BUFFER_SIZE);
	s.indices = hostile_bo(s.h, BUFFER_SIZE);
	s.values = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	make_shaders(&s);
	hostile_need(s.h, "shaders");
	test_draws(&s);
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		hostile_result(bears(&s, wild[i], false), "wild arguments %zu do no harm", i);
	for (s.divisor = 1; s.divisor < 4; s.divisor += 2)
		for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
			hostile_result(bears(&s, wild[i], false),
				       "wild arguments %zu do no harm with a divisor of %u", i,
				       s.divisor);
	s.divisor = 0;
	for (size_t i = 0; i < sizeof(wild_indexed) / sizeof(wild_indexed[0]); i++)
		hostile_result(bears(&s, wild_indexed[i], true),
			       "wild arguments of indices %zu do no harm", i);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	sdrm_bo_del(s.arguments);
	sdrm_bo_del(s.indices);
	sdrm_bo_del(s.values);
	hostile_del(s.h);
	return hostile_status();
}
