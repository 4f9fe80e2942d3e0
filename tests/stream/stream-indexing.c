// SPDX-License-Identifier: MIT
/*
 * Tests large descriptor sets and shaders that index them dynamically: elements beyond arrays, of
 * memory that is not listed, of other types, and after writes. Runs on the device that device.h
 * finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "indexing_comp.h"
#include "indexing_twice.h"

#define INVOCATIONS 64u
#define ARRAY 1500u			/* elements of each of two arrays of a large set */
#define SOURCES 5u
/* words that elements refer to, VIEW bytes apart; element i has word i % THINGS */
#define THINGS 32u
#define VIEW 256u
#define RESULT_BYTES (3 * INVOCATIONS * 4)
#define RESULT_STEP 1024u		/* bytes from one result to the next */
#define BUFFER_SIZE 65536u
#define FLOATS 0x4000u			/* offset of the floats in the buffer */
#define WRITES 24u

enum {
	ID_LAYOUT_0 = HOSTILE_FREE, ID_LAYOUT_1, ID_LAYOUT, ID_SET_0, ID_SET_1, ID_SHADER, ID_COPY,
	ID_NUMBERS,
	ID_FLOATS = ID_NUMBERS + THINGS, ID_OTHER = ID_FLOATS + THINGS, ID_LAYOUT_TWICE,
	ID_SHADER_TWICE, ID_NEW,
};

struct scene {
	struct hostile *h;
	struct sdrm_bo *source, *result;
	uint32_t set;			/* the large set */
	uint32_t shader;
};

static const struct sundog_set_binding bindings_0[] = {
	{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1 },
	{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SOURCES },
};
static const struct sundog_set_binding bindings_1[] = {
	{ 2, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, ARRAY },
	{ 5, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, ARRAY },
};

static void make_layout(struct hostile *h, uint32_t id, uint32_t n,
			const struct sundog_set_binding *b)
{
	sundog_emit_create_set_layout(h->stream, &(struct sundog_cmd_create_set_layout){ id, n },
				      b);
}

static void make_set(struct hostile *h, uint32_t id, uint32_t layout)
{
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){ id, layout });
}

static void make_view(struct scene *s, uint32_t id, struct sdrm_bo *bo, uint32_t offset,
		      uint32_t format)
{
	sundog_emit_create_buffer_view(s->h->stream, &(struct sundog_cmd_create_buffer_view){
		id, { sdrm_bo_mem(bo), offset, 16 }, format });
}

static void write_range(struct scene *s, uint32_t binding, uint32_t element, struct sdrm_bo *bo,
			uint64_t offset,
			uint64_t size)
{
	const struct sundog_set_descriptor d = { .range = { sdrm_bo_mem(bo), offset, size } };

	sundog_emit_write_set(s->h->stream, &(struct sundog_cmd_write_set){
		ID_SET_0, binding, element, 1 }, &d);
}

static void write_view(struct scene *s, uint32_t binding, uint32_t element, uint32_t view)
{
	const struct sundog_set_descriptor d = { .view = view };

	sundog_emit_write_set(s->h->stream, &(struct sundog_cmd_write_set){
		s->set, binding, element, 1 }, &d);
}

static void list(struct scene *s)
{
	hostile_list(s->h, s->source);
	hostile_list(s->h, s->result);
}

static void write_element(struct scene *s, uint32_t element, uint32_t thing)
{
	write_view(s, 2, element, ID_NUMBERS + thing % THINGS);
	write_view(s, 5, element, ID_FLOATS + thing % THINGS);
}

