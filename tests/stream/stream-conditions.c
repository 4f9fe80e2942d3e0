// SPDX-License-Identifier: MIT
/*
 * Tests query values: computation from results, copies, conditional rendering, and invalid packets.
 * Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "buffers.comp.h"
#include "hostile.h"
#include "strips.vert.h"
#include "words.frag.h"

#define BUFFER_SIZE 65536u
#define RESULT 4096u			/* offset of the first result in bytes */
#define OUT 8192u			/* offset of the first copied value */
#define WORDS 16384u			/* offset of the output of the dispatches */
#define MANY 0x7ffffffffull		/* needs more than 32 bits */

#define SMALL_SIZE (1u << 20)		/* more than any layout takes */

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_COMPUTE, ID_SMALL };

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer, *small;
};

static void make_shaders(struct scene *s)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };
	const struct sundog_cmd_create_shader compute = {
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = 8, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 16, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};

	hostile_shader(s->h, ID_VERTEX, &vertex, strips_vert, sizeof(strips_vert));
	hostile_shader(s->h, ID_FRAGMENT, &fragment, words_frag, sizeof(words_frag));
	hostile_shader(s->h, ID_COMPUTE, &compute, buffers_comp, sizeof(buffers_comp));
}

static void *at(const struct scene *s, uint32_t offset)
{
	return (char *)sdrm_bo_map(s->buffer) + offset;
}

static uint64_t *result(const struct scene *s, uint32_t i)
{
	return (uint64_t *)at(s, RESULT) + i;
}

static const uint32_t *out(const struct scene *s, uint32_t i)
{
	return (const uint32_t *)at(s, OUT) + i;
}

static bool is(const char *name, uint64_t value, uint64_t expected)
{
	if (value != expected)
		printf("# %s: %llu, not %llu\n", name, (unsigned long long)value,
		       (unsigned long long)expected);
	return value == expected;
}

/* Packets */

static void clear(struct scene *s)
{
	memset(sdrm_bo_map(s->buffer), 0, BUFFER_SIZE);
	memset(at(s, OUT), 0xff, 64);
	hostile_list(s->h, s->buffer);
}

static void begin_query(struct scene *s, uint32_t i, uint32_t type, uint32_t word)
{
	sundog_emit_begin_query(s->h->stream, &(struct sundog_cmd_begin_query){
		i, type, 0, sdrm_bo_mem(s->buffer), RESULT + 8 * word });
}

static void end_query(struct scene *s, uint32_t i)
{
	sundog_emit_end_query(s->h->stream, &(struct sundog_cmd_end_query){ i });
}

static void draw(struct scene *s, uint32_t points)
{
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ points, 1, 0, 0 });
}

/* Begins rendering of points, all at one position. */
static void begin(struct scene *s)
{
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT, [SUNDOG_STAGE_COMPUTE] = ID_COMPUTE } });
}

static void end(struct scene *s)
{
	sundog_emit_end_rendering(s->h->stream);
}

/* Records query @i with @points points that pass. Its result is added to word @word. */
static void count(struct scene *s, uint32_t i, uint32_t points, uint32_t word)
{
	begin(s);
	begin_query(s, i, SUNDOG_QUERY_TYPE_OCCLUSION, word);
	draw(s, points);
	end_query(s, i);
	end(s);
}

static struct sundog_mem_word word_at(const struct scene *s, uint32_t i)
{
	return (struct sundog_mem_word){ sdrm_bo_mem(s->buffer), RESULT + 8 * i };
}

/* Computes a value of @n words from @first on. */
static void compute(struct scene *s, uint32_t value, uint32_t operation, uint32_t first,
		    uint32_t added, uint32_t n)
{
	struct sundog_mem_word words[SUNDOG_MAX_QUERY_WORDS];

	for (uint32_t i = 0; i < n; i++)
		words[i] = word_at(s, first + i);
	sundog_emit_compute_query_value(s->h->stream, &(struct sundog_cmd_compute_query_value){
		value, operation, added, n }, words);
}

static void compute_one(struct scene *s, uint32_t value, struct sundog_mem mem, uint64_t offset)
{
	sundog_emit_compute_query_value(s->h->stream,
					&(struct sundog_cmd_compute_query_value){ value, 0, 1, 1 },
					&(struct sundog_mem_word){ mem, offset });
}

