// SPDX-License-Identifier: MIT
/*
 * Tests transform feedback and its queries: captured data, counts, resumption in later entries, and
 * invalid packets. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "feedback.vert.h"
#include "hostile.h"
#include "number.vert.h"
#include "words.frag.h"

#define BUFFER_SIZE 65536u
#define PLACES 32768u			/* offset of the second buffer */
#define STRIDE 12u			/* of feedback.vert's buffers */
#define PLACE_STRIDE 16u
#define OFFSETS 3u			/* number of its outputs with an Offset decoration */
#define SPIRV_DECORATE 71u
#define SPIRV_OFFSET 35u

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_NUMBER, ID_COUNTERS, ID_MISSING = ID_COUNTERS + 4,
       ID_HOSTILE };

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer, *results;
};

/* The words of a vertex in the first buffer. */
struct vertex {
	uint32_t number;
	float constant[2];
};

static void make_objects(struct scene *s)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };
	struct hostile *h = s->h;

	hostile_shader(h, ID_VERTEX, &vertex, feedback_vert, sizeof(feedback_vert));
	hostile_shader(h, ID_NUMBER, &vertex, number_vert, sizeof(number_vert));
	hostile_shader(h, ID_FRAGMENT, &fragment, words_frag, sizeof(words_frag));
	for (uint32_t i = 0; i < 4; i++)
		sundog_emit_create_feedback_counter(
			h->stream, &(struct sundog_cmd_create_feedback_counter){ ID_COUNTERS + i });
}

static void clear(struct scene *s)
{
	uint32_t *words = sdrm_bo_map(s->buffer);

	for (uint32_t i = 0; i < BUFFER_SIZE / 4; i++)
		words[i] = CANARY;
	memset(sdrm_bo_map(s->results), 0, 4096);
}

/* Begins rendering with feedback.vert. */
static void begin(struct scene *s, uint32_t topology)
{
	struct hostile *h = s->h;

	hostile_list(h, s->buffer);
	hostile_list(h, s->results);
	hostile_begin(h, topology);
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
}

static void bind(struct scene *s, uint32_t size)
{
	const struct sundog_mem mem = sdrm_bo_mem(s->buffer);
	const struct sundog_mem_range ranges[2] = { { mem, 0, size }, { mem, PLACES, PLACES } };

	sundog_emit_bind_feedback_buffers(s->h->stream, &(struct sundog_cmd_bind_feedback_buffers){
		2 }, ranges);
}

static void feedback(struct scene *s, uint32_t resume)
{
	sundog_emit_begin_feedback(s->h->stream, &(struct sundog_cmd_begin_feedback){
		.resume = resume, .counters = { ID_COUNTERS, ID_COUNTERS + 1 } });
}

static void draw(struct scene *s, uint32_t first, uint32_t count)
{
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ count, 1, first, 0 });
}

static void query(struct scene *s, uint32_t number, enum sundog_query_type type, uint32_t word)
{
	sundog_emit_begin_query(s->h->stream, &(struct sundog_cmd_begin_query){
		.query = number, .type = type, .mem = sdrm_bo_mem(s->results),
		.offset = word * 8 });
}

static void end_query(struct scene *s, uint32_t number)
{
	sundog_emit_end_query(s->h->stream, &(struct sundog_cmd_end_query){ number });
}

static void timestamp(struct scene *s, uint32_t number, uint32_t word)
{
	sundog_emit_write_timestamp(s->h->stream, &(struct sundog_cmd_write_timestamp){
		.query = number, .mem = sdrm_bo_mem(s->results), .offset = word * 8 });
}

static const uint64_t *results(const struct scene *s)
{
	return sdrm_bo_map(s->results);
}

/* Returns true if both buffers have vertices @from to @to - 1 from vertex @at on. */
static bool has(const struct scene *s, uint32_t at, uint32_t from, uint32_t to)
{
	const struct vertex *v = (const struct vertex *)sdrm_bo_map(s->buffer) + at;
	const float (*place)[4] = (const float (*)[4])((char *)sdrm_bo_map(s->buffer) + PLACES) +
		at;

	for (uint32_t i = 0; i < to - from; i++) {
		const float expected[4] = { from + i, 0.0f, 2.0f, 3.0f };

		if (v[i].number != from + i || v[i].constant[0] != 0.5f ||
		    v[i].constant[1] != 0.25f ||
		    memcmp(place[i], expected, sizeof(expected))) {
			printf("# vertex %u is number %u, %g %g, at %g %g %g %g\n", at + i,
			       v[i].number,
			       v[i].constant[0], v[i].constant[1], place[i][0], place[i][1],
			       place[i][2], place[i][3]);
			return false;
		}
	}
	return true;
}