static void make_objects(struct scene *s)
{
	const uint32_t layouts[] = { ID_LAYOUT_0, ID_LAYOUT_1 };
	struct hostile *h = s->h;

	list(s);
	make_layout(h, ID_LAYOUT_0, 2, bindings_0);
	make_layout(h, ID_LAYOUT_1, 2, bindings_1);
	sundog_emit_create_pipeline_layout(h->stream,
		&(struct sundog_cmd_create_pipeline_layout){ ID_LAYOUT, 8, 2 }, layouts);
	make_set(h, ID_SET_0, ID_LAYOUT_0);
	make_set(h, ID_SET_1, ID_LAYOUT_1);
	sundog_emit_create_layout_shader(h->stream, &(struct sundog_cmd_create_layout_shader){
		ID_SHADER, SUNDOG_STAGE_COMPUTE, ID_LAYOUT,
		sizeof(indexing_comp) / 4 }, indexing_comp);
	for (uint32_t i = 0; i < THINGS; i++) {
		make_view(s, ID_NUMBERS + i, s->source, i * VIEW, VK_FORMAT_R32_UINT);
		make_view(s, ID_FLOATS + i, s->source, FLOATS + i * VIEW, VK_FORMAT_R32_SFLOAT);
	}
	for (uint32_t i = 0; i < SOURCES; i++)
		write_range(s, 1, i, s->source, i * VIEW, 16);
	write_range(s, 0, 0, s->result, 0, RESULT_BYTES);
	hostile_need(h, "layouts, sets, views and a shader");
	for (uint32_t i = 0; i < ARRAY; i++) {
		list(s);
		write_element(s, i, i);
		if (i % 100 == 99)
			hostile_need(h, "elements");
	}
}

/* Word i + 1 and float 100 + i are at view i, with canaries around them. */
static void fill(struct scene *s)
{
	uint32_t *map = sdrm_bo_map(s->source);
	float value;

	for (uint32_t i = 0; i < BUFFER_SIZE / 4; i++)
		map[i] = CANARY;
	for (uint32_t i = 0; i < THINGS; i++) {
		value = 100 + i;
		map[i * VIEW / 4] = i + 1;
		memcpy(&map[(FLOATS + i * VIEW) / 4], &value, 4);
	}
	memset(sdrm_bo_map(s->result), 0x5d, BUFFER_SIZE);
}

/* One of the shaders uses the large set as two sets. */
static void dispatch(struct scene *s, uint32_t first, uint32_t step, uint32_t offset)
{
	const uint32_t push[] = { first, step };
	struct hostile *h = s->h;

	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 1, 0, ID_SET_0, 1 },
			     &offset);
	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 1, 1, s->set, 0 }, NULL);
	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 1, 2, s->set, 0 }, NULL);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   push);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, s->shader);
}

/*
 * Returns true if invocation @i has stored the values of element @thing at @offset, or zero where
 * @number or @value is false.
 */
static bool saw(struct scene *s, uint32_t offset, uint32_t i, bool number, bool value,
		uint32_t thing)
{
	const uint32_t *words = (uint32_t *)sdrm_bo_map(s->result) + offset / 4 + i;
	const uint32_t expected[] = { number ? thing % THINGS + 1 : 0,
				      value ? 100 + thing % THINGS : 0 };

	if (words[0] == expected[0] && words[INVOCATIONS] == expected[1])
		return true;
	printf("# invocation %u: %#x %#x, not %#x %#x\n", i, words[0], words[INVOCATIONS],
	       expected[0], expected[1]);
	return false;
}

/* Returns true if all invocations see the elements as they were written first. */
static bool sees(struct scene *s, uint32_t first, uint32_t step)
{
	bool ok;

	fill(s);
	list(s);
	dispatch(s, first, step, 0);
	ok = hostile_runs(s->h);
	for (uint32_t i = 0; ok && i < INVOCATIONS; i++)
		ok = saw(s, 0, i, true, true, first + i * step);
	return ok;
}

/* Returns true if the invocations see values of elements or zero, in both arrays, and no canary. */
static bool sees_own(struct scene *s, uint32_t first, uint32_t step)
{
	const uint32_t *words = sdrm_bo_map(s->result);

	fill(s);
	list(s);
	dispatch(s, first, step, 0);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < INVOCATIONS; i++)
		if (words[i] > THINGS ||
		    (words[INVOCATIONS + i] && words[INVOCATIONS + i] - 100 >= THINGS) ||
		    words[2 * INVOCATIONS + i] > SOURCES) {
			printf("# invocation %u of %#x, %#x: %#x %#x %#x\n", i, first, step,
			       words[i], words[INVOCATIONS + i],
			       words[2 * INVOCATIONS + i]);
			return false;
		}
	return true;
}

