// SPDX-License-Identifier: MIT
/*
 * Tests statistics queries, and counts and captures of vertex streams. Runs on the device that
 * device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "counts-shaders.h"
#include "hostile.h"

#define BUFFER_SIZE 65536u
#define RESULT 4096u			/* offset of the first word of results */
#define FIRST 8192u			/* offsets of the captured vertices of streams 0 and 1 */
#define SECOND 16384u
#define POINTS 5u

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_COLUMNS, ID_STREAMS, ID_CONTROL, ID_QUADS,
       ID_COMPUTE, ID_REFUSED, ID_COUNTERS };

/* Words of the result of a statistics query. */
enum { IA_VERTICES, IA_PRIMITIVES, VS, GS, GS_PRIMITIVES, CLIPPING, CLIPPED, FS, PATCHES, TES, CS };

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer;
};

static void make_shaders(struct scene *s)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };
	const struct sundog_cmd_create_shader geometry = { .stage = SUNDOG_STAGE_GEOMETRY };
	const struct sundog_cmd_create_shader control = { .stage = SUNDOG_STAGE_TESS_CTRL,
							  .push_size = 4 };
	const struct sundog_cmd_create_shader eval = { .stage = SUNDOG_STAGE_TESS_EVAL };
	const struct sundog_cmd_create_shader compute = {
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};
	struct hostile *h = s->h;

	hostile_shader(h, ID_VERTEX, &vertex, strips_vert, sizeof(strips_vert));
	hostile_shader(h, ID_FRAGMENT, &fragment, column_frag, sizeof(column_frag));
	hostile_shader(h, ID_COLUMNS, &geometry, columns_geom, sizeof(columns_geom));
	hostile_shader(h, ID_STREAMS, &geometry, two_streams_geom, sizeof(two_streams_geom));
	hostile_shader(h, ID_CONTROL, &control, patch_tesc, sizeof(patch_tesc));
	hostile_shader(h, ID_QUADS, &eval, patch_quads, sizeof(patch_quads));
	hostile_shader(h, ID_COMPUTE, &compute, buffers_comp, sizeof(buffers_comp));
	hostile_shader(h, ID_REFUSED, &compute, strips_vert, sizeof(strips_vert));
	for (uint32_t i = 0; i < 2; i++)
		sundog_emit_create_feedback_counter(
			h->stream, &(struct sundog_cmd_create_feedback_counter){ ID_COUNTERS + i });
}

static const uint64_t *results(const struct scene *s)
{
	return (const uint64_t *)((char *)sdrm_bo_map(s->buffer) + RESULT);
}

static void begin(struct scene *s, uint32_t topology)
{
	const float level = 1.0f;
	uint32_t words[2] = { 0 };

	memset(sdrm_bo_map(s->buffer), 0, BUFFER_SIZE);
	memcpy(words, &level, sizeof(level));
	hostile_list(s->h, s->buffer);
	hostile_begin(s->h, topology);
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   words);
}

static void begin_query(struct scene *s, uint32_t i, uint32_t type, uint32_t stream,
			uint64_t offset)
{
	sundog_emit_begin_query(s->h->stream, &(struct sundog_cmd_begin_query){
		i, type, stream, sdrm_bo_mem(s->buffer), offset });
}

static void end_query(struct scene *s, uint32_t i)
{
	sundog_emit_end_query(s->h->stream, &(struct sundog_cmd_end_query){ i });
}

static void draw(struct scene *s, uint32_t count)
{
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ count, 1, 0, 0 });
}

static bool is(const char *name, uint64_t value, uint64_t expected)
{
	if (value != expected)
		printf("# %s: %llu, not %llu\n", name, (unsigned long long)value,
		       (unsigned long long)expected);
	return value == expected;
}

