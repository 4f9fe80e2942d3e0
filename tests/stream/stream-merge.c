// SPDX-License-Identifier: MIT
/*
 * Tests consecutive draws that a renderer may merge into one command: each has the result that it
 * would have alone, and in order. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "indirect-shaders.h"
#include "merge.frag.h"
#include "merge.vert.h"

#define BUFFER_SIZE 65536u
#define VERTICES 600u			/* more than a renderer merges at once */
#define INDICES 4u			/* 0, 1, ... at the end of their buffer */

enum { ID_VERTEX = HOSTILE_FREE, ID_NUMBERED, ID_FRAGMENT, ID_COUNTING };

struct scene {
	struct hostile *h;
	struct sdrm_bo *values, *indices;
};

static void fill(struct scene *s)
{
	uint32_t *values = sdrm_bo_map(s->values);
	uint16_t *indices = (uint16_t *)((char *)sdrm_bo_map(s->indices) + BUFFER_SIZE -
					 INDICES * 2);

	for (uint32_t i = 0; i < VERTICES; i++)
		values[i] = i;
	for (uint32_t i = 0; i < INDICES; i++)
		indices[i] = i;
}

static void begin_with(struct scene *s, uint32_t vertex_shader, uint32_t fragment_shader)
{
	const struct sundog_cmd_set_vertex_input input = { .n_bindings = 1,
							   .bindings = { { 4, 0 } }, .count = 1 };
	const struct sundog_vertex_attribute attribute = { .format = VK_FORMAT_R32_UINT };
	struct hostile *h = s->h;

	hostile_list(h, s->values);
	hostile_list(h, s->indices);
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ vertex_shader, fragment_shader } });
	sundog_emit_set_vertex_input(h->stream, &input, &attribute);
	sundog_emit_bind_vertex_buffers(h->stream, &(struct sundog_cmd_bind_vertex_buffers){ 0, 1 },
					&(struct sundog_buffer_binding){ sdrm_bo_mem(s->values),
									 0 });
	sundog_emit_bind_index_buffer(h->stream, &(struct sundog_cmd_bind_index_buffer){
		sdrm_bo_mem(s->indices), BUFFER_SIZE - INDICES * 2, VK_INDEX_TYPE_UINT16 });
}

static void begin(struct scene *s, uint32_t vertex_shader)
{
	begin_with(s, vertex_shader, ID_FRAGMENT);
}

static void draw(struct scene *s, uint32_t first, uint32_t count, uint32_t row)
{
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ count, 1, first, row });
}

static void draw_indexed(struct scene *s, uint32_t first, uint32_t count, int32_t offset,
			 uint32_t row)
{
	sundog_emit_draw_indexed(s->h->stream, &(struct sundog_cmd_draw_indexed){
		count, 1, first, offset, row });
}

static bool runs(struct scene *s)
{
	hostile_end(s->h);
	return hostile_runs(s->h);
}

static bool pixel_is(struct scene *s, uint32_t x, uint32_t y, uint32_t word)
{
	const uint32_t seen = hostile_pixels(s->h)[2 * (y * HOSTILE_WIDTH + x)];

	if (seen != word)
		printf("# pixel %u, %u is %u, not %u\n", x, y, seen, word);
	return seen == word;
}

/* Returns true if each column shows the last one of the vertices 0 to @n - 1 in it. */
static bool last_of(struct scene *s, uint32_t n)
{
	bool ok = true;

	for (uint32_t x = 0; ok && x < HOSTILE_WIDTH; x++)
		ok = pixel_is(s, x, 0, (n - 1 - x) / HOSTILE_WIDTH * HOSTILE_WIDTH + x + 1);
	return ok;
}

static bool many(struct scene *s, bool vertices, bool indices)
{
	begin(s, ID_VERTEX);
	for (uint32_t i = 0; i < VERTICES; i++) {
		if (vertices && (!indices || i % 3))
			draw(s, i, 1, 0);
		else
			draw_indexed(s, i % INDICES, 1, i - i % INDICES, 0);
	}
	return runs(s) && last_of(s, VERTICES);
}

static bool rows(struct scene *s)
{
	begin(s, ID_VERTEX);
	for (uint32_t i = 0; i < 12; i++)
		draw(s, i, 1, i / 2 % 3);
	if (!runs(s))
		return false;
	for (uint32_t i = 0; i < 12; i++)
		if (!pixel_is(s, i, i / 2 % 3, i + 1) || !pixel_is(s, i, (i / 2 + 1) % 3, 0))
			return false;
	return true;
}

/* Empty draws do not affect other draws. */
static bool empty(struct scene *s)
{
	begin(s, ID_VERTEX);
	for (uint32_t i = 0; i < 4; i++) {
		draw(s, i, 0, 0);
		draw(s, i, 1, 0);
		draw_indexed(s, 0, 0, 0, 0);
		draw_indexed(s, 0, 1, 8 + i, 0);
		sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 1, 0, 16 + i, 0 });
	}
	return runs(s) && pixel_is(s, 0, 0, 1) && pixel_is(s, 3, 0, 4) && pixel_is(s, 8, 0, 9) &&
	       pixel_is(s, 11, 0, 12) && pixel_is(s, 16, 0, 0);
}

static bool several_instances(struct scene *s)
{
	begin(s, ID_VERTEX);
	draw(s, 0, 1, 0);
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 1, 3, 64, 0 });
	draw(s, 128, 1, 1);
	return runs(s) && pixel_is(s, 0, 0, 65) && pixel_is(s, 0, 1, 129) && pixel_is(s, 0, 2, 65);
}