static void try_places(struct scene *s)
{
	static const uint32_t firsts[] = { ARRAY - 1, ARRAY, 2 * ARRAY, 1u << 16, 0x7fffffff,
					   0x80000000, 0xffffffff };
	static const uint32_t steps[] = { 0, 1, 7, 1u << 20, 0xffffffff };
	bool ok = true;

	hostile_result(sees(s, 0, 1) && sees(s, 3, 23) && sees(s, ARRAY - 1, 0xffffffff) &&
		       sees(s, 77, 0),
		       "invocations see elements of their own, of two arrays");
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		for (size_t j = 0; j < sizeof(steps) / sizeof(steps[0]); j++)
			ok &= sees_own(s, firsts[i], steps[j]);
	hostile_result(ok, "nothing is seen past arrays without a length");
}

/*
 * A submission that does not list the source sees zero, and must not change what a later one sees.
 */
static void try_unlisted(struct scene *s)
{
	bool ok;

	fill(s);
	hostile_list(s->h, s->result);
	dispatch(s, 0, 1, 0);
	ok = hostile_runs(s->h);
	for (uint32_t i = 0; ok && i < INVOCATIONS; i++)
		ok = saw(s, 0, i, false, false, 0);
	hostile_result(ok, "memory that is not listed any more is nothing");
	hostile_result(sees(s, 0, 1), "and is seen again when it is listed");
}

/* Frees memory that elements refer to. */
static void try_gone(struct scene *s)
{
	struct sdrm_bo *gone = hostile_canaries(s->h, BUFFER_SIZE);
	bool ok;

	list(s);
	hostile_list(s->h, gone);
	make_view(s, ID_OTHER, gone, 0, VK_FORMAT_R32_UINT);
	write_view(s, 2, 10, ID_OTHER);
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_BUFFER_VIEW, ID_OTHER });
	dispatch(s, 0, 1, 0);
	hostile_need(s->h, "an element of other memory");
	sdrm_bo_del(gone);
	fill(s);
	list(s);
	dispatch(s, 10, 0, 0);
	ok = hostile_runs(s->h) && saw(s, 0, 0, false, true, 10);
	hostile_result(ok, "nor is memory that is gone");
	list(s);
	write_element(s, 10, 10);
	hostile_need(s->h, "the element as it was");
}

/*
 * Writes floats to the array of numbers and numbers to the array of floats, and then the former
 * elements.
 */
static void try_kinds(struct scene *s)
{
	bool ok;

	fill(s);
	list(s);
	write_view(s, 2, 20, ID_FLOATS + 20);
	write_view(s, 5, 21, ID_NUMBERS + 21);
	dispatch(s, 20, 1, 0);
	ok = hostile_runs(s->h) && saw(s, 0, 0, false, true, 20) && saw(s, 0, 1, true, false, 21) &&
	     saw(s, 0, 2, true, true, 22);
	hostile_result(ok, "elements of another kind are nothing");
	list(s);
	write_element(s, 20, 20);
	write_element(s, 21, 21);
	hostile_result(sees(s, 0, 1), "until they are written again");
}

static void make_twice(struct scene *s)
{
	const uint32_t layouts[] = { ID_LAYOUT_0, ID_LAYOUT_1, ID_LAYOUT_1 };
	struct hostile *h = s->h;

	sundog_emit_create_pipeline_layout(h->stream,
		&(struct sundog_cmd_create_pipeline_layout){ ID_LAYOUT_TWICE, 8, 3 }, layouts);
	sundog_emit_create_layout_shader(h->stream, &(struct sundog_cmd_create_layout_shader){
		ID_SHADER_TWICE, SUNDOG_STAGE_COMPUTE, ID_LAYOUT_TWICE,
		sizeof(indexing_twice) / 4 }, indexing_twice);
	s->shader = ID_SHADER_TWICE;
}

/*
 * Returns true if each array shows its type, where the elements alternate between numbers and
 * floats. @numbers: parity of the elements that are numbers.
 */