static void copy_to(struct scene *s, uint32_t value, uint32_t type, struct sundog_mem mem,
		    uint64_t offset)
{
	sundog_emit_copy_query_value(s->h->stream, &(struct sundog_cmd_copy_query_value){
		value, type, mem, offset });
}

static void copy(struct scene *s, uint32_t value, uint32_t type, uint32_t word)
{
	copy_to(s, value, type, sdrm_bo_mem(s->buffer), OUT + 4 * word);
}

static void begin_condition(struct scene *s, uint32_t value, uint32_t inverted)
{
	sundog_emit_begin_condition(s->h->stream, &(struct sundog_cmd_begin_condition){
		value, inverted });
}

static void end_condition(struct scene *s)
{
	sundog_emit_end_condition(s->h->stream);
}

static void begin_memory_condition(struct scene *s, uint64_t offset, uint32_t inverted)
{
	sundog_emit_begin_memory_condition(s->h->stream,
					   &(struct sundog_cmd_begin_memory_condition){
		sdrm_bo_mem(s->buffer), offset, inverted });
}

/* Computed values */

static bool adds_up(struct scene *s)
{
	clear(s);
	*result(s, 0) = 1000;
	count(s, 0, 5, 0);
	count(s, 1, 3, 1);
	count(s, 2, 4, 0);
	compute(s, 0, SUNDOG_QUERY_VALUE_DIFFERENCE, 0, 2, 2);
	compute(s, 1, SUNDOG_QUERY_VALUE_DIFFERENCE, 0, 1, 2);
	compute(s, 2, SUNDOG_QUERY_VALUE_DIFFER, 0, 1, 2);
	compute(s, 3, SUNDOG_QUERY_VALUE_DIFFER, 2, 1, 2);
	compute(s, 4, SUNDOG_QUERY_VALUE_DIFFERENCE, 1, 0, 1);
	for (uint32_t i = 0; i < 4; i++)
		copy(s, i, SUNDOG_QUERY_VALUE_TYPE_U32, i);
	copy(s, 4, SUNDOG_QUERY_VALUE_TYPE_U64, 4);
	return hostile_runs(s->h) && is("a sum", *out(s, 0), 1012) &&
	       is("a difference", *out(s, 1), 1006) &&
	       is("what differs", *out(s, 2), 1) && is("what does not", *out(s, 3), 0) &&
	       is("what is below 0", *out(s, 4), -3u) && is("its upper half", *out(s, 5), -1u) &&
	       is("what is behind", *out(s, 6), -1u) && is("the result", *result(s, 0), 1009);
}

/*
 * The value includes the results of this entry and of the ones before, which may still be running.
 */
static bool adds_entries(struct scene *s)
{
	bool ok = true;

	clear(s);
	for (uint32_t i = 0; i < 6; i++) {
		hostile_list(s->h, s->buffer);
		count(s, 7, 3, 0);
		compute(s, 9, SUNDOG_QUERY_VALUE_DIFFERENCE, 0, 1, 1);
		copy(s, 9, SUNDOG_QUERY_VALUE_TYPE_U32, i);
		if (i < 5)
			sdrm_submit_flush(s->h->submit, -1, NULL);
	}
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < 6; i++)
		ok &= is("a sum", *out(s, i), 3 * (i + 1));
	return ok && is("the result", *result(s, 0), 18);
}

/* Computes the value once without and once with a query that is still to be counted. */
static bool caps(struct scene *s)
{
	bool ok = true;

	for (uint32_t points = 0; points < 2; points++) {
		clear(s);
		*result(s, 0) = MANY;
		if (points)
			count(s, 0, 1, 0);
		compute(s, 0, SUNDOG_QUERY_VALUE_DIFFERENCE, 0, 1, 1);
		copy(s, 0, SUNDOG_QUERY_VALUE_TYPE_U32, 0);
		copy(s, 0, SUNDOG_QUERY_VALUE_TYPE_I32, 1);
		copy(s, 0, SUNDOG_QUERY_VALUE_TYPE_U64, 3);
		if (!hostile_runs(s->h))
			return false;
		ok &= is("unsigned", *out(s, 0), UINT32_MAX) &&
		      is("signed", *out(s, 1), INT32_MAX) &&
		      is("beside", *out(s, 2), UINT32_MAX) &&
		      is("low", *out(s, 3), (uint32_t)(MANY + points)) &&
		      is("high", *out(s, 4), (MANY + points) >> 32);
	}
	return ok;
}

/*
 * The bindings and push constants of a shader survive the computation of a value, which the device
 * may do with a shader of its own.
 */