static bool counts_geometry(struct scene *s)
{
	const uint64_t *r = results(s);
	bool ok;

	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT, ID_COLUMNS } });
	begin_query(s, 0, SUNDOG_QUERY_TYPE_STATISTICS, 0, RESULT);
	draw(s, POINTS);
	end_query(s, 0);
	draw(s, POINTS);
	hostile_end(s->h);
	if (!hostile_runs(s->h))
		return false;
	ok = is("vertices", r[IA_VERTICES], POINTS) && is("primitives", r[IA_PRIMITIVES], POINTS) &&
	     is("vertex shaders", r[VS], POINTS) && is("geometry shaders", r[GS], POINTS) &&
	     is("triangles", r[GS_PRIMITIVES], 2 * POINTS) &&
	     is("triangles to clip", r[CLIPPING], 2 * POINTS) &&
	     is("patches", r[PATCHES], 0) && is("groups", r[CS], 0);
	printf("# %llu fragments\n", (unsigned long long)r[FS]);
	return ok && r[FS] >= POINTS * HOSTILE_HEIGHT;
}

static bool counts_patches(struct scene *s)
{
	const uint64_t *r = results(s);

	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST);
	sundog_emit_set_patch(s->h->stream, &(struct sundog_cmd_set_patch){ 1, 0 });
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT, 0, ID_CONTROL, ID_QUADS } });
	begin_query(s, 7, SUNDOG_QUERY_TYPE_STATISTICS, 0, RESULT);
	draw(s, POINTS);
	end_query(s, 7);
	hostile_end(s->h);
	return hostile_runs(s->h) && is("patches", r[PATCHES], POINTS) &&
	       is("points", r[TES], 4 * POINTS) &&
	       is("geometry shaders", r[GS], 0);
}

static bool counts_groups(struct scene *s)
{
	memset(sdrm_bo_map(s->buffer), 0, BUFFER_SIZE);
	hostile_list(s->h, s->buffer);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = ID_COMPUTE } });
	begin_query(s, 0, SUNDOG_QUERY_TYPE_STATISTICS, 0, RESULT);
	sundog_emit_dispatch(s->h->stream, &(struct sundog_cmd_dispatch){ { 3, 2, 1 } });
	end_query(s, 0);
	return hostile_runs(s->h) && is("invocations", results(s)[CS], 3 * 2 * 64) &&
	       is("vertices", results(s)[VS], 0);
}

/*
 * The host looks at the bound compute shader when the query begins. Here the only one was refused.
 */
static bool counts_without_shader(struct scene *s)
{
	const uint32_t words[2] = { 0 };

	memset(sdrm_bo_map(s->buffer), 0, BUFFER_SIZE);
	hostile_list(s->h, s->buffer);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = ID_REFUSED } });
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   words);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_STATISTICS, 0, RESULT);
	end_query(s, 0);
	return hostile_runs(s->h) && is("invocations", results(s)[CS], 0);
}

static void emit_streams(struct scene *s, uint32_t n)
{
	const struct sundog_mem mem = sdrm_bo_mem(s->buffer);
	const struct sundog_mem_range buffers[] = { { mem, FIRST, SECOND - FIRST },
						    { mem, SECOND, 24 } };

	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT, ID_STREAMS } });
	sundog_emit_bind_feedback_buffers(s->h->stream, &(struct sundog_cmd_bind_feedback_buffers){
		n }, buffers);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_FEEDBACK, 0, RESULT);
	begin_query(s, 1, SUNDOG_QUERY_TYPE_FEEDBACK, 1, RESULT + 16);
	begin_query(s, 2, SUNDOG_QUERY_TYPE_PRIMITIVES, 0, RESULT + 32);
	begin_query(s, 3, SUNDOG_QUERY_TYPE_PRIMITIVES, 1, RESULT + 40);
	sundog_emit_begin_feedback(s->h->stream, &(struct sundog_cmd_begin_feedback){
		0, { ID_COUNTERS, n > 1 ? ID_COUNTERS + 1 : 0 } });
	draw(s, POINTS);
	sundog_emit_end_feedback(s->h->stream);
	for (uint32_t i = 0; i < 4; i++)
		end_query(s, i);
	hostile_end(s->h);
}