static bool sees_halves(struct scene *s, uint32_t numbers, bool listed)
{
	bool ok;

	fill(s);
	hostile_list(s->h, s->result);
	if (listed)
		hostile_list(s->h, s->source);
	dispatch(s, 0, 1, 0);
	ok = hostile_runs(s->h);
	for (uint32_t i = 0; ok && i < INVOCATIONS; i++)
		ok = saw(s, 0, i, listed && i % 2 == numbers, listed && i % 2 != numbers, i);
	return ok;
}

static void write_halves(struct scene *s, uint32_t numbers)
{
	list(s);
	for (uint32_t i = 0; i < INVOCATIONS; i++)
		write_view(s, 2, i, (i % 2 == numbers ? ID_NUMBERS : ID_FLOATS) + i % THINGS);
}

/* A set whose binding has elements of two types, bound at two places that use one type each. */
static void try_twice(struct scene *s)
{
	make_twice(s);
	write_halves(s, 0);
	hostile_result(sees_halves(s, 0, true) && sees_halves(s, 0, true),
		       "a set in two places shows another kind in each");
	hostile_result(sees_halves(s, 0, false) && sees_halves(s, 0, true),
		       "and nothing that is not listed");
	write_halves(s, 1);
	hostile_result(sees_halves(s, 1, true), "both are written at once");
	s->shader = ID_SHADER;
	list(s);
	for (uint32_t i = 0; i < INVOCATIONS; i++)
		write_element(s, i, i);
	hostile_result(sees(s, 0, 1), "one place is as it was");
}

/*
 * Writes elements between dispatches of one submission: each dispatch sees the elements at its
 * time.
 */
static void try_order(struct scene *s)
{
	bool ok = true;

	fill(s);
	list(s);
	for (uint32_t i = 0; i < WRITES; i++) {
		write_element(s, 1400, i);
		dispatch(s, 1400, 0, i * RESULT_STEP);
	}
	ok &= hostile_runs(s->h);
	for (uint32_t i = 0; ok && i < WRITES; i++)
		ok = saw(s, i * RESULT_STEP, 5, true, true, i);
	hostile_result(ok, "writes between dispatches count for what follows");
	for (uint32_t i = 0; ok && i < WRITES; i++) {
		fill(s);
		list(s);
		write_element(s, 1400 + i % 3, i);
		dispatch(s, 1400 + i % 3, 0, 0);
		ok = hostile_runs(s->h) && saw(s, 0, 5, true, true, i);
	}
	hostile_result(ok, "and those between submissions");
	for (uint32_t i = 0; i < 3; i++) {
		list(s);
		write_element(s, 1400 + i, 1400 + i);
	}
	hostile_result(sees(s, 1399, 1), "the others are what they were");
}

/* Makes more changes than a set records. */
static void try_many(struct scene *s)
{
	for (uint32_t i = 0; i < 3 * ARRAY; i++) {
		list(s);
		write_element(s, i % ARRAY, i < 2 * ARRAY ? i + 1 : i % ARRAY);
		if (i % 500 == 499)
			hostile_need(s->h, "many writes");
	}
	hostile_result(sees(s, 0, 23), "thousands of writes");
}

static void try_copies(struct scene *s)
{
	struct hostile *h = s->h;

	make_set(h, ID_COPY, ID_LAYOUT_1);
	for (uint32_t i = 0; i < 2; i++)
		sundog_emit_copy_set(h->stream, &(struct sundog_cmd_copy_set){
			ID_SET_1, i ? 5 : 2, 0, ID_COPY, i ? 5 : 2, 0, ARRAY });
	hostile_need(h, "a copy of the set");
	s->set = ID_COPY;
	hostile_result(sees(s, 5, 11), "a set is copied");
	sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SET, ID_COPY });
	s->set = ID_SET_1;
	hostile_result(sees(s, 5, 11), "and the copy goes");
}

/* Invalid packets */

static void record_too_many(struct scene *s)
{
	make_layout(s->h, ID_NEW, 2, (struct sundog_set_binding[]){
		{ 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, SUNDOG_MAX_SET_DESCRIPTORS },
		{ 1, VK_DESCRIPTOR_TYPE_SAMPLER, 1 } });
}

