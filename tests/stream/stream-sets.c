// SPDX-License-Identifier: MIT
/*
 * Tests descriptor sets: memory that is listed or not, accesses beyond ranges and arrays, and
 * invalid packets. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "probe.vert.h"
#include "sets_comp.h"
#include "sets_frag.h"
#include "sets_old_comp.h"

#define BUFFER_SIZE 65536u
#define FIRST 256u			/* offset of the bound range in bytes */
#define WORDS 64u
#define RESULT_BYTES (2 * WORDS * 4)
#define N_SOURCES 4

enum {
	ID_SET_LAYOUT = HOSTILE_FREE, ID_TEXEL_LAYOUT, ID_LAYOUT, ID_SET, ID_TEXEL_SET, ID_SHADER,
	ID_OLD_SHADER, ID_VERTEX,
	ID_FRAGMENT, ID_VIEW, ID_SIGNED_VIEW, ID_REAL_VIEW, ID_OTHER, ID_LARGE,
	ID_COPY = ID_LARGE + 2, ID_MIXED,
	ID_GONE = ID_MIXED + 2, ID_NEW = ID_GONE + 2,
};

struct scene {
	struct hostile *h;
	struct sdrm_bo *source, *result;
	uint32_t shader;
};

static const struct sundog_set_binding bindings[] = {
	{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, N_SOURCES },
	{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1 },
};
static const struct sundog_set_binding texel_binding = { 7, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
							 2 };

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

static void write_range_of(struct hostile *h, uint32_t set, uint32_t binding, uint32_t first,
			   struct sdrm_bo *bo,
			   uint64_t offset, uint64_t size)
{
	const struct sundog_set_descriptor d = { .range = { sdrm_bo_mem(bo), offset, size } };

	sundog_emit_write_set(h->stream, &(struct sundog_cmd_write_set){ set, binding, first, 1 },
			      &d);
}

static void write_range(struct hostile *h, uint32_t binding, uint32_t first, struct sdrm_bo *bo,
			uint64_t offset,
			uint64_t size)
{
	write_range_of(h, ID_SET, binding, first, bo, offset, size);
}

static void write_view(struct hostile *h, uint32_t set, uint32_t binding, uint32_t view)
{
	const struct sundog_set_descriptor d = { .view = view };

	sundog_emit_write_set(h->stream, &(struct sundog_cmd_write_set){ set, binding, 0, 1 }, &d);
}

static void bind_set(struct hostile *h, uint32_t slot, uint32_t set, uint32_t n, uint32_t offset)
{
	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 1, slot, set, n }, &offset);
}

static void list(struct scene *s)
{
	hostile_list(s->h, s->source);
	hostile_list(s->h, s->result);
}

static void make_shader(struct hostile *h, uint32_t id, uint32_t stage, const uint32_t *code,
			size_t size)
{
	sundog_emit_create_layout_shader(h->stream,
		&(struct sundog_cmd_create_layout_shader){ id, stage, ID_LAYOUT, size / 4 }, code);
}

static void make_view(struct scene *s, uint32_t id, uint32_t format)
{
	sundog_emit_create_buffer_view(s->h->stream, &(struct sundog_cmd_create_buffer_view){
		id, { sdrm_bo_mem(s->source), FIRST, WORDS * 4 }, format });
}