static bool leaves_state(struct scene *s)
{
	const uint32_t store[2] = { 0, 2 };
	const struct sundog_mem_range range = { sdrm_bo_mem(s->buffer), WORDS, 4096 };

	clear(s);
	count(s, 0, 5, 0);
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   store);
	sundog_emit_bind_ssbos(s->h->stream, &(struct sundog_cmd_bind_ssbos){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &range);
	compute(s, 0, SUNDOG_QUERY_VALUE_DIFFERENCE, 0, 1, 1);
	sundog_emit_dispatch(s->h->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	return hostile_runs(s->h) && is("the first word", *(uint32_t *)at(s, WORDS), 0) &&
	       is("a word that is stored", *(uint32_t *)at(s, WORDS + 8), 7);
}

/*
 * The condition is a word that the same entry writes. Its value at the time of the dispatch counts.
 */
static bool decides_by_memory(struct scene *s, uint32_t word, uint32_t inverted)
{
	const uint32_t store[2] = { 0, 2 };
	const struct sundog_mem_range range = { sdrm_bo_mem(s->buffer), WORDS, 4096 };
	const struct sundog_cmd_barrier barrier = {
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT,
	};

	clear(s);
	*(uint32_t *)at(s, OUT) = !word;
	sundog_emit_fill_buffer(s->h->stream, &(struct sundog_cmd_fill_buffer){
		{ sdrm_bo_mem(s->buffer), OUT, 4 }, word });
	sundog_emit_barrier(s->h->stream, &barrier);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = ID_COMPUTE } });
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   store);
	sundog_emit_bind_ssbos(s->h->stream, &(struct sundog_cmd_bind_ssbos){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &range);
	begin_memory_condition(s, OUT, inverted);
	sundog_emit_dispatch(s->h->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	end_condition(s);
	return hostile_runs(s->h) &&
	       is("a dispatch", *(uint32_t *)at(s, WORDS + 8) != 0, (word != 0) != inverted);
}

/* A condition covers a draw, a clear of the first pixel and a dispatch. */
static bool decides_on(struct scene *s, uint32_t points, uint32_t inverted, bool early)
{
	const bool done = (points != 0) != inverted;
	const uint32_t store[2] = { 0, 2 };
	const struct sundog_mem_range range = { sdrm_bo_mem(s->buffer), WORDS, 4096 };
	const struct sundog_cmd_clear_attachments first = { .rect = { 0, 0, 1, 1 }, .layers = 1,
							    .count = 1 };
	const struct sundog_clear_attachment color = { .aspect = SUNDOG_ASPECT_COLOR,
						       .clear = { 3, 4 } };
	const uint32_t *pixels = hostile_pixels(s->h), middle = 2 * (8 * HOSTILE_WIDTH + 32);
	bool drawn;

	clear(s);
	count(s, 0, points, 0);
	if (early) {
		sdrm_submit_flush(s->h->submit, -1, NULL);
		hostile_list(s->h, s->buffer);
	}
	compute(s, 31, SUNDOG_QUERY_VALUE_DIFFERENCE, 0, 1, 1);
	/* The value was computed before, so this has no effect on it. */
	sundog_emit_fill_buffer(s->h->stream, &(struct sundog_cmd_fill_buffer){
		{ sdrm_bo_mem(s->buffer), RESULT, 8 }, points ? 0 : 1 });
	begin(s);
	begin_condition(s, 31, inverted);
	draw(s, 1);
	sundog_emit_clear_attachments(s->h->stream, &first, &color);
	end_condition(s);
	hostile_end(s->h);
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   store);
	sundog_emit_bind_ssbos(s->h->stream, &(struct sundog_cmd_bind_ssbos){
		SUNDOG_STAGE_COMPUTE, 0, 1 }, &range);
	begin_condition(s, 31, inverted);
	sundog_emit_dispatch(s->h->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	end_condition(s);
	if (!hostile_runs(s->h))
		return false;
	drawn = pixels[middle] == 7 || pixels[middle - 2] == 7 ||
		pixels[middle - 2 * HOSTILE_WIDTH] == 7 ||
		pixels[middle - 2 * HOSTILE_WIDTH - 2] == 7;
	return is("a draw", drawn, done) && is("a clear", pixels[0], done ? 3 : 0) &&
	       is("a dispatch", *(uint32_t *)at(s, WORDS + 8), done ? 7 : 0);
}

static bool decides(struct scene *s)
{
	for (uint32_t i = 0; i < 8; i++)
		if (!decides_on(s, i & 1 ? 2 : 0, i >> 1 & 1, i >> 2))
			return false;
	return true;
}

/* Makes an image of half the target's size, filled with 0xff bytes. */
static void make_small(struct scene *s)
{
	const struct sundog_cmd_create_image image = {
		.id = ID_SMALL, .mem = sdrm_bo_mem(s->small), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32G32_UINT,
		.extent = { HOSTILE_WIDTH / 2, HOSTILE_HEIGHT / 2, 1 },
		.levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_TRANSFER_DST | SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
	};

	memset(sdrm_bo_map(s->small), 0xff, SMALL_SIZE);
	hostile_list(s->h, s->small);
	sundog_emit_create_image(s->h->stream, &image);
}

static void barrier(struct scene *s)
{
	sundog_emit_barrier(s->h->stream, &(struct sundog_cmd_barrier){
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT |
		VK_ACCESS_2_MEMORY_WRITE_BIT });
}

/* Blits the target, which was cleared to threes and fours before, to the small image. */
static void blit_small(struct scene *s)
{
	const struct sundog_cmd_blit_image blit = {
		.src = { .image = HOSTILE_TARGET, .aspect = SUNDOG_ASPECT_COLOR },
		.src_end = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 },
		.dst = { .image = ID_SMALL, .aspect = SUNDOG_ASPECT_COLOR },
		.dst_end = { HOSTILE_WIDTH / 2, HOSTILE_HEIGHT / 2, 1 },
	};
	const struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = sdrm_bo_mem(s->buffer), .offset = WORDS,
		.src = { .image = ID_SMALL, .aspect = SUNDOG_ASPECT_COLOR },
		.extent = { HOSTILE_WIDTH / 2, HOSTILE_HEIGHT / 2, 1 },
	};

	barrier(s);
	sundog_emit_blit_image(s->h->stream, &blit);
	barrier(s);
	sundog_emit_copy_image_to_buffer(s->h->stream, &copy);
	barrier(s);
}