/* gl_DrawID is 0 in each of the draws. */
static bool numbered(struct scene *s)
{
	begin(s, ID_NUMBERED);
	for (uint32_t i = 0; i < 4; i++)
		draw(s, i, 1, 0);
	for (uint32_t i = 4; i < 8; i++)
		draw_indexed(s, 0, 1, i, 0);
	if (!runs(s))
		return false;
	for (uint32_t i = 0; i < 8; i++)
		if (!pixel_is(s, i, 0, 1))
			return false;
	return true;
}

/* gl_PrimitiveID starts at 0 in each draw. */
static bool counting(struct scene *s)
{
	begin_with(s, ID_VERTEX, ID_COUNTING);
	for (uint32_t i = 0; i < 4; i++)
		draw(s, 2 * i, 2, 0);
	for (uint32_t i = 4; i < 8; i++)
		draw_indexed(s, 0, 2, 2 * i, 0);
	if (!runs(s))
		return false;
	for (uint32_t i = 0; i < 16; i++)
		if (!pixel_is(s, i, 0, i % 2 + 1))
			return false;
	return true;
}

/* A state change between draws applies to the draws behind it only. */
static bool between(struct scene *s)
{
	const struct sundog_rect left = { 0, 0, HOSTILE_WIDTH / 2, HOSTILE_HEIGHT };

	begin(s, ID_VERTEX);
	draw(s, 40, 1, 0);
	draw(s, 0, 1, 0);
	sundog_emit_set_scissors(s->h->stream, &(struct sundog_cmd_set_scissors){ 1 }, &left);
	draw(s, 41, 1, 0);
	draw(s, 1, 1, 0);
	return runs(s) && pixel_is(s, 40, 0, 41) && pixel_is(s, 0, 0, 1) && pixel_is(s, 41, 0, 0) &&
	       pixel_is(s, 1, 0, 2);
}

/* Invalid packets */

static void indices_past_the_end(struct scene *s)
{
	begin(s, ID_VERTEX);
	draw_indexed(s, 0, 1, 0, 0);
	draw_indexed(s, 0, INDICES + 1, 0, 0);
	hostile_end(s->h);
}

static void wrapping_indices(struct scene *s)
{
	begin(s, ID_VERTEX);
	draw_indexed(s, 0, 1, 0, 0);
	draw_indexed(s, UINT32_MAX, 2, 0, 0);
	hostile_end(s->h);
}

static void wrapping_vertices(struct scene *s)
{
	begin(s, ID_VERTEX);
	draw(s, 0, 1, 0);
	draw(s, UINT32_MAX, 2, 0);
	hostile_end(s->h);
}

static void behind_the_rendering(struct scene *s)
{
	begin(s, ID_VERTEX);
	draw(s, 0, 1, 0);
	draw(s, 1, 1, 0);
	sundog_emit_end_rendering(s->h->stream);
	draw(s, 2, 1, 0);
}

static void no_indices(struct scene *s)
{
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	draw(s, 0, 1, 0);
	draw_indexed(s, 0, 1, 0, 0);
	hostile_end(s->h);
}

static void no_shader(struct scene *s)
{
	begin(s, ID_VERTEX);
	draw(s, 0, 1, 0);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){ { 0 } });
	draw(s, 0, 1, 0);
	hostile_end(s->h);
}

static const struct hostile_fault faults[] = {
	{ "a second draw's indices past the end", indices_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a second draw's indices that wrap around", wrapping_indices, SUNDOG_FAULT_CODE_RANGE },
	{ "a second draw's vertices that wrap around", wrapping_vertices, SUNDOG_FAULT_CODE_FIELD },
	{ "a draw behind the rendering of others", behind_the_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a second draw's indices that are not bound", no_indices, SUNDOG_FAULT_CODE_STATE },
	{ "a second draw without a shader", no_shader, SUNDOG_FAULT_CODE_OBJECT },
};

static void make_shaders(struct scene *s)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };

	hostile_shader(s->h, ID_VERTEX, &vertex, merge_vert, sizeof(merge_vert));
	hostile_shader(s->h, ID_NUMBERED, &vertex, indirect_vert, sizeof(indirect_vert));
	hostile_shader(s->h, ID_FRAGMENT, &fragment, indirect_frag, sizeof(indirect_frag));
	hostile_shader(s->h, ID_COUNTING, &fragment, merge_frag, sizeof(merge_frag));
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.values = hostile_bo(s.h, BUFFER_SIZE);
	s.indices = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	fill(&s);
	make_shaders(&s);
	hostile_need(s.h, "the shaders");
	hostile_result(many(&s, true, false), "%u draws in a row", VERTICES);
	hostile_result(many(&s, false, true), "%u draws with indices", VERTICES);
	hostile_result(many(&s, true, true), "%u draws with and without", VERTICES);
	hostile_result(rows(&s), "first instances that differ");
	hostile_result(empty(&s), "draws of nothing");
	hostile_result(several_instances(&s), "draws of several instances");
	hostile_result(numbered(&s), "none of them is one of several");
	hostile_result(counting(&s), "primitives are counted from zero in each");
	hostile_result(between(&s), "state that changes between them");
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	hostile_result(many(&s, true, true), "and all of it goes on");
	sdrm_bo_del(s.indices);
	sdrm_bo_del(s.values);
	hostile_del(s.h);
	return hostile_status();
}