static void make_objects(struct scene *s)
{
	const uint32_t layouts[] = { ID_SET_LAYOUT, ID_TEXEL_LAYOUT };
	struct hostile *h = s->h;

	list(s);
	make_layout(h, ID_SET_LAYOUT, 2, bindings);
	make_layout(h, ID_TEXEL_LAYOUT, 1, &texel_binding);
	sundog_emit_create_pipeline_layout(h->stream,
		&(struct sundog_cmd_create_pipeline_layout){ ID_LAYOUT, 8, 2 }, layouts);
	make_set(h, ID_SET, ID_SET_LAYOUT);
	make_set(h, ID_TEXEL_SET, ID_TEXEL_LAYOUT);
	make_shader(h, ID_SHADER, SUNDOG_STAGE_COMPUTE, sets_comp, sizeof(sets_comp));
	make_shader(h, ID_OLD_SHADER, SUNDOG_STAGE_COMPUTE, sets_old_comp, sizeof(sets_old_comp));
	make_shader(h, ID_VERTEX, SUNDOG_STAGE_VERTEX, probe_vert, sizeof(probe_vert));
	make_shader(h, ID_FRAGMENT, SUNDOG_STAGE_FRAGMENT, sets_frag, sizeof(sets_frag));
	make_view(s, ID_VIEW, VK_FORMAT_R32_UINT);
	make_view(s, ID_SIGNED_VIEW, VK_FORMAT_R32_SINT);
	make_view(s, ID_REAL_VIEW, VK_FORMAT_R32_SFLOAT);
	write_range(h, 0, 0, s->source, FIRST, WORDS * 4);
	write_range(h, 1, 0, s->result, 0, RESULT_BYTES);
	write_view(h, ID_TEXEL_SET, 7, ID_VIEW);
}

/* Word i of the range is i + 1, with canaries around it. Results get another value. */
static void fill(struct scene *s)
{
	uint32_t *map = sdrm_bo_map(s->source);

	for (uint32_t i = 0; i < BUFFER_SIZE / 4; i++)
		map[i] = i - FIRST / 4 < WORDS ? i - FIRST / 4 + 1 : CANARY;
	memset(sdrm_bo_map(s->result), 0x5d, BUFFER_SIZE);
}

static void dispatch(struct scene *s, uint32_t which, uint32_t first, uint32_t offset)
{
	const uint32_t push[] = { which, first };
	struct hostile *h = s->h;

	bind_set(h, 0, ID_SET, 1, offset);
	bind_set(h, 1, ID_TEXEL_SET, 0, 0);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   push);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, s->shader);
}

/*
 * Returns true if the WORDS words of results from @at on are the words of the range from @first on,
 * or zero without @something.
 */
static bool words_are(struct scene *s, uint32_t at, uint32_t first, bool something)
{
	const uint32_t *words = (uint32_t *)sdrm_bo_map(s->result) + at;

	for (uint32_t i = 0; i < WORDS; i++) {
		const uint32_t expected = something && first + i < WORDS ? first + i + 1 : 0;

		if (words[i] == expected)
			continue;
		printf("# word %u from %#x is %#x, not %#x\n", i, first, words[i], expected);
		return false;
	}
	return true;
}

static bool sees(struct scene *s, uint32_t which, uint32_t first, bool words, bool texels)
{
	fill(s);
	list(s);
	dispatch(s, which, first, 0);
	return hostile_runs(s->h) && words_are(s, 0, first, words) &&
	       words_are(s, WORDS, first, texels);
}

/* For any offset: returns true if the shader sees words of the range or zero, and no canary. */
static bool sees_own(struct scene *s, uint32_t which, uint32_t first)
{
	const uint32_t *words = sdrm_bo_map(s->result);

	fill(s);
	list(s);
	dispatch(s, which, first, 0);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < 2 * WORDS; i++)
		if (words[i] > WORDS) {
			printf("# element %#x, word %u from %#x is %#x\n", which, i, first,
			       words[i]);
			return false;
		}
	return true;
}

/* The old shader declares storage buffers as before SPIR-V 1.3. */
static const char *old(const struct scene *s)
{
	return s->shader == ID_OLD_SHADER ? ", by a shader of old" : "";
}

static void try_places(struct scene *s)
{
	static const uint32_t firsts[] = { 0, 40, WORDS, 1u << 20, 0x3fffffc0, 0x40000000,
					   0x7fffffc0, 0x80000000,
					   0xffffff80 };
	static const uint32_t wild[] = { 4, 5, 100, 4096, 0x7fffffff, 0x80000000, 0xffffffff };
	bool ok = true;

	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		ok &= sees_own(s, 0, firsts[i]);
	hostile_result(ok && sees(s, 0, 0, true, true),
		       "what is in a range is seen, and nothing beyond%s", old(s));
	hostile_result(sees(s, 1, 0, false, false), "elements that were not written are nothing%s",
		       old(s));
	ok = true;
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		ok &= sees_own(s, wild[i], 0) && sees_own(s, wild[i], 1u << 30);
	hostile_result(ok, "nothing is seen past an array of elements%s", old(s));
}