/* A condition does not cover blits, copies and load operations. */
static bool leaves_alone(struct scene *s)
{
	const struct sundog_cmd_clear_attachments all = {
		.rect = { 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT }, .layers = 1, .count = 1 };
	const struct sundog_clear_attachment color = { .aspect = SUNDOG_ASPECT_COLOR,
						       .clear = { 3, 4 } };
	const uint32_t *pixels = hostile_pixels(s->h), *small = at(s, WORDS);
	const uint32_t last = HOSTILE_PIXELS * 2 - 1, last_small = HOSTILE_PIXELS / 2 - 1;

	clear(s);
	memset(sdrm_bo_map(s->h->readback), 0xff, HOSTILE_PIXELS * 8);
	make_small(s);
	compute(s, 0, SUNDOG_QUERY_VALUE_DIFFERENCE, 0, 1, 1);
	begin(s);
	sundog_emit_clear_attachments(s->h->stream, &all, &color);
	end(s);
	begin_condition(s, 0, 0);
	blit_small(s);
	begin(s);
	draw(s, 1);
	hostile_end(s->h);
	end_condition(s);
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE, ID_SMALL });
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i <= last; i++)
		if (!is("a clear by load operation", pixels[i], 0))
			return false;
	return is("a blit", small[0], 3) && is("its end", small[last_small], 4);
}

/* Invalid packets */

static void same_value(struct scene *s)
{
	clear(s);
	compute(s, 3, 0, 0, 1, 1);
	compute(s, 3, 0, 0, 1, 1);
}

static void more_added(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 2, 1);
}

static void no_operation(struct scene *s)
{
	clear(s);
	compute(s, 0, 2, 0, 1, 1);
}

static void no_number(struct scene *s)
{
	clear(s);
	compute(s, SUNDOG_MAX_QUERY_VALUES, 0, 0, 1, 1);
}

/* The words are the same, but the terms (words and queries) exceed the limit. */
static void too_many_terms(struct scene *s)
{
	const struct sundog_mem_word words[2] = { word_at(s, 0), word_at(s, 0) };

	clear(s);
	begin(s);
	for (uint32_t i = 0; i < 40; i++) {
		begin_query(s, i, SUNDOG_QUERY_TYPE_OCCLUSION, 0);
		end_query(s, i);
	}
	end(s);
	sundog_emit_compute_query_value(s->h->stream,
					&(struct sundog_cmd_compute_query_value){ 0, 0, 2, 2 },
					words);
}