/* The buffers have room for all vertices of stream 0, and for three of stream 1. */
static bool captures_streams(struct scene *s)
{
	const uint32_t *first = (const uint32_t *)((char *)sdrm_bo_map(s->buffer) + FIRST);
	const uint32_t *second = (const uint32_t *)((char *)sdrm_bo_map(s->buffer) + SECOND);
	const uint64_t *r = results(s);

	emit_streams(s, 2);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < POINTS; i++)
		if (!is("a point of stream 0", first[i], i) ||
		    !is("a column", hostile_pixels(s->h)[2 * (8 * HOSTILE_WIDTH + i)], i + 1))
			return false;
	for (uint32_t i = 0; i < 3; i++)
		if (!is("a point of stream 1", second[2 * i], i / 2) ||
		    !is("its second", second[2 * i + 1], 100 + i % 2))
			return false;
	return is("behind", second[6], 0) && is("of stream 0, written", r[0], POINTS) &&
	       is("of stream 0, needed", r[1], POINTS) && is("of stream 1, written", r[2], 3) &&
	       is("of stream 1, needed", r[3], 2 * POINTS) && is("of stream 0", r[4], POINTS) &&
	       is("of stream 1", r[5], 2 * POINTS);
}

/* Stream 1 has no buffer: its vertices are counted, and nothing is written for it. */
static bool counts_streams(struct scene *s)
{
	const uint32_t *first = (const uint32_t *)((char *)sdrm_bo_map(s->buffer) + FIRST);
	const uint64_t *r = results(s);

	memset(sdrm_bo_map(s->buffer), 0, BUFFER_SIZE);
	emit_streams(s, 1);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < (BUFFER_SIZE - FIRST) / 4; i++)
		if (!is("a dword behind the results", first[i], i < POINTS ? i : 0))
			return false;
	return is("of stream 0, written", r[0], POINTS) && is("of stream 1, written", r[2], 0) &&
	       is("of stream 1, needed", r[3], 2 * POINTS) && is("of stream 1", r[5], 2 * POINTS);
}

/* Invalid packets */

static void twice(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_STATISTICS, 0, RESULT);
	begin_query(s, 1, SUNDOG_QUERY_TYPE_STATISTICS, 0, RESULT);
}

static void stream_twice(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_PRIMITIVES, 1, RESULT);
	begin_query(s, 1, SUNDOG_QUERY_TYPE_PRIMITIVES, 1, RESULT);
}

static void stream_of_samples(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_OCCLUSION, 1, RESULT);
}

static void no_stream(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_PRIMITIVES, SUNDOG_MAX_STREAMS, RESULT);
}

static void past_the_end(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_STATISTICS, 0,
		    BUFFER_SIZE - 8 * (SUNDOG_NUM_STATISTICS - 1));
}

static void still_open(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_STATISTICS, 0, RESULT);
}

static const struct hostile_fault faults[] = {
	{ "two queries of statistics at once", twice, SUNDOG_FAULT_CODE_STATE },
	{ "two queries of a stream at once", stream_twice, SUNDOG_FAULT_CODE_STATE },
	{ "samples of a stream", stream_of_samples, SUNDOG_FAULT_CODE_FIELD },
	{ "a stream that there is not", no_stream, SUNDOG_FAULT_CODE_FIELD },
	{ "statistics past the end", past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "statistics that do not end", still_open, SUNDOG_FAULT_CODE_STATE },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	make_shaders(&s);
	hostile_need(s.h, "shaders");
	hostile_result(counts_geometry(&s), "statistics of points that become columns");
	hostile_result(counts_patches(&s), "statistics of patches");
	hostile_result(counts_groups(&s), "statistics of dispatches");
	hostile_result(counts_without_shader(&s),
		       "statistics with a compute shader that was refused");
	hostile_result(captures_streams(&s), "streams are captured and counted, each on its own");
	hostile_result(counts_streams(&s), "a stream without a buffer is counted, and not written");
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	sdrm_bo_del(s.buffer);
	hostile_del(s.h);
	return hostile_status();
}