/* A set refers to memory that the submission does not list. */
static void try_unlisted(struct scene *s)
{
	struct sdrm_bo *canaries = hostile_canaries(s->h, BUFFER_SIZE);
	bool ok;

	fill(s);
	hostile_list(s->h, s->result);
	dispatch(s, 0, 0, 0);
	ok = hostile_runs(s->h) && words_are(s, 0, 0, false) && words_are(s, WORDS, 0, false);
	hostile_result(ok, "memory that is not listed is nothing%s", old(s));
	hostile_list(s->h, canaries);
	write_range(s->h, 1, 0, canaries, 0, RESULT_BYTES);
	hostile_need(s->h, "a range that is listed as it is written");
	hostile_list(s->h, s->source);
	dispatch(s, 0, 0, 256);
	hostile_result(hostile_runs(s->h) && hostile_canaries_live(canaries),
		       "nor is it written, with an offset or none%s", old(s));
	sdrm_bo_del(canaries);
	hostile_list(s->h, s->source);
	dispatch(s, 0, 0, 0);
	hostile_result(hostile_runs(s->h), "nor is memory that is gone%s", old(s));
	list(s);
	write_range(s->h, 1, 0, s->result, 0, RESULT_BYTES);
	hostile_need(s->h, "the range as it was");
}

static void try_kinds(struct scene *s)
{
	list(s);
	write_view(s->h, ID_TEXEL_SET, 7, ID_REAL_VIEW);
	hostile_result(sees(s, 0, 0, true, false), "texels of other numbers are nothing");
	list(s);
	write_view(s->h, ID_TEXEL_SET, 7, ID_SIGNED_VIEW);
	hostile_result(sees(s, 0, 0, true, true), "but with a sign they are the same");
	list(s);
	write_view(s->h, ID_TEXEL_SET, 7, 0);
	hostile_result(sees(s, 0, 0, true, false), "an element is emptied");
	list(s);
	write_view(s->h, ID_TEXEL_SET, 7, ID_VIEW);
	hostile_result(sees(s, 0, 0, true, true), "and written again");
}

/* A dispatch sees the elements as they were when it was emitted. */
static void try_order(struct scene *s)
{
	bool ok = true;

	fill(s);
	list(s);
	for (uint32_t i = 0; i < 32; i++) {
		write_range(s->h, 0, 0, s->source, FIRST + i % 4 * 16, WORDS * 4 - i % 4 * 16);
		dispatch(s, 0, 0, i * RESULT_BYTES);
	}
	ok &= hostile_runs(s->h);
	for (uint32_t i = 0; ok && i < 32; i++) {
		const uint32_t *words = (uint32_t *)sdrm_bo_map(s->result) + i * 2 * WORDS;

		ok = words[0] == i % 4 * 4 + 1 && words[WORDS] == 1;
	}
	hostile_result(ok, "writes between dispatches count for what follows");
	list(s);
	write_range(s->h, 0, 0, s->source, FIRST, WORDS * 4);
	hostile_need(s->h, "the range as it was");
}

static void draw_with(struct hostile *h)
{
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(h);
}

static void dispatch_from(struct hostile *h, uint32_t first)
{
	const uint32_t push[] = { 0, first };

	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   push);
	sundog_emit_dispatch(h->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
}