static void not_listed(struct scene *s)
{
	clear(s);
	compute_one(s, 0, sdrm_bo_mem(s->h->front), 0);
}

static void no_memory(struct scene *s)
{
	clear(s);
	compute_one(s, 0, (struct sundog_mem){ 0, 0xfffff }, 0);
}

static void word_past_the_end(struct scene *s)
{
	clear(s);
	compute_one(s, 0, sdrm_bo_mem(s->buffer), BUFFER_SIZE);
}

static void word_that_wraps(struct scene *s)
{
	clear(s);
	compute_one(s, 0, sdrm_bo_mem(s->buffer), UINT64_MAX - 7);
}

static void word_askew(struct scene *s)
{
	clear(s);
	compute_one(s, 0, sdrm_bo_mem(s->buffer), RESULT + 4);
}

static void compute_in_rendering(struct scene *s)
{
	clear(s);
	begin(s);
	compute(s, 0, 0, 0, 1, 1);
}

static void compute_while_counting(struct scene *s)
{
	clear(s);
	begin_query(s, 0, SUNDOG_QUERY_TYPE_STATISTICS, 0);
	compute(s, 0, 0, 20, 1, 1);
}

static void compute_on_condition(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	begin_condition(s, 0, 0);
	compute(s, 1, 0, 0, 1, 1);
}

static void copy_of_nothing(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	copy(s, 1, SUNDOG_QUERY_VALUE_TYPE_U32, 0);
}

static void value_of_before(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	sdrm_submit_flush(s->h->submit, -1, NULL);
	clear(s);
	copy(s, 0, SUNDOG_QUERY_VALUE_TYPE_U32, 0);
}

static void no_type(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	copy(s, 0, 3, 0);
}

static void copy_past_the_end(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	copy_to(s, 0, SUNDOG_QUERY_VALUE_TYPE_U64, sdrm_bo_mem(s->buffer), BUFFER_SIZE - 4);
}

static void copy_that_wraps(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	copy_to(s, 0, SUNDOG_QUERY_VALUE_TYPE_U32, sdrm_bo_mem(s->buffer), UINT64_MAX - 3);
}

static void copy_askew(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	copy_to(s, 0, SUNDOG_QUERY_VALUE_TYPE_U32, sdrm_bo_mem(s->buffer), OUT + 2);
}

static void copy_to_not_listed(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	copy_to(s, 0, SUNDOG_QUERY_VALUE_TYPE_U32, sdrm_bo_mem(s->h->front), 0);
}

static void copy_to_read_only(struct scene *s)
{
	clear(s);
	sdrm_submit_add(s->h->submit, s->h->front, SUNDOG_ACCESS_READ);
	compute(s, 0, 0, 0, 1, 1);
	copy_to(s, 0, SUNDOG_QUERY_VALUE_TYPE_U32, sdrm_bo_mem(s->h->front), 0);
}

static void copy_in_rendering(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	begin(s);
	copy(s, 0, SUNDOG_QUERY_VALUE_TYPE_U32, 0);
}

static void condition_of_nothing(struct scene *s)
{
	clear(s);
	begin_condition(s, 0, 0);
}

static void nested_conditions(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	begin_condition(s, 0, 0);
	begin_condition(s, 0, 1);
}

static void end_without_begin(struct scene *s)
{
	clear(s);
	end_condition(s);
}

static void ends_twice(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	begin_condition(s, 0, 0);
	end_condition(s);
	end_condition(s);
}

static void ends_inside(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	begin_condition(s, 0, 0);
	begin(s);
	end_condition(s);
}

static void open_at_the_end_of_rendering(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	begin(s);
	begin_condition(s, 0, 0);
	end(s);
}

static void open_at_the_end(struct scene *s)
{
	clear(s);
	compute(s, 0, 0, 0, 1, 1);
	begin_condition(s, 0, 0);
}

static void memory_condition_not_listed(struct scene *s)
{
	begin_memory_condition(s, 0, 0);
}

static void memory_condition_past_the_end(struct scene *s)
{
	clear(s);
	begin_memory_condition(s, BUFFER_SIZE, 0);
}

static void memory_condition_that_wraps(struct scene *s)
{
	clear(s);
	begin_memory_condition(s, UINT64_MAX - 3, 0);
}

static void memory_condition_askew(struct scene *s)
{
	clear(s);
	begin_memory_condition(s, 2, 0);
}