/* Returns true if nothing was written behind @vertices vertices. */
static bool ends(const struct scene *s, uint32_t vertices)
{
	const uint32_t *words = sdrm_bo_map(s->buffer);

	for (uint32_t i = vertices * STRIDE / 4; i < PLACES / 4; i++)
		if (words[i] != CANARY)
			return false;
	for (uint32_t i = (PLACES + vertices * PLACE_STRIDE) / 4; i < BUFFER_SIZE / 4; i++)
		if (words[i] != CANARY)
			return false;
	return true;
}

/* Captured data */

static bool writes(struct scene *s)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 1200);
	feedback(s, 0);
	draw(s, 0, 5);
	draw(s, 5, 2);
	sundog_emit_end_feedback(s->h->stream);
	draw(s, 50, 3);
	hostile_end(s->h);
	return hostile_runs(s->h) && has(s, 0, 0, 7) && ends(s, 7);
}

static bool resumes(struct scene *s)
{
	/* Resumes within a rendering, and in the next entry. */
	for (uint32_t i = 0; i < 2; i++) {
		begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
		bind(s, 1200);
		for (uint32_t k = 0; k < 2; k++) {
			feedback(s, i || k ? 3 : 0);
			draw(s, 10 * i + 5 * k, 5);
			sundog_emit_end_feedback(s->h->stream);
		}
		hostile_end(s->h);
		if (!hostile_runs(s->h))
			return false;
	}
	return has(s, 0, 0, 20) && ends(s, 20);
}

static bool starts_anew(struct scene *s)
{
	bool ok = true;

	for (uint32_t i = 0; i < 2; i++) {
		begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
		bind(s, 1200);
		feedback(s, 0);
		draw(s, 100 * i, 4 - i);
		sundog_emit_end_feedback(s->h->stream);
		hostile_end(s->h);
		ok = ok && hostile_runs(s->h);
	}
	return ok && has(s, 0, 100, 103) && has(s, 3, 3, 4) && ends(s, 4);
}

/* Emits feedback that starts at offset 0 of @size bytes. */
static void count_in(struct scene *s, uint32_t size)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, size);
	feedback(s, 0);
	draw(s, 0, 5);
	sundog_emit_end_feedback(s->h->stream);
}

/*
 * A counter can be resumed with the size of its last feedback, whatever other streams have faulted
 * since.
 */
static bool bears_faults(struct scene *s)
{
	count_in(s, 1200);
	hostile_end(s->h);
	count_in(s, 120);
	hostile_end(s->h);
	if (!hostile_runs(s->h))
		return false;
	hostile_fault_beside(s->h);
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 120);
	feedback(s, 3);
	draw(s, 5, 2);
	sundog_emit_end_feedback(s->h->stream);
	hostile_end(s->h);
	return hostile_runs(s->h) && has(s, 0, 0, 7) && ends(s, 7);
}

/* A primitive that does not fit is not captured at all, and neither are the following ones. */
static bool overflows(struct scene *s)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	bind(s, 8 * STRIDE);
	query(s, 0, SUNDOG_QUERY_TYPE_FEEDBACK, 0);
	query(s, 1, SUNDOG_QUERY_TYPE_PRIMITIVES, 2);
	feedback(s, 0);
	draw(s, 0, 12);
	sundog_emit_end_feedback(s->h->stream);
	end_query(s, 0);
	end_query(s, 1);
	hostile_end(s->h);
	if (!hostile_runs(s->h) || !has(s, 0, 0, 6) || !ends(s, 6))
		return false;
	printf("# %llu written, %llu needed, %llu made\n", (unsigned long long)results(s)[0],
	       (unsigned long long)results(s)[1], (unsigned long long)results(s)[2]);
	return results(s)[0] == 2 && results(s)[1] == 4 && results(s)[2] == 4;
}

/*
 * As if it had no room: nothing is captured of a shader that writes to another buffer, too, which
 * is not bound.
 */
static bool lacks_a_buffer(struct scene *s)
{
	const struct sundog_mem_range range = { sdrm_bo_mem(s->buffer), 0, 1200 };

	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_feedback_buffers(s->h->stream, &(struct sundog_cmd_bind_feedback_buffers){
		1 }, &range);
	sundog_emit_begin_feedback(s->h->stream,
				   &(struct sundog_cmd_begin_feedback){ 0, { ID_COUNTERS } });
	draw(s, 0, 3);
	sundog_emit_end_feedback(s->h->stream);
	hostile_end(s->h);
	return hostile_runs(s->h) && ends(s, 0);
}