/* Sets bound for draws do not affect dispatches, and the reverse. */
static void try_points(struct scene *s)
{
	const struct sundog_cmd_bind_shaders bind = { {
		[SUNDOG_STAGE_VERTEX] = ID_VERTEX, [SUNDOG_STAGE_FRAGMENT] = ID_FRAGMENT,
		[SUNDOG_STAGE_COMPUTE] = ID_SHADER,
	} };
	const uint32_t none = 0;
	struct hostile *h = s->h;

	make_set(h, ID_OTHER, ID_SET_LAYOUT);
	list(s);
	write_range_of(h, ID_OTHER, 0, 0, s->source, FIRST + 16, 16);
	hostile_need(h, "a set for draws");
	fill(s);
	list(s);
	sundog_emit_bind_shaders(h->stream, &bind);
	bind_set(h, 0, ID_SET, 1, 0);
	bind_set(h, 1, ID_TEXEL_SET, 0, 0);
	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 0, 0, ID_OTHER, 1 }, &none);
	for (uint32_t i = 0; i < 2; i++) {
		dispatch_from(h, i * 8);
		draw_with(h);
	}
	hostile_result(hostile_runs(h) && words_are(s, WORDS, 8, true) &&
		       hostile_pixels(h)[0] == 5 &&
		       ((uint32_t *)sdrm_bo_map(s->result))[0] == 9,
		       "draws and dispatches have sets of their own");
}

static void try_size(struct scene *s)
{
	make_layout(s->h, ID_LARGE, 1, &(struct sundog_set_binding){
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SUNDOG_MAX_SET_DESCRIPTORS });
	make_set(s->h, ID_LARGE + 1, ID_LARGE);
	hostile_result(hostile_runs(s->h), "a set of as many elements as there may be");
}

static void destroy(struct hostile *h, uint32_t kind, uint32_t id)
{
	sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){ kind, id });
}

static void try_lifetimes(struct scene *s)
{
	struct hostile *h = s->h;
	const uint32_t push[] = { 0, 0 };

	make_layout(h, ID_GONE, 1, &texel_binding);
	make_set(h, ID_GONE + 1, ID_GONE);
	list(s);
	write_view(h, ID_GONE + 1, 7, ID_VIEW);
	destroy(h, SUNDOG_OBJECT_KIND_SET_LAYOUT, ID_GONE);
	destroy(h, SUNDOG_OBJECT_KIND_BUFFER_VIEW, ID_VIEW);
	hostile_need(h, "a set whose layout and view are gone");
	fill(s);
	list(s);
	bind_set(h, 0, ID_SET, 1, 0);
	bind_set(h, 1, ID_GONE + 1, 0, 0);
	destroy(h, SUNDOG_OBJECT_KIND_SET, ID_GONE + 1);
	destroy(h, SUNDOG_OBJECT_KIND_PIPELINE_LAYOUT, ID_LAYOUT);
	destroy(h, SUNDOG_OBJECT_KIND_SET_LAYOUT, ID_TEXEL_LAYOUT);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   push);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, ID_SHADER);
	hostile_result(hostile_runs(h) && words_are(s, 0, 0, true) && words_are(s, WORDS, 0, true),
		       "what is bound and what it was made of live as long as they are used");
}

/* Invalid packets */

static void record_unknown_type(struct scene *s)
{
	make_layout(s->h, ID_NEW, 1, &(struct sundog_set_binding){ 0, 1000138000, 1 });
}

static void record_not_ascending(struct scene *s)
{
	make_layout(s->h, ID_NEW, 2, (struct sundog_set_binding[]){ bindings[1], bindings[1] });
}

static void record_no_number(struct scene *s)
{
	make_layout(s->h, ID_NEW, 1, &(struct sundog_set_binding){
		SUNDOG_MAX_BINDING_NUMBER + 1, bindings[0].type, 1 });
}

static void record_too_many(struct scene *s)
{
	make_layout(s->h, ID_NEW, 2, (struct sundog_set_binding[]){
		{ 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SUNDOG_MAX_SET_DESCRIPTORS },
		{ 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 } });
}

static void record_too_many_offsets(struct scene *s)
{
	make_layout(s->h, ID_NEW, 1, &(struct sundog_set_binding){
		0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, SUNDOG_MAX_DYNAMIC_OFFSETS + 1 });
}

static void record_layout_of_sampler(struct scene *s)
{
	const uint32_t layouts[] = { ID_SET_LAYOUT, HOSTILE_SAMPLER };

	sundog_emit_create_pipeline_layout(s->h->stream,
		&(struct sundog_cmd_create_pipeline_layout){ ID_NEW, 0, 2 }, layouts);
}

static void record_set_of_nothing(struct scene *s)
{
	make_set(s->h, ID_NEW, ID_NEW + 1);
}