static void record_too_many_in_all(struct scene *s)
{
	const uint32_t layouts[] = { ID_NEW + 1, ID_NEW + 1 };

	make_layout(s->h, ID_NEW + 1, 1, &(struct sundog_set_binding){
		0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, SUNDOG_MAX_SET_DESCRIPTORS / 2 + 1 });
	sundog_emit_create_pipeline_layout(s->h->stream,
		&(struct sundog_cmd_create_pipeline_layout){ ID_NEW + 2, 8, 2 }, layouts);
}

static void record_too_many_samplers(struct scene *s)
{
	const uint32_t layouts[] = { ID_NEW + 3, ID_NEW + 4 };

	make_layout(s->h, ID_NEW + 3, 1, &(struct sundog_set_binding){
		0, VK_DESCRIPTOR_TYPE_SAMPLER, SUNDOG_MAX_SET_DESCRIPTORS });
	make_layout(s->h, ID_NEW + 4, 1, &(struct sundog_set_binding){
		0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1 });
	sundog_emit_create_pipeline_layout(s->h->stream,
		&(struct sundog_cmd_create_pipeline_layout){ ID_NEW + 5, 8, 2 }, layouts);
}

/* Uses as many descriptors as drivers may use. */
static void try_room(struct scene *s)
{
	const uint32_t room = sdrm_device_caps(s->h->dev)->max_large_descriptors / 2;
	const uint32_t n = room < SUNDOG_MAX_SET_DESCRIPTORS ? room : SUNDOG_MAX_SET_DESCRIPTORS;

	make_layout(s->h, ID_NEW + 6, 1, &(struct sundog_set_binding){
		0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, n });
	make_set(s->h, ID_NEW + 7, ID_NEW + 6);
	make_set(s->h, ID_NEW + 8, ID_NEW + 6);
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SET, ID_NEW + 7 });
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SET, ID_NEW + 8 });
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SET_LAYOUT, ID_NEW + 6 });
	hostile_result(n && hostile_runs(s->h),
		       "there is room for as large sets as the renderer says");
}

/* Each set may have the maximum of descriptors, but not all of them together. */
static void record_too_large(struct scene *s)
{
	make_layout(s->h, ID_NEW + 6, 1, &(struct sundog_set_binding){
		0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, SUNDOG_MAX_SET_DESCRIPTORS });
	for (uint32_t i = 1; i < 16; i++)
		make_set(s->h, ID_NEW + 6 + i, ID_NEW + 6);
}

static void record_past_the_binding(struct scene *s)
{
	list(s);
	write_view(s, 2, ARRAY, ID_NUMBERS);
}

static void record_copy_past(struct scene *s)
{
	sundog_emit_copy_set(s->h->stream, &(struct sundog_cmd_copy_set){
		ID_SET_1, 2, 1, ID_SET_1, 5, 0, ARRAY });
}

static const struct hostile_fault faults[] = {
	{ "too many descriptors of a set", record_too_many, SUNDOG_FAULT_CODE_FIELD },
	{ "too many of all sets", record_too_many_in_all, SUNDOG_FAULT_CODE_FIELD },
	{ "too many samplers of all sets", record_too_many_samplers, SUNDOG_FAULT_CODE_FIELD },
	{ "larger sets than there is room for", record_too_large, SUNDOG_FAULT_CODE_HOST },
	{ "an element past a large binding", record_past_the_binding, SUNDOG_FAULT_CODE_FIELD },
	{ "a copy past a large binding", record_copy_past, SUNDOG_FAULT_CODE_FIELD },
};

int main(void)
{
	struct scene s = { .h = hostile_new(), .set = ID_SET_1, .shader = ID_SHADER };

	hostile_guard_front(s.h);
	s.source = hostile_bo(s.h, BUFFER_SIZE);
	s.result = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	make_objects(&s);
	try_places(&s);
	try_unlisted(&s);
	try_gone(&s);
	try_kinds(&s);
	try_twice(&s);
	try_order(&s);
	try_many(&s);
	try_copies(&s);
	try_room(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	hostile_result(sees(&s, 0, 1), "the set is what it was");
	sdrm_bo_del(s.source);
	sdrm_bo_del(s.result);
	hostile_del(s.h);
	return hostile_status();
}