/* Destroys a counter during its feedback and reuses its id before the feedback ends. */
static bool outlives_its_counter(struct scene *s)
{
	struct hostile *h = s->h;

	sundog_emit_create_feedback_counter(h->stream, &(struct sundog_cmd_create_feedback_counter){
		ID_MISSING });
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 1200);
	sundog_emit_begin_feedback(h->stream, &(struct sundog_cmd_begin_feedback){
		.counters = { ID_MISSING, ID_COUNTERS + 1 } });
	draw(s, 0, 3);
	for (uint32_t i = 0; i < 2; i++) {
		sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){
			.kind = SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER, .id = ID_MISSING });
		if (!i)
			sundog_emit_create_feedback_counter(
				h->stream,
				&(struct sundog_cmd_create_feedback_counter){ ID_MISSING });
	}
	draw(s, 3, 2);
	sundog_emit_end_feedback(h->stream);
	hostile_end(h);
	return hostile_runs(s->h) && has(s, 0, 0, 5) && ends(s, 5);
}

/* Draws each captured vertex as a point in its column. */
static bool draws_what_it_wrote(struct scene *s)
{
	const struct sundog_cmd_set_vertex_input input = {
		.n_bindings = 1, .bindings = { { .stride = STRIDE } }, .count = 1,
	};
	const struct sundog_vertex_attribute attribute = { .format = VK_FORMAT_R32_UINT };
	const struct sundog_buffer_binding vertices = { sdrm_bo_mem(s->buffer), 0 };
	struct hostile *h = s->h;
	const uint32_t *row;

	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 1200);
	feedback(s, 0);
	draw(s, 8, 5);
	draw(s, 40, 2);
	sundog_emit_end_feedback(h->stream);
	sundog_emit_end_rendering(h->stream);
	sundog_emit_barrier(h->stream, &(struct sundog_cmd_barrier){
		VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
		VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT,
		VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT });
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_set_vertex_input(h->stream, &input, &attribute);
	sundog_emit_bind_vertex_buffers(h->stream, &(struct sundog_cmd_bind_vertex_buffers){ 0, 1 },
					&vertices);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_NUMBER, ID_FRAGMENT } });
	sundog_emit_draw_feedback(h->stream, &(struct sundog_cmd_draw_feedback){
		ID_COUNTERS, STRIDE, 1, 0 });
	hostile_end(h);
	if (!hostile_runs(s->h))
		return false;
	row = hostile_pixels(h) + HOSTILE_HEIGHT / 2 * HOSTILE_WIDTH * 2;
	for (uint32_t x = 0; x < HOSTILE_WIDTH; x++) {
		const bool drawn = (x >= 8 && x < 13) || x == 40 || x == 41;

		if (row[x * 2] != (drawn ? 7u : 0u)) {
			printf("# column %u is %u\n", x, row[x * 2]);
			return false;
		}
	}
	return true;
}

/* A shader with an Offset decoration of -1 is refused: the host would take it for no offset. */
static bool no_offset(struct scene *s, uint32_t which)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const uint32_t id = ID_HOSTILE + which;
	const struct sundog_cmd_bind_shaders shaders = { { id, ID_FRAGMENT } };
	uint32_t code[sizeof(feedback_vert) / 4];
	struct hostile *h = s->h;
	size_t at = 5;

	memcpy(code, feedback_vert, sizeof(code));
	for (; at < sizeof(code) / 4; at += code[at] >> 16)
		if (code[at] == (4u << 16 | SPIRV_DECORATE) && code[at + 2] == SPIRV_OFFSET &&
		    !which--)
			break;
	if (at >= sizeof(code) / 4)
		return false;
	code[at + 3] = UINT32_MAX;
	hostile_shader(h, id, &vertex, code, sizeof(code));
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_shaders(h->stream, &shaders);
	bind(s, 1200);
	feedback(s, 0);
	draw(s, 0, 20);
	sundog_emit_end_feedback(h->stream);
	hostile_end(h);
	if (hostile_run(h)) {
		printf("# a shader with such an offset was taken\n");
		return false;
	}
	return hostile_fault(h) == SUNDOG_FAULT_CODE_SHADER && ends(s, 0);
}

static bool has_no_offset(struct scene *s)
{
	bool ok = true;

	for (uint32_t i = 0; i < OFFSETS; i++)
		ok &= no_offset(s, i);
	return ok;
}

/* Counts */