static void record_shader_of_set_layout(struct scene *s)
{
	sundog_emit_create_layout_shader(s->h->stream, &(struct sundog_cmd_create_layout_shader){
		ID_NEW, SUNDOG_STAGE_COMPUTE, ID_SET_LAYOUT, sizeof(sets_comp) / 4 }, sets_comp);
}

/* The shader uses two sets, the layout has one. */
static void record_shader_of_less(struct scene *s)
{
	const uint32_t layout = ID_SET_LAYOUT;

	sundog_emit_create_pipeline_layout(s->h->stream,
		&(struct sundog_cmd_create_pipeline_layout){ ID_NEW, 8, 1 }, &layout);
	sundog_emit_create_layout_shader(s->h->stream, &(struct sundog_cmd_create_layout_shader){
		ID_NEW + 1, SUNDOG_STAGE_COMPUTE, ID_NEW, sizeof(sets_comp) / 4 }, sets_comp);
	list(s);
	bind_set(s->h, 0, ID_SET, 1, 0);
	hostile_work(s->h, SUNDOG_STAGE_COMPUTE, 0, ID_NEW + 1);
}

static void record_no_binding(struct scene *s)
{
	list(s);
	write_range(s->h, 2, 0, s->source, FIRST, 16);
}

static void record_past_the_binding(struct scene *s)
{
	list(s);
	write_range(s->h, 0, N_SOURCES, s->source, FIRST, 16);
}

static void record_not_listed(struct scene *s)
{
	write_range(s->h, 0, 0, s->source, FIRST, 16);
}

static void record_past_memory(struct scene *s)
{
	list(s);
	write_range(s->h, 0, 0, s->source, sdrm_bo_size(s->source) - 256, 512);
}

static void record_that_wraps(struct scene *s)
{
	list(s);
	write_range(s->h, 0, 0, s->source, UINT64_MAX - 255, 512);
}

static void record_odd_offset(struct scene *s)
{
	list(s);
	write_range(s->h, 0, 0, s->source, FIRST + 1, 16);
}

static void record_image_for_texels(struct scene *s)
{
	write_view(s->h, ID_TEXEL_SET, 7, HOSTILE_TARGET_VIEW);
}

static void record_copy_between_types(struct scene *s)
{
	sundog_emit_copy_set(s->h->stream, &(struct sundog_cmd_copy_set){
		ID_SET, 0, 0, ID_SET, 1, 0, 1 });
}

static void record_copy_past(struct scene *s)
{
	make_set(s->h, ID_COPY, ID_SET_LAYOUT);
	sundog_emit_copy_set(s->h->stream, &(struct sundog_cmd_copy_set){
		ID_SET, 0, 2, ID_COPY, 0, 1, N_SOURCES - 1 });
}

static void record_copy_in_place(struct scene *s)
{
	sundog_emit_copy_set(s->h->stream, &(struct sundog_cmd_copy_set){
		ID_SET, 0, 0, ID_SET, 0, 1, 2 });
}

static void record_no_offsets(struct scene *s)
{
	bind_set(s->h, 0, ID_SET, 0, 0);
}

static void record_offset_past_memory(struct scene *s)
{
	list(s);
	dispatch(s, 0, 0, BUFFER_SIZE - RESULT_BYTES + 256);
}

static void record_offset_that_wraps(struct scene *s)
{
	list(s);
	dispatch(s, 0, 0, 0xffffff00);
}

static void record_odd_dynamic_offset(struct scene *s)
{
	list(s);
	dispatch(s, 0, 0, 1);
}

static void record_nothing_bound(struct scene *s)
{
	list(s);
	bind_set(s->h, 0, ID_SET, 1, 0);
	hostile_work(s->h, SUNDOG_STAGE_COMPUTE, 0, ID_SHADER);
}

static void record_other_layout(struct scene *s)
{
	list(s);
	bind_set(s->h, 0, ID_TEXEL_SET, 0, 0);
	bind_set(s->h, 1, ID_TEXEL_SET, 0, 0);
	hostile_work(s->h, SUNDOG_STAGE_COMPUTE, 0, ID_SHADER);
}

