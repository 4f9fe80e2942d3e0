// SPDX-License-Identifier: MIT
/*
 * Tests stores of fragment shaders, and their visibility after barriers. Runs on the device that
 * device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "fragment-shaders.h"
#include "hostile.h"

#define BUFFER_SIZE 65536u
#define ROUNDS 20000u			/* of a loop before the store of a fragment */
#define STORES VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_COMPUTE };

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer, *other;
};

static void make_shaders(struct scene *s)
{
	struct sundog_cmd_create_shader cmd = { .stage = SUNDOG_STAGE_VERTEX };

	hostile_shader(s->h, ID_VERTEX, &cmd, probe_vert, sizeof(probe_vert));
	cmd = (struct sundog_cmd_create_shader){
		.stage = SUNDOG_STAGE_FRAGMENT, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};
	hostile_shader(s->h, ID_FRAGMENT, &cmd, stores_frag, sizeof(stores_frag));
	cmd.stage = SUNDOG_STAGE_COMPUTE;
	hostile_shader(s->h, ID_COMPUTE, &cmd, buffers_comp, sizeof(buffers_comp));
}

static void bind(struct scene *s, uint32_t stage, uint32_t slot, struct sdrm_bo *bo)
{
	hostile_list(s->h, bo);
	sundog_emit_bind_ssbos(s->h->stream, &(struct sundog_cmd_bind_ssbos){ stage, slot, 1 },
			       &(struct sundog_mem_range){ sdrm_bo_mem(bo), 0, BUFFER_SIZE });
}

static void push(struct scene *s, uint32_t a, uint32_t b)
{
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   (const uint32_t[]){ a, b });
}

/* Renders pixels that each store @value or @value + 1. */
static void draw(struct scene *s, uint32_t value)
{
	memset(sdrm_bo_map(s->buffer), 0, BUFFER_SIZE);
	memset(sdrm_bo_map(s->other), 0, BUFFER_SIZE);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
	bind(s, SUNDOG_STAGE_FRAGMENT, 0, s->buffer);
	push(s, ROUNDS, value);
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	sundog_emit_end_rendering(s->h->stream);
}

static void fragments_before(struct scene *s, uint64_t stages, uint64_t access)
{
	sundog_emit_barrier(s->h->stream, &(struct sundog_cmd_barrier){
		VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, STORES, stages, access });
}

static bool stored(struct scene *s, struct sdrm_bo *bo, uint32_t n, uint32_t value)
{
	const uint32_t *words = sdrm_bo_map(bo);

	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (words[i] - value > 1) {
			printf("# word %u is %u\n", i, words[i]);
			return false;
		}
	return true;
}

static bool are_there(struct scene *s)
{
	draw(s, 10);
	return stored(s, s->buffer, HOSTILE_PIXELS, 10);
}

static bool are_copied(struct scene *s)
{
	const struct sundog_mem from = sdrm_bo_mem(s->buffer), to = sdrm_bo_mem(s->other);

	draw(s, 20);
	fragments_before(s, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
	hostile_list(s->h, s->other);
	sundog_emit_copy_buffer(s->h->stream, &(struct sundog_cmd_copy_buffer){
		from, to, 0, 0, HOSTILE_PIXELS * 4 });
	return stored(s, s->other, HOSTILE_PIXELS, 20);
}

/* A dispatch reads the stores after a barrier. */
static bool are_read(struct scene *s)
{
	draw(s, 30);
	fragments_before(s, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
			 VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = ID_COMPUTE } });
	bind(s, SUNDOG_STAGE_COMPUTE, 0, s->other);
	bind(s, SUNDOG_STAGE_COMPUTE, 1, s->buffer);
	push(s, 2, 0);
	sundog_emit_dispatch(s->h->stream, &(struct sundog_cmd_dispatch){
		{ HOSTILE_PIXELS / 64, 1, 1 } });
	return stored(s, s->other, HOSTILE_PIXELS, 30);
}

/* The next entry sees the stores without a barrier. */
static bool are_seen_later(struct scene *s)
{
	const struct sundog_mem from = sdrm_bo_mem(s->buffer), to = sdrm_bo_mem(s->other);

	draw(s, 40);
	if (sdrm_submit_flush(s->h->submit, -1, NULL))
		return false;
	hostile_list(s->h, s->buffer);
	hostile_list(s->h, s->other);
	sundog_emit_copy_buffer(s->h->stream, &(struct sundog_cmd_copy_buffer){
		from, to, 0, 0, HOSTILE_PIXELS * 4 });
	return stored(s, s->other, HOSTILE_PIXELS, 40);
}

static void read_only(struct scene *s)
{
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
	sdrm_submit_add(s->h->submit, s->buffer, SUNDOG_ACCESS_READ);
	sundog_emit_bind_ssbos(s->h->stream,
			       &(struct sundog_cmd_bind_ssbos){ SUNDOG_STAGE_FRAGMENT, 0, 1 },
			       &(struct sundog_mem_range){ sdrm_bo_mem(s->buffer), 0,
							   BUFFER_SIZE });
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(s->h);
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	s.other = hostile_bo(s.h, BUFFER_SIZE);
	make_shaders(&s);
	hostile_need(s.h, "shaders");
	hostile_result(are_there(&s), "what fragments store is there when they are done");
	hostile_result(are_copied(&s), "what fragments store is copied after a barrier");
	hostile_result(are_read(&s),
		       "what fragments store is read by compute shaders after a barrier");
	hostile_result(are_seen_later(&s), "what fragments store is seen by the next entry");
	read_only(&s);
	hostile_refused(s.h, SUNDOG_FAULT_CODE_ACCESS,
			"fragments that store to a buffer that is listed for reading");
	sdrm_bo_del(s.buffer);
	sdrm_bo_del(s.other);
	hostile_del(s.h);
	return hostile_status();
}