static bool counts_all_at_once(struct scene *s)
{
	const uint64_t *r = results(s);

	for (uint32_t i = 0; i < 2; i++) {
		begin(s, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
		bind(s, 1200);
		query(s, 0, SUNDOG_QUERY_TYPE_OCCLUSION, 0);
		query(s, 7, SUNDOG_QUERY_TYPE_PRIMITIVES, 1);
		draw(s, 0, 3);
		query(s, 3, SUNDOG_QUERY_TYPE_FEEDBACK, 2);
		feedback(s, 0);
		draw(s, 0, 3);
		sundog_emit_end_feedback(s->h->stream);
		end_query(s, 0);
		draw(s, 0, 3);
		end_query(s, 3);
		end_query(s, 7);
		hostile_end(s->h);
		if (!hostile_runs(s->h))
			return false;
	}
	printf("# %llu samples, %llu primitives, %llu of %llu written\n", (unsigned long long)r[0],
	       (unsigned long long)r[1], (unsigned long long)r[2], (unsigned long long)r[3]);
	return r[0] == 4 * HOSTILE_PIXELS && r[1] == 6 && r[2] == 2 && r[3] >= 2;
}

/*
 * Copies counts in the stream that overflows the buffers, and in the next one. Each copy writes one
 * word only.
 */
static bool copies_counts(struct scene *s)
{
	const struct sundog_mem mem = sdrm_bo_mem(s->results);
	const uint32_t *r = sdrm_bo_map(s->results);
	struct hostile *h = s->h;

	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 10 * STRIDE + 4);
	feedback(s, 0);
	draw(s, 0, 7);
	sundog_emit_end_feedback(h->stream);
	hostile_end(h);
	sundog_emit_copy_feedback_counter(h->stream, &(struct sundog_cmd_copy_feedback_counter){
		ID_COUNTERS, mem, 4 });
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 10 * STRIDE + 4);
	feedback(s, 3);
	draw(s, 7, 7);
	sundog_emit_end_feedback(h->stream);
	hostile_end(h);
	if (!hostile_runs(h))
		return false;
	hostile_list(h, s->results);
	sundog_emit_copy_feedback_counter(h->stream,
					  &(struct sundog_cmd_copy_feedback_counter){ ID_COUNTERS,
										      mem, 4092 });
	if (!hostile_runs(h))
		return false;
	printf("# %u bytes, %u in the end\n", r[1], r[1023]);
	return !r[0] && r[1] == 7 * STRIDE && !r[2] && !r[1022] && r[1023] == 10 * STRIDE;
}

static void load(struct scene *s, uint32_t counter, uint32_t word, uint32_t base, uint32_t limit)
{
	sundog_emit_load_feedback_counter(s->h->stream, &(struct sundog_cmd_load_feedback_counter){
		counter, sdrm_bo_mem(s->results), word * 4, base, limit });
}

/*
 * Captures @n vertices behind counters that both words of the results set, and copies the counters
 * behind them.
 */
static bool captures_loaded(struct scene *s, uint32_t n)
{
	const struct sundog_mem mem = sdrm_bo_mem(s->results);
	struct hostile *h = s->h;

	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 1200);
	load(s, ID_COUNTERS, 0, 0, 1200);
	load(s, ID_COUNTERS + 1, 1, 0, PLACES);
	feedback(s, 3);
	draw(s, 0, n);
	sundog_emit_end_feedback(h->stream);
	sundog_emit_copy_feedback_counter(h->stream, &(struct sundog_cmd_copy_feedback_counter){
		ID_COUNTERS, mem, 8 });
	hostile_end(h);
	sundog_emit_copy_feedback_counter(h->stream, &(struct sundog_cmd_copy_feedback_counter){
		ID_COUNTERS + 1, mem, 12 });
	return hostile_runs(h);
}

static bool loads_counts(struct scene *s)
{
	uint32_t *r = sdrm_bo_map(s->results);
	const uint32_t *words = sdrm_bo_map(s->buffer);

	r[0] = 3 * STRIDE;
	r[1] = 3 * PLACE_STRIDE;
	if (!captures_loaded(s, 4))
		return false;
	printf("# %u and %u bytes\n", r[2], r[3]);
	for (uint32_t i = 0; i < 3 * STRIDE / 4; i++)
		if (words[i] != CANARY)
			return false;
	return has(s, 3, 0, 4) && ends(s, 7) && r[2] == 7 * STRIDE && r[3] == 7 * PLACE_STRIDE &&
	       !r[4];
}

/* Counters that memory sets past the end of their buffers capture nothing. */
static bool limits_loads(struct scene *s)
{
	static const uint32_t wild[] = { 1193, 1199, 1200, 1201, 4096, 0x7ffffffc, 0x7fffffff,
					 0x80000000, 0xfffff000, 0xffffffff };
	uint32_t *r = sdrm_bo_map(s->results);

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		r[0] = wild[i];
		r[1] = UINT32_MAX;
		if (!captures_loaded(s, 4) || !ends(s, 0))
			return false;
		if (r[2] != (wild[i] < 1200 ? wild[i] & ~3u : 1200) || r[3] != PLACES) {
			printf("# %#x is loaded as %u, and all bits as %u\n", wild[i], r[2], r[3]);
			return false;
		}
	}
	return true;
}