static void record_mixed_shaders(struct scene *s)
{
	const struct sundog_cmd_create_shader slots = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_bind_shaders bind = { { ID_MIXED, ID_MIXED + 1 } };

	hostile_shader(s->h, ID_MIXED, &slots, probe_vert, sizeof(probe_vert));
	make_shader(s->h, ID_MIXED + 1, SUNDOG_STAGE_FRAGMENT, sets_frag, sizeof(sets_frag));
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_bind_shaders(s->h->stream, &bind);
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(s->h);
}

static const struct hostile_fault faults[] = {
	{ "a type that there is not", record_unknown_type, SUNDOG_FAULT_CODE_FIELD },
	{ "bindings that do not ascend", record_not_ascending, SUNDOG_FAULT_CODE_FIELD },
	{ "a number that is none", record_no_number, SUNDOG_FAULT_CODE_FIELD },
	{ "too many elements", record_too_many, SUNDOG_FAULT_CODE_FIELD },
	{ "too many that take offsets", record_too_many_offsets, SUNDOG_FAULT_CODE_FIELD },
	{ "a pipeline layout with a sampler for a set's", record_layout_of_sampler,
	  SUNDOG_FAULT_CODE_OBJECT },
	{ "a set without a layout", record_set_of_nothing, SUNDOG_FAULT_CODE_OBJECT },
	{ "a shader with a set's layout", record_shader_of_set_layout, SUNDOG_FAULT_CODE_OBJECT },
	{ "a shader that declares more than its layout", record_shader_of_less,
	  SUNDOG_FAULT_CODE_SHADER },
	{ "a binding that there is not", record_no_binding, SUNDOG_FAULT_CODE_FIELD },
	{ "an element past the binding", record_past_the_binding, SUNDOG_FAULT_CODE_FIELD },
	{ "a range of memory that is not listed", record_not_listed, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a range past its memory", record_past_memory, SUNDOG_FAULT_CODE_RANGE },
	{ "a range that wraps", record_that_wraps, SUNDOG_FAULT_CODE_RANGE },
	{ "a range that is not aligned", record_odd_offset, SUNDOG_FAULT_CODE_RANGE },
	{ "an image for texels", record_image_for_texels, SUNDOG_FAULT_CODE_OBJECT },
	{ "a copy between types", record_copy_between_types, SUNDOG_FAULT_CODE_FIELD },
	{ "a copy past the binding", record_copy_past, SUNDOG_FAULT_CODE_FIELD },
	{ "a copy within a binding", record_copy_in_place, SUNDOG_FAULT_CODE_FIELD },
	{ "a set bound without its offsets", record_no_offsets, SUNDOG_FAULT_CODE_FIELD },
	{ "an offset past its memory", record_offset_past_memory, SUNDOG_FAULT_CODE_RANGE },
	{ "an offset that wraps", record_offset_that_wraps, SUNDOG_FAULT_CODE_RANGE },
	{ "an offset that is not aligned", record_odd_dynamic_offset, SUNDOG_FAULT_CODE_RANGE },
	{ "a dispatch with a set missing", record_nothing_bound, SUNDOG_FAULT_CODE_STATE },
	{ "a dispatch with a set of another layout", record_other_layout, SUNDOG_FAULT_CODE_STATE },
	{ "a draw with slots and sets", record_mixed_shaders, SUNDOG_FAULT_CODE_OBJECT },
};

int main(void)
{
	struct scene s = { .h = hostile_new(), .shader = ID_SHADER };

	hostile_guard_front(s.h);
	s.source = hostile_bo(s.h, BUFFER_SIZE);
	s.result = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	make_objects(&s);
	hostile_need(s.h, "layouts, sets and shaders");
	try_places(&s);
	try_unlisted(&s);
	s.shader = ID_OLD_SHADER;
	try_places(&s);
	try_unlisted(&s);
	s.shader = ID_SHADER;
	try_kinds(&s);
	try_order(&s);
	try_points(&s);
	try_size(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	try_lifetimes(&s);
	sdrm_bo_del(s.source);
	sdrm_bo_del(s.result);
	hostile_del(s.h);
	return hostile_status();
}