static void memory_condition_in_another(struct scene *s)
{
	clear(s);
	begin_memory_condition(s, 0, 0);
	begin_memory_condition(s, 0, 1);
}

static void memory_condition_open_at_the_end(struct scene *s)
{
	clear(s);
	begin_memory_condition(s, 0, 0);
}

static const struct hostile_fault faults[] = {
	{ "a value that is computed twice", same_value, SUNDOG_FAULT_CODE_STATE },
	{ "more words to add than there are", more_added, SUNDOG_FAULT_CODE_FIELD },
	{ "an operation that there is not", no_operation, SUNDOG_FAULT_CODE_FIELD },
	{ "a value that there is not", no_number, SUNDOG_FAULT_CODE_FIELD },
	{ "more terms than there are queries", too_many_terms, SUNDOG_FAULT_CODE_STATE },
	{ "a word that is not listed", not_listed, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a word of no memory", no_memory, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a word past the end", word_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a word in front of the beginning", word_that_wraps, SUNDOG_FAULT_CODE_RANGE },
	{ "half a word", word_askew, SUNDOG_FAULT_CODE_RANGE },
	{ "a value in a rendering", compute_in_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a value while a query counts", compute_while_counting, SUNDOG_FAULT_CODE_STATE },
	{ "a value on a condition", compute_on_condition, SUNDOG_FAULT_CODE_STATE },
	{ "a copy of a value that was not computed", copy_of_nothing, SUNDOG_FAULT_CODE_STATE },
	{ "a copy of an earlier entry's value", value_of_before, SUNDOG_FAULT_CODE_STATE },
	{ "a copy of no type", no_type, SUNDOG_FAULT_CODE_FIELD },
	{ "a copy past the end", copy_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a copy in front of the beginning", copy_that_wraps, SUNDOG_FAULT_CODE_RANGE },
	{ "a copy to half a word", copy_askew, SUNDOG_FAULT_CODE_RANGE },
	{ "a copy to what is not listed", copy_to_not_listed, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a copy to what is read", copy_to_read_only, SUNDOG_FAULT_CODE_ACCESS },
	{ "a copy in a rendering", copy_in_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a condition that was not computed", condition_of_nothing, SUNDOG_FAULT_CODE_STATE },
	{ "a condition in another", nested_conditions, SUNDOG_FAULT_CODE_STATE },
	{ "the end of no condition", end_without_begin, SUNDOG_FAULT_CODE_STATE },
	{ "a second end of a condition", ends_twice, SUNDOG_FAULT_CODE_STATE },
	{ "an end in another rendering", ends_inside, SUNDOG_FAULT_CODE_STATE },
	{ "a condition at the end of its rendering", open_at_the_end_of_rendering,
	  SUNDOG_FAULT_CODE_STATE },
	{ "a condition that does not end", open_at_the_end, SUNDOG_FAULT_CODE_STATE },
	{ "a condition in memory that is not listed", memory_condition_not_listed,
	  SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a condition past the end", memory_condition_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a condition in front of the beginning", memory_condition_that_wraps,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "half a condition", memory_condition_askew, SUNDOG_FAULT_CODE_RANGE },
	{ "a condition in memory in another", memory_condition_in_another,
	  SUNDOG_FAULT_CODE_STATE },
	{ "a condition in memory that does not end", memory_condition_open_at_the_end,
	  SUNDOG_FAULT_CODE_STATE },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	s.small = hostile_bo(s.h, SMALL_SIZE);
	hostile_guard_back(s.h);
	make_shaders(&s);
	hostile_need(s.h, "shaders");
	hostile_result(adds_up(&s), "results are added and subtracted");
	hostile_result(adds_entries(&s), "those of entries before are among them");
	hostile_result(caps(&s), "values are capped to what 32 bits hold");
	hostile_result(leaves_state(&s), "shader, buffers and constants are what they were");
	hostile_result(decides(&s), "values decide on draws, clears and dispatches");
	hostile_result(decides_by_memory(&s, 0, 0) && decides_by_memory(&s, 0, 1) &&
		       decides_by_memory(&s, 0x80000000, 0) && decides_by_memory(&s, 1, 1),
		       "words of memory decide on dispatches");
	hostile_result(leaves_alone(&s), "but not on blits, copies and clears by load operation");
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	sdrm_bo_del(s.buffer);
	sdrm_bo_del(s.small);
	hostile_del(s.h);
	return hostile_status();
}