/* Counts the points of draws by counters that were loaded outside of a rendering and in it. */
static bool draws_loaded(struct scene *s)
{
	const uint64_t *r = results(s);
	uint32_t *words = sdrm_bo_map(s->results);
	const struct sundog_cmd_draw_feedback draw = { ID_COUNTERS + 2, STRIDE, 1, 0 };
	struct hostile *h = s->h;

	words[512] = 7 * STRIDE + 4;
	hostile_list(h, s->results);
	load(s, ID_COUNTERS + 2, 512, STRIDE, UINT32_MAX);
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	query(s, 0, SUNDOG_QUERY_TYPE_PRIMITIVES, 0);
	sundog_emit_draw_feedback(h->stream, &draw);
	load(s, ID_COUNTERS + 2, 512, 0, 4 * STRIDE);
	sundog_emit_draw_feedback(h->stream, &draw);
	load(s, ID_COUNTERS + 2, 512, 1000, UINT32_MAX);
	sundog_emit_draw_feedback(h->stream, &draw);
	end_query(s, 0);
	hostile_end(h);
	if (!hostile_runs(h))
		return false;
	printf("# %llu points\n", (unsigned long long)r[0]);
	return r[0] == 6 + 4;
}

static bool tells_the_time(struct scene *s)
{
	const uint64_t *r = results(s);

	memset(sdrm_bo_map(s->results), 0xff, 4096);
	for (uint32_t i = 0; i < 2; i++) {
		hostile_list(s->h, s->results);
		timestamp(s, 0, 3 * i);
		begin(s, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
		draw(s, 0, 3);
		timestamp(s, 1, 3 * i + 1);
		hostile_end(s->h);
		timestamp(s, 2, 3 * i + 2);
		if (!hostile_runs(s->h))
			return false;
	}
	for (uint32_t i = 0; i < 6; i++)
		if (!r[i] || (i && r[i] < r[i - 1]) || r[i] - r[0] > 60000000000ull) {
			printf("# time %u is %llu, the first %llu\n", i, (unsigned long long)r[i],
			       (unsigned long long)r[0]);
			return false;
		}
	return true;
}

/* Invalid packets */

static void begin_and_bind(struct scene *s)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 1200);
}

static void no_buffers(struct scene *s)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	feedback(s, 0);
}

static void outside(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	bind(s, 1200);
	feedback(s, 0);
}

static void end_unbegun(struct scene *s)
{
	begin_and_bind(s);
	sundog_emit_end_feedback(s->h->stream);
}

static void begin_twice(struct scene *s)
{
	begin_and_bind(s);
	feedback(s, 0);
	feedback(s, 0);
}

static void left_on(struct scene *s)
{
	begin_and_bind(s);
	feedback(s, 0);
	sundog_emit_end_rendering(s->h->stream);
}

static void bind_while_on(struct scene *s)
{
	begin_and_bind(s);
	feedback(s, 0);
	bind(s, 1200);
}

static void with_counters(struct scene *s, uint32_t resume, uint32_t a, uint32_t b, uint32_t c)
{
	begin_and_bind(s);
	sundog_emit_begin_feedback(s->h->stream,
				   &(struct sundog_cmd_begin_feedback){ resume, { a, b, c } });
}

static void missing_counter(struct scene *s)
{
	with_counters(s, 0, ID_COUNTERS, ID_MISSING, 0);
}

static void shader_as_counter(struct scene *s)
{
	with_counters(s, 0, ID_COUNTERS, ID_VERTEX, 0);
}

static void counter_twice(struct scene *s)
{
	with_counters(s, 0, ID_COUNTERS, ID_COUNTERS, 0);
}

static void counter_of_nothing(struct scene *s)
{
	with_counters(s, 0, ID_COUNTERS, ID_COUNTERS + 1, ID_COUNTERS + 2);
}

static void resume_nothing(struct scene *s)
{
	with_counters(s, 4, ID_COUNTERS, ID_COUNTERS + 1, 0);
}

static void resume_less(struct scene *s)
{
	begin_and_bind(s);
	feedback(s, 0);
	sundog_emit_end_feedback(s->h->stream);
	bind(s, 1196);
	feedback(s, 1);
}

static void count_in_more(struct scene *s)
{
	count_in(s, 1200);
	hostile_end(s->h);
	hostile_need(s->h, "count");
	count_in(s, 120);
	count_in(s, 120);
}

/* The last stream that used the counter with a smaller size ended in a fault. */
static void resume_after_fault(struct scene *s)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(s, 1196);
	feedback(s, 1);
	sundog_emit_end_feedback(s->h->stream);
	hostile_end(s->h);
}

static void bind_range(struct scene *s, uint64_t offset, uint64_t size)
{
	const struct sundog_mem_range range = { sdrm_bo_mem(s->buffer), offset, size };

	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_feedback_buffers(s->h->stream, &(struct sundog_cmd_bind_feedback_buffers){
		1 }, &range);
}

static void past_the_end(struct scene *s)
{
	bind_range(s, 4, BUFFER_SIZE);
}

static void wrapping(struct scene *s)
{
	bind_range(s, 4096, UINT64_MAX - 4091);
}

static void odd_offset(struct scene *s)
{
	bind_range(s, 2, 1200);
}

static void odd_size(struct scene *s)
{
	bind_range(s, 0, 1202);
}

static void read_only(struct scene *s)
{
	const struct sundog_mem_range range = { sdrm_bo_mem(s->buffer), 0, 1200 };

	sdrm_submit_add(s->h->submit, s->buffer, SUNDOG_ACCESS_READ);
	sundog_emit_bind_feedback_buffers(s->h->stream, &(struct sundog_cmd_bind_feedback_buffers){
		1 }, &range);
}

/* The shader writes two buffers, and only one is bound. */
static void unbound_buffer(struct scene *s)
{
	const struct sundog_mem_range ranges[2] = { [1] = { sdrm_bo_mem(s->buffer), 0, 1200 } };

	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_bind_feedback_buffers(s->h->stream, &(struct sundog_cmd_bind_feedback_buffers){
		2 }, ranges);
	sundog_emit_begin_feedback(s->h->stream,
				   &(struct sundog_cmd_begin_feedback){ 0, { 0, ID_COUNTERS } });
	draw(s, 0, 3);
}

static void shader_without(struct scene *s)
{
	begin_and_bind(s);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_NUMBER, ID_FRAGMENT } });
	feedback(s, 0);
	draw(s, 0, 3);
}

static void draw_counter(struct scene *s, uint32_t counter, uint32_t stride, uint32_t instances)
{
	begin_and_bind(s);
	feedback(s, 0);
	sundog_emit_draw_feedback(s->h->stream,
				  &(struct sundog_cmd_draw_feedback){ counter, stride, instances,
								      0xffffff00 });
}

static void draw_counting(struct scene *s)
{
	draw_counter(s, ID_COUNTERS, STRIDE, 1);
}

static void draw_missing(struct scene *s)
{
	draw_counter(s, ID_MISSING, STRIDE, 1);
}

static void draw_odd_stride(struct scene *s)
{
	draw_counter(s, ID_COUNTERS + 2, 6, 1);
}

static void draw_no_stride(struct scene *s)
{
	draw_counter(s, ID_COUNTERS + 2, 0, 1);
}

static void draw_wrapping_instances(struct scene *s)
{
	draw_counter(s, ID_COUNTERS + 2, STRIDE, 0x1000);
}

static void copy_count(struct scene *s, uint32_t counter, struct sundog_mem mem, uint64_t offset)
{
	sundog_emit_copy_feedback_counter(s->h->stream, &(struct sundog_cmd_copy_feedback_counter){
		.counter = counter, .mem = mem, .offset = offset });
}

static void copy_while_on(struct scene *s)
{
	begin_and_bind(s);
	hostile_list(s->h, s->results);
	feedback(s, 0);
	copy_count(s, ID_COUNTERS, sdrm_bo_mem(s->results), 0);
}

static void copy_missing(struct scene *s)
{
	hostile_list(s->h, s->results);
	copy_count(s, ID_MISSING, sdrm_bo_mem(s->results), 0);
}

static void copy_of_a_shader(struct scene *s)
{
	hostile_list(s->h, s->results);
	copy_count(s, ID_FRAGMENT, sdrm_bo_mem(s->results), 0);
}

static void copy_past_the_end(struct scene *s)
{
	hostile_list(s->h, s->results);
	copy_count(s, ID_COUNTERS, sdrm_bo_mem(s->results), sdrm_bo_size(s->results));
}

static void copy_far_out(struct scene *s)
{
	hostile_list(s->h, s->results);
	copy_count(s, ID_COUNTERS, sdrm_bo_mem(s->results), UINT64_MAX - 3);
}

static void copy_odd(struct scene *s)
{
	hostile_list(s->h, s->results);
	copy_count(s, ID_COUNTERS, sdrm_bo_mem(s->results), 2);
}

static void copy_unlisted(struct scene *s)
{
	copy_count(s, ID_COUNTERS, sdrm_bo_mem(s->results), 0);
}

static void copy_to_read_only(struct scene *s)
{
	sdrm_submit_add(s->h->submit, s->results, SUNDOG_ACCESS_READ);
	copy_count(s, ID_COUNTERS, sdrm_bo_mem(s->results), 0);
}

static void load_while_on(struct scene *s)
{
	begin_and_bind(s);
	hostile_list(s->h, s->results);
	feedback(s, 0);
	load(s, ID_COUNTERS, 0, 0, 1200);
}

static void load_missing(struct scene *s)
{
	hostile_list(s->h, s->results);
	load(s, ID_MISSING, 0, 0, 1200);
}

static void load_to_a_shader(struct scene *s)
{
	hostile_list(s->h, s->results);
	load(s, ID_FRAGMENT, 0, 0, 1200);
}

static void load_past_the_end(struct scene *s)
{
	hostile_list(s->h, s->results);
	load(s, ID_COUNTERS, 1024, 0, 1200);
}

static void load_odd(struct scene *s)
{
	hostile_list(s->h, s->results);
	sundog_emit_load_feedback_counter(s->h->stream, &(struct sundog_cmd_load_feedback_counter){
		ID_COUNTERS, sdrm_bo_mem(s->results), 2, 0, 1200 });
}

static void load_unlisted(struct scene *s)
{
	load(s, ID_COUNTERS, 0, 0, 1200);
}

static void load_write_only(struct scene *s)
{
	sdrm_submit_add(s->h->submit, s->results, SUNDOG_ACCESS_WRITE);
	load(s, ID_COUNTERS, 0, 0, 1200);
}

static void resume_below_the_limit(struct scene *s)
{
	begin_and_bind(s);
	hostile_list(s->h, s->results);
	load(s, ID_COUNTERS, 0, 0, 1204);
	feedback(s, 1);
}

static void two_of_a_type(struct scene *s)
{
	hostile_list(s->h, s->results);
	query(s, 0, SUNDOG_QUERY_TYPE_OCCLUSION, 0);
	query(s, 1, SUNDOG_QUERY_TYPE_OCCLUSION_BOOL, 0);
}

static void number_twice(struct scene *s)
{
	hostile_list(s->h, s->results);
	query(s, 0, SUNDOG_QUERY_TYPE_PRIMITIVES, 0);
	end_query(s, 0);
	timestamp(s, 0, 0);
}

static void time_twice(struct scene *s)
{
	hostile_list(s->h, s->results);
	timestamp(s, 0, 0);
	timestamp(s, 0, 1);
}

static void end_time(struct scene *s)
{
	hostile_list(s->h, s->results);
	timestamp(s, 0, 0);
	end_query(s, 0);
}

static void two_words_at_the_end(struct scene *s)
{
	hostile_list(s->h, s->results);
	query(s, 0, SUNDOG_QUERY_TYPE_FEEDBACK, 511);
}

static void time_past_the_end(struct scene *s)
{
	hostile_list(s->h, s->results);
	timestamp(s, 0, 512);
}

static void odd_time(struct scene *s)
{
	hostile_list(s->h, s->results);
	sundog_emit_write_timestamp(s->h->stream, &(struct sundog_cmd_write_timestamp){
		.mem = sdrm_bo_mem(s->results), .offset = 4 });
}

static const struct hostile_fault faults[] = {
	{ "feedback without buffers", no_buffers, SUNDOG_FAULT_CODE_STATE },
	{ "feedback outside of renderings", outside, SUNDOG_FAULT_CODE_STATE },
	{ "an end of nothing", end_unbegun, SUNDOG_FAULT_CODE_STATE },
	{ "feedback that begins twice", begin_twice, SUNDOG_FAULT_CODE_STATE },
	{ "a rendering that ends before its feedback", left_on, SUNDOG_FAULT_CODE_STATE },
	{ "other buffers while feedback is on", bind_while_on, SUNDOG_FAULT_CODE_STATE },
	{ "a counter that is missing", missing_counter, SUNDOG_FAULT_CODE_OBJECT },
	{ "a shader for a counter", shader_as_counter, SUNDOG_FAULT_CODE_OBJECT },
	{ "one counter for two buffers", counter_twice, SUNDOG_FAULT_CODE_OBJECT },
	{ "a counter for no buffer", counter_of_nothing, SUNDOG_FAULT_CODE_FIELD },
	{ "no buffer that is resumed", resume_nothing, SUNDOG_FAULT_CODE_FIELD },
	{ "a counter that is resumed in less", resume_less, SUNDOG_FAULT_CODE_OBJECT },
	{ "a count in less, and a rendering in another", count_in_more, SUNDOG_FAULT_CODE_STATE },
	{ "a counter that is resumed in less after that", resume_after_fault,
	  SUNDOG_FAULT_CODE_OBJECT },
	{ "a range past the end", past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a range that wraps around", wrapping, SUNDOG_FAULT_CODE_RANGE },
	{ "an odd offset", odd_offset, SUNDOG_FAULT_CODE_RANGE },
	{ "an odd size", odd_size, SUNDOG_FAULT_CODE_RANGE },
	{ "memory that is listed for reading", read_only, SUNDOG_FAULT_CODE_ACCESS },
	{ "a shader that writes a buffer before a bound one", unbound_buffer,
	  SUNDOG_FAULT_CODE_STATE },
	{ "a shader that writes none", shader_without, SUNDOG_FAULT_CODE_STATE },
	{ "a draw from a counter in use", draw_counting, SUNDOG_FAULT_CODE_OBJECT },
	{ "a draw from no counter", draw_missing, SUNDOG_FAULT_CODE_OBJECT },
	{ "a draw with an odd stride", draw_odd_stride, SUNDOG_FAULT_CODE_FIELD },
	{ "a draw without a stride", draw_no_stride, SUNDOG_FAULT_CODE_FIELD },
	{ "a draw of too many instances", draw_wrapping_instances, SUNDOG_FAULT_CODE_FIELD },
	{ "a count that is copied while it counts", copy_while_on, SUNDOG_FAULT_CODE_OBJECT },
	{ "a count of no counter", copy_missing, SUNDOG_FAULT_CODE_OBJECT },
	{ "a count of a shader", copy_of_a_shader, SUNDOG_FAULT_CODE_OBJECT },
	{ "a count past the end", copy_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a count that wraps around", copy_far_out, SUNDOG_FAULT_CODE_RANGE },
	{ "a count at an odd place", copy_odd, SUNDOG_FAULT_CODE_RANGE },
	{ "a count to memory that is not listed", copy_unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a count to memory that is listed for reading", copy_to_read_only,
	  SUNDOG_FAULT_CODE_ACCESS },
	{ "a count that is loaded while it counts", load_while_on, SUNDOG_FAULT_CODE_OBJECT },
	{ "a load to no counter", load_missing, SUNDOG_FAULT_CODE_OBJECT },
	{ "a load to a shader", load_to_a_shader, SUNDOG_FAULT_CODE_OBJECT },
	{ "a load from past the end", load_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a load from an odd place", load_odd, SUNDOG_FAULT_CODE_RANGE },
	{ "a load from memory that is not listed", load_unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a load from memory that is listed for writing", load_write_only,
	  SUNDOG_FAULT_CODE_ACCESS },
	{ "a counter that is resumed in less than its limit", resume_below_the_limit,
	  SUNDOG_FAULT_CODE_OBJECT },
	{ "two open queries of a type", two_of_a_type, SUNDOG_FAULT_CODE_STATE },
	{ "a query with a number that was used", number_twice, SUNDOG_FAULT_CODE_STATE },
	{ "a time with a number that was used", time_twice, SUNDOG_FAULT_CODE_STATE },
	{ "the end of a time", end_time, SUNDOG_FAULT_CODE_STATE },
	{ "two words where one is left", two_words_at_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a time past the end", time_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a time at an odd place", odd_time, SUNDOG_FAULT_CODE_RANGE },
};

int main(void)
{
	static const struct {
		const char *name;
		bool (*passes)(struct scene *s);
	} tests[] = {
		{ "vertices are written", writes }, { "a counter goes on where it was", resumes },
		{ "a counter bears faults of others", bears_faults },
		{ "feedback starts anew", starts_anew },
		{ "what does not fit is not written", overflows },
		{ "nothing is captured if the shader's last buffer is not bound", lacks_a_buffer },
		{ "a counter may go before its feedback", outlives_its_counter },
		{ "what was written is drawn", draws_what_it_wrote },
		{ "no offset is one", has_no_offset },
		{ "queries of all types count at once and add up", counts_all_at_once },
		{ "counts are copied to memory", copies_counts },
		{ "counts are loaded from memory", loads_counts },
		{ "counts past the end capture nothing", limits_loads },
		{ "as many vertices as memory says are drawn", draws_loaded },
		{ "time goes on", tells_the_time },
	};
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	s.results = hostile_bo(s.h, 4096);
	hostile_guard_back(s.h);
	make_objects(&s);
	hostile_need(s.h, "shaders and counters");
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		clear(&s);
		hostile_result(tests[i].passes(&s), "%s", tests[i].name);
	}
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	sdrm_bo_del(s.buffer);
	sdrm_bo_del(s.results);
	hostile_del(s.h);
	return hostile_status();
}
