// SPDX-License-Identifier: MIT
/*
 * Tests descriptor sets with mutable elements (VK_EXT_mutable_descriptor_type): a shader sees
 * elements of the type that it declares, and null descriptors in place of other ones, whatever the
 * elements had before. Also tests invalid packets. Runs on the device that device.h finds. Prints
 * TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "mutable-shaders.h"

#define TYPES 8u		/* VkDescriptorType from SAMPLER to STORAGE_BUFFER */
#define ELEMENTS 8u		/* elements that shaders read */
#define MANY 3000u		/* elements of a set that counts as large */
#define BINDING 3
#define BUFFER_SIZE 65536u
#define STEP 256u		/* bytes from element to element */
#define TEXEL 77u		/* value of all texels of the image */
#define SIDE 4u
#define STORED 5u
#define NOTHING 0x5d5d5d5du

enum {
	ID_RESULT_LAYOUT = HOSTILE_FREE, ID_FEW_LAYOUT, ID_MANY_LAYOUT, ID_LAYOUT, ID_MANY_PIPELINE,
	ID_RESULT_SET, ID_FEW,
	ID_OTHER, ID_MANY, ID_TYPED_LAYOUT, ID_TYPED, ID_IMAGE, ID_VIEW, ID_TARGET_VIEW, ID_SAMPLER,
	ID_VERTEX, ID_SAME,
	ID_OTHERS, ID_TWO, ID_GONE, ID_TEXELS, ID_SHADERS = ID_TEXELS + ELEMENTS,
	ID_STORES = ID_SHADERS + 2 * TYPES,
	ID_NEW = ID_STORES + TYPES,
};

struct scene {
	struct hostile *h;
	struct sdrm_bo *source, *image, *result;
	uint32_t set;		/* the set that shaders use: ID_FEW, ID_OTHER or ID_MANY */
};

static const struct {
	const uint32_t *code;
	size_t size;
} shaders[TYPES] = {
	{ mutable_0, sizeof(mutable_0) }, { mutable_1, sizeof(mutable_1) },
	{ mutable_2, sizeof(mutable_2) },
	{ mutable_3, sizeof(mutable_3) }, { mutable_4, sizeof(mutable_4) },
	{ mutable_5, sizeof(mutable_5) },
	{ mutable_6, sizeof(mutable_6) }, { mutable_7, sizeof(mutable_7) },
}, stores[TYPES] = {
	[3] = { mutable_store_3, sizeof(mutable_store_3) },
	[5] = { mutable_store_5, sizeof(mutable_store_5) },
	[7] = { mutable_store_7, sizeof(mutable_store_7) },
};

static const struct sundog_set_binding typed_bindings[] = {
	{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, ELEMENTS },
	{ 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1 },
};

static bool is_large(const struct scene *s)
{
	return s->set == ID_MANY;
}

/* Objects */

static void make_layout(struct hostile *h, uint32_t id, uint32_t n,
			const struct sundog_set_binding *b)
{
	sundog_emit_create_set_layout(h->stream, &(struct sundog_cmd_create_set_layout){ id, n },
				      b);
}

static void make_layouts(struct hostile *h)
{
	static const struct sundog_set_binding result[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
		{ 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1 },
	};
	static const uint32_t few[] = { ID_RESULT_LAYOUT, ID_FEW_LAYOUT },
		many[] = { ID_RESULT_LAYOUT, ID_MANY_LAYOUT };

	make_layout(h, ID_RESULT_LAYOUT, 2, result);
	make_layout(h, ID_FEW_LAYOUT, 1, &(struct sundog_set_binding){
		BINDING, SUNDOG_MUTABLE_TYPE, ELEMENTS });
	make_layout(h, ID_MANY_LAYOUT, 1, &(struct sundog_set_binding){
		BINDING, SUNDOG_MUTABLE_TYPE, MANY });
	make_layout(h, ID_TYPED_LAYOUT, 2, typed_bindings);
	sundog_emit_create_pipeline_layout(h->stream, &(struct sundog_cmd_create_pipeline_layout){
		ID_LAYOUT, 0, 2 }, few);
	sundog_emit_create_pipeline_layout(h->stream, &(struct sundog_cmd_create_pipeline_layout){
		ID_MANY_PIPELINE, 0, 2 }, many);
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){
		ID_RESULT_SET, ID_RESULT_LAYOUT });
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){ ID_FEW, ID_FEW_LAYOUT });
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){
		ID_OTHER, ID_FEW_LAYOUT });
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){
		ID_MANY, ID_MANY_LAYOUT });
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){
		ID_TYPED, ID_TYPED_LAYOUT });
}

static void make_shader(struct hostile *h, uint32_t id, uint32_t stage, uint32_t layout,
			const uint32_t *code, size_t size)
{
	sundog_emit_create_layout_shader(h->stream,
		&(struct sundog_cmd_create_layout_shader){ id, stage, layout, size / 4 }, code);
}

static void make_shaders(struct hostile *h)
{
	for (uint32_t type = 0; type < TYPES; type++) {
		make_shader(h, ID_SHADERS + type, SUNDOG_STAGE_COMPUTE, ID_LAYOUT,
			    shaders[type].code, shaders[type].size);
		make_shader(h, ID_SHADERS + TYPES + type, SUNDOG_STAGE_COMPUTE, ID_MANY_PIPELINE,
			    shaders[type].code,
			    shaders[type].size);
		if (stores[type].code)
			make_shader(h, ID_STORES + type, SUNDOG_STAGE_COMPUTE, ID_LAYOUT,
				    stores[type].code,
				    stores[type].size);
	}
	make_shader(h, ID_TWO, SUNDOG_STAGE_COMPUTE, ID_LAYOUT, mutable_two, sizeof(mutable_two));
	make_shader(h, ID_VERTEX, SUNDOG_STAGE_VERTEX, ID_LAYOUT, mutable_vert,
		    sizeof(mutable_vert));
	make_shader(h, ID_SAME, SUNDOG_STAGE_FRAGMENT, ID_LAYOUT, mutable_same,
		    sizeof(mutable_same));
	make_shader(h, ID_OTHERS, SUNDOG_STAGE_FRAGMENT, ID_LAYOUT, mutable_other,
		    sizeof(mutable_other));
}

static void make_view(struct hostile *h, uint32_t id, uint32_t usage)
{
	sundog_emit_create_image_view(h->stream, &(struct sundog_cmd_create_image_view){
		.id = id, .image = ID_IMAGE, .type = VK_IMAGE_VIEW_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1, .usage = usage });
}

static void make_things(struct scene *s)
{
	struct hostile *h = s->h;

	sundog_emit_create_image(h->stream, &(struct sundog_cmd_create_image){
		.id = ID_IMAGE, .mem = sdrm_bo_mem(s->image), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = { SIDE, SIDE, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_STORAGE |
			 SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT });
	make_view(h, ID_VIEW, SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_STORAGE);
	make_view(h, ID_TARGET_VIEW, SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT);
	sundog_emit_create_sampler(h->stream, &(struct sundog_cmd_create_sampler){
		.id = ID_SAMPLER, .address_u = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
		.address_v = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, .max_anisotropy = 1.0f,
		.border_int = 1 });
	for (uint32_t i = 0; i < ELEMENTS; i++)
		sundog_emit_create_buffer_view(h->stream, &(struct sundog_cmd_create_buffer_view){
			ID_TEXELS + i, { sdrm_bo_mem(s->source), i * STEP, 16 },
			VK_FORMAT_R32_UINT });
}

/*
 * Returns the descriptor for an element of @type. @i: element, which selects the range of the
 * source.
 */
static struct sundog_set_descriptor thing(const struct scene *s, uint32_t type, uint32_t i)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_SAMPLER:
		return (struct sundog_set_descriptor){ .sampler = ID_SAMPLER };
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
		return (struct sundog_set_descriptor){ .view = ID_VIEW, .sampler = ID_SAMPLER };
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		return (struct sundog_set_descriptor){ .view = ID_VIEW };
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		return (struct sundog_set_descriptor){ .view = ID_TEXELS + i };
	default:
		return (struct sundog_set_descriptor){
			.range = { sdrm_bo_mem(s->source), i * STEP, 16 } };
	}
}

static void write_as(struct scene *s, uint32_t element, uint32_t type,
		     const struct sundog_set_descriptor *d)
{
	sundog_emit_write_mutable_set(s->h->stream,
		&(struct sundog_cmd_write_mutable_set){ s->set, BINDING, element, type, 1 }, d);
}

static void write_element(struct scene *s, uint32_t element, uint32_t type)
{
	const struct sundog_set_descriptor d = thing(s, type, element % ELEMENTS);

	write_as(s, element, type, &d);
}

static void list(struct scene *s)
{
	hostile_list(s->h, s->source);
	hostile_list(s->h, s->image);
	hostile_list(s->h, s->result);
}

static void make_objects(struct scene *s)
{
	const struct sundog_set_descriptor range = { .range = { sdrm_bo_mem(s->result), 0,
								BUFFER_SIZE } };
	struct hostile *h = s->h;

	list(s);
	make_layouts(h);
	make_things(s);
	make_shaders(h);
	sundog_emit_write_set(h->stream, &(struct sundog_cmd_write_set){ ID_RESULT_SET, 0, 0, 1 },
			      &range);
	sundog_emit_write_set(h->stream, &(struct sundog_cmd_write_set){ ID_RESULT_SET, 1, 0, 1 },
			      &(struct sundog_set_descriptor){ .view = ID_VIEW });
	hostile_need(h, "layouts, sets, views and shaders");
}

static void fill(struct scene *s)
{
	uint32_t *source = sdrm_bo_map(s->source), *image = sdrm_bo_map(s->image);

	for (uint32_t i = 0; i < BUFFER_SIZE / 4; i++) {
		source[i] = CANARY;
		image[i] = TEXEL;
	}
	for (uint32_t i = 0; i < ELEMENTS; i++)
		source[i * STEP / 4] = i + 1;
	memset(sdrm_bo_map(s->result), NOTHING & 0xff, BUFFER_SIZE);
}

/* Reads */

static void dispatch(struct scene *s, uint32_t shader)
{
	sundog_emit_bind_set(s->h->stream, &(struct sundog_cmd_bind_set){ 1, 0, ID_RESULT_SET, 0 },
			     NULL);
	sundog_emit_bind_set(s->h->stream, &(struct sundog_cmd_bind_set){ 1, 1, s->set, 0 }, NULL);
	hostile_work(s->h, SUNDOG_STAGE_COMPUTE, 0, shader);
}

/*
 * Returns the word that a shader of type @as reads from element @i of @type. TYPES: the element was
 * never written.
 */
static uint32_t expected_of(uint32_t as, uint32_t type, uint32_t i)
{
	const bool same = type == as || (type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER &&
					 as <= VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);

	/* The test's sampler returns the border, which is zero, and a null sampler the texel. */
	if (as == VK_DESCRIPTOR_TYPE_SAMPLER)
		return same ? 0 : TEXEL;
	if (as <= VK_DESCRIPTOR_TYPE_STORAGE_IMAGE)
		return same ? TEXEL : 0;
	return same ? i + 1 : 0;
}

/* Returns true if a shader of type @as sees that element i is of types[i]. */
static bool sees(struct scene *s, uint32_t as, const uint32_t *types)
{
	const uint32_t *words = sdrm_bo_map(s->result);

	fill(s);
	list(s);
	dispatch(s, ID_SHADERS + as + (is_large(s) ? TYPES : 0));
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		if (words[i] == expected_of(as, types[i], i))
			continue;
		printf("# type %u, element %u of type %u is %#x, not %#x\n", as, i, types[i],
		       words[i],
		       expected_of(as, types[i], i));
		return false;
	}
	return true;
}

/* Does that for all types that a shader can declare. */
static bool all_see(struct scene *s, const uint32_t *types)
{
	bool ok = true;

	for (uint32_t as = 0; as < TYPES; as++)
		ok &= sees(s, as, types);
	return ok;
}

static void try_types(struct scene *s, const char *what)
{
	uint32_t types[ELEMENTS];
	bool ok = true;

	for (uint32_t i = 0; i < ELEMENTS; i++)
		types[i] = TYPES;
	hostile_result(all_see(s, types), "%s: elements that were not written are nothing", what);
	for (uint32_t turn = 0; turn < TYPES; turn++) {
		for (uint32_t i = 0; i < ELEMENTS; i++) {
			types[i] = (i + turn) % TYPES;
			list(s);
			write_element(s, i, types[i]);
		}
		ok &= all_see(s, types);
	}
	hostile_result(ok,
		       "%s: of all types, shaders see those that they declare, and nothing else",
		       what);
	ok = true;
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		write_as(s, i, i * 3 % TYPES, &(struct sundog_set_descriptor){ 0 });
		types[i] = TYPES;
		ok &= i % 3 || all_see(s, types);
	}
	hostile_result(ok && all_see(s, types), "%s: elements are emptied as any type", what);
}

/* Elements change their type between dispatches of one submission. */
static void try_order(struct scene *s, const char *what)
{
	const uint32_t *words = sdrm_bo_map(s->result);
	bool ok = true;

	fill(s);
	list(s);
	for (uint32_t n = 0; n < 32; n++) {
		const uint32_t type = n % 4 < 2 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER :
				      VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
		const struct sundog_set_descriptor range = {
			.range = { sdrm_bo_mem(s->result), n * STEP, STEP } };

		sundog_emit_write_set(s->h->stream, &(struct sundog_cmd_write_set){
			ID_RESULT_SET, 0, 0, 1 }, &range);
		write_element(s, n % ELEMENTS, type);
		dispatch(s, ID_SHADERS + VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER +
			 (is_large(s) ? TYPES : 0));
	}
	ok = hostile_runs(s->h);
	for (uint32_t n = 0; ok && n < 32; n++)
		ok = words[n * STEP / 4 + n % ELEMENTS] == (n % 4 < 2 ? n % ELEMENTS + 1 : 0);
	hostile_result(ok, "%s: a dispatch sees what elements are when it comes", what);
	list(s);
	sundog_emit_write_set(s->h->stream,
			      &(struct sundog_cmd_write_set){ ID_RESULT_SET, 0, 0, 1 },
		&(struct sundog_set_descriptor){ .range = { sdrm_bo_mem(s->result), 0,
							    BUFFER_SIZE } });
	hostile_need(s->h, "the results as they were");
}

/*
 * Runs shaders of two types in one submission that binds the sets once: the second shader sees
 * elements of its own type.
 */
static bool sees_after(struct scene *s, uint32_t first, uint32_t second)
{
	const uint32_t *words = sdrm_bo_map(s->result);
	bool ok;

	fill(s);
	list(s);
	dispatch(s, ID_SHADERS + first);
	hostile_work(s->h, SUNDOG_STAGE_COMPUTE, 0, ID_SHADERS + second);
	ok = hostile_runs(s->h);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		ok &= words[i] == expected_of(second, i, i);
	return ok;
}

static void try_turns(struct scene *s)
{
	bool ok = true;

	list(s);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		write_element(s, i, i);
	hostile_need(s->h, "elements of all types");
	for (uint32_t i = 0; i < TYPES * TYPES; i++)
		ok &= sees_after(s, i / TYPES, i % TYPES);
	hostile_result(ok, "shaders of two types in turns see what is theirs");
}

/* A store through one type must not reach the resource of an element of another type. */
static bool stores_to(struct scene *s, uint32_t type)
{
	const uint32_t *source = sdrm_bo_map(s->source), *image = sdrm_bo_map(s->image);
	const uint32_t in_image = type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? STORED : TEXEL;
	bool ok = true;

	fill(s);
	list(s);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		write_element(s, i, i);
	dispatch(s, ID_STORES + type);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		const uint32_t expected = i == type &&
					  type != VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? STORED : i + 1;

		if (source[i * STEP / 4] == expected)
			continue;
		printf("# element %u is %#x, not %#x\n", i, source[i * STEP / 4], expected);
		ok = false;
	}
	return ok && image[0] == in_image && image[1] == TEXEL;
}

static void try_stores(struct scene *s)
{
	hostile_result(stores_to(s, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE),
		       "a store to images changes images only");
	hostile_result(stores_to(s, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER),
		       "and one to texels texels");
	hostile_result(stores_to(s, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
		       "and one to buffers buffers");
}

/* Memory that is not listed, not writable, or freed. */
static void try_memory(struct scene *s)
{
	const uint32_t *words = sdrm_bo_map(s->result);
	struct sdrm_bo *gone = hostile_canaries(s->h, BUFFER_SIZE);
	const struct sundog_set_descriptor d = { .range = { sdrm_bo_mem(gone), 0, 16 } };
	bool ok;

	for (uint32_t i = 0; i < ELEMENTS; i++)
		write_element(s, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
	list(s);
	hostile_list(s->h, gone);
	write_as(s, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &d);
	hostile_need(s->h, "ranges as elements");
	fill(s);
	list(s);
	dispatch(s, ID_STORES + VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
	ok = hostile_runs(s->h) && words[1] == 2 && words[2] == 0 && hostile_canaries_live(gone);
	hostile_result(ok, "memory that is not listed is nothing");
	fill(s);
	sdrm_submit_add(s->h->submit, s->source, SUNDOG_ACCESS_READ);
	hostile_list(s->h, s->image);
	hostile_list(s->h, s->result);
	dispatch(s, ID_STORES + VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
	hostile_result(hostile_runs(s->h) && words[1] == 0 &&
		       ((uint32_t *)sdrm_bo_map(s->source))[0] == 1,
		       "nor is what is listed for reading what shaders may write");
	sdrm_bo_del(gone);
	fill(s);
	list(s);
	dispatch(s, ID_SHADERS + VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
	hostile_result(hostile_runs(s->h) && words[1] == 2 && words[2] == 0,
		       "nor is memory that is gone");
}

static void copy(struct scene *s, uint32_t src, uint32_t src_binding, uint32_t dst,
		 uint32_t dst_binding)
{
	sundog_emit_copy_set(s->h->stream,
		&(struct sundog_cmd_copy_set){ src, src_binding, 0, dst, dst_binding, 0,
					       ELEMENTS });
}

static void try_copies(struct scene *s)
{
	uint32_t types[ELEMENTS];

	for (uint32_t i = 0; i < ELEMENTS; i++) {
		types[i] = i % 3 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : i;
		list(s);
		write_element(s, i, types[i]);
	}
	copy(s, ID_FEW, BINDING, ID_MANY, BINDING);
	copy(s, ID_MANY, BINDING, ID_OTHER, BINDING);
	s->set = ID_OTHER;
	hostile_result(all_see(s, types), "copies are of the types of what was copied");
	copy(s, ID_FEW, BINDING, ID_TYPED, 0);
	copy(s, ID_TYPED, 0, ID_OTHER, BINDING);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		types[i] = types[i] == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ? types[i] : TYPES;
	hostile_result(all_see(s, types),
		       "a binding of one type takes what is of it, and nothing for the rest");
	s->set = ID_FEW;
}

static void bind_for_draws(struct scene *s)
{
	sundog_emit_bind_set(s->h->stream, &(struct sundog_cmd_bind_set){ 0, 0, ID_RESULT_SET, 0 },
			     NULL);
	sundog_emit_bind_set(s->h->stream, &(struct sundog_cmd_bind_set){ 0, 1, s->set, 0 }, NULL);
}

static void try_stages(struct scene *s)
{
	fill(s);
	list(s);
	write_element(s, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
	bind_for_draws(s);
	hostile_work(s->h, SUNDOG_STAGE_FRAGMENT, ID_VERTEX, ID_SAME);
	hostile_result(hostile_runs(s->h) && hostile_pixels(s->h)[0] == 1,
		       "stages that declare the same type see it");
}

/*
 * Views and samplers live on while elements refer to them, and are freed once elements of another
 * type replace these.
 */
static void try_lifetimes(struct scene *s)
{
	const uint32_t types[ELEMENTS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct hostile *h = s->h;

	for (uint32_t turn = 0; turn < 2; turn++) {
		list(s);
		for (uint32_t i = 0; i < ELEMENTS; i++)
			write_element(s, i, turn ? types[i] : TYPES - 1 - types[i]);
	}
	sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SAMPLER, ID_SAMPLER });
	sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE_VIEW, ID_VIEW });
	for (uint32_t i = 0; i < ELEMENTS; i++)
		sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){
			SUNDOG_OBJECT_KIND_BUFFER_VIEW, ID_TEXELS + i });
	hostile_result(all_see(s, types), "views and samplers live as long as elements have them");
}

/* Invalid packets */

static void record_plain_write(struct scene *s)
{
	const struct sundog_set_descriptor d = thing(s, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0);

	list(s);
	sundog_emit_write_set(s->h->stream, &(struct sundog_cmd_write_set){ ID_FEW, BINDING, 0, 1 },
			      &d);
}

static void record_write_to_one_type(struct scene *s)
{
	const struct sundog_set_descriptor d = thing(s, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0);

	list(s);
	sundog_emit_write_mutable_set(s->h->stream, &(struct sundog_cmd_write_mutable_set){
		ID_TYPED, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 }, &d);
}

static void record_type_with_offset(struct scene *s)
{
	list(s);
	write_as(s, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
		 &(struct sundog_set_descriptor){ 0 });
}

static void record_mutable_type(struct scene *s)
{
	write_as(s, 0, SUNDOG_MUTABLE_TYPE, &(struct sundog_set_descriptor){ 0 });
}

static void record_past_the_binding(struct scene *s)
{
	write_as(s, ELEMENTS, VK_DESCRIPTOR_TYPE_SAMPLER, &(struct sundog_set_descriptor){ 0 });
}

static void record_texels_as_image(struct scene *s)
{
	write_as(s, 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, &(struct sundog_set_descriptor){
		.view = ID_TEXELS });
}

static void record_image_as_texels(struct scene *s)
{
	write_as(s, 0, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
		 &(struct sundog_set_descriptor){ .view = ID_VIEW });
}

static void record_target(struct scene *s)
{
	list(s);
	write_as(s, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &(struct sundog_set_descriptor){
		.view = ID_TARGET_VIEW });
}

static void record_no_sampler(struct scene *s)
{
	list(s);
	write_as(s, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		 &(struct sundog_set_descriptor){ .view = ID_VIEW });
}

static void record_not_listed(struct scene *s)
{
	const struct sundog_set_descriptor d = thing(s, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0);

	write_as(s, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &d);
}

static void record_copy_to_offset(struct scene *s)
{
	sundog_emit_copy_set(s->h->stream, &(struct sundog_cmd_copy_set){
		ID_FEW, BINDING, 0, ID_TYPED, 1, 0, 1 });
}

static void record_copy_of_offset(struct scene *s)
{
	sundog_emit_copy_set(s->h->stream, &(struct sundog_cmd_copy_set){
		ID_TYPED, 1, 0, ID_FEW, BINDING, 0, 1 });
}

static void record_two_types(struct scene *s)
{
	list(s);
	dispatch(s, ID_TWO);
}

static void record_stages_that_differ(struct scene *s)
{
	list(s);
	bind_for_draws(s);
	hostile_work(s->h, SUNDOG_STAGE_FRAGMENT, ID_VERTEX, ID_OTHERS);
}

/* The layout has the same count, but of one type. */
static void record_other_layout(struct scene *s)
{
	struct hostile *h = s->h;

	list(s);
	make_layout(h, ID_NEW, 1, &(struct sundog_set_binding){
		BINDING, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, ELEMENTS });
	sundog_emit_create_set(h->stream, &(struct sundog_cmd_create_set){ ID_NEW + 1, ID_NEW });
	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 1, 0, ID_RESULT_SET, 0 },
			     NULL);
	sundog_emit_bind_set(h->stream, &(struct sundog_cmd_bind_set){ 1, 1, ID_NEW + 1, 0 }, NULL);
	hostile_work(h, SUNDOG_STAGE_COMPUTE, 0, ID_SHADERS + VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
}

/* One mutable binding more than a set may have, behind many others. */
static void record_too_many(struct scene *s)
{
	static struct sundog_set_binding bindings[2 * SUNDOG_MAX_MUTABLE_BINDINGS + 1];
	const uint32_t n = sizeof(bindings) / sizeof(bindings[0]);

	for (uint32_t i = 0; i < n; i++)
		bindings[i] = (struct sundog_set_binding){
			i,
			i < SUNDOG_MAX_MUTABLE_BINDINGS ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER :
							  SUNDOG_MUTABLE_TYPE,
			1,
		};
	make_layout(s->h, ID_NEW, n, bindings);
}

static const struct hostile_fault faults[] = {
	{ "too many mutable bindings", record_too_many, SUNDOG_FAULT_CODE_FIELD },
	{ "a write without a type", record_plain_write, SUNDOG_FAULT_CODE_FIELD },
	{ "a type for a binding that has one", record_write_to_one_type, SUNDOG_FAULT_CODE_FIELD },
	{ "a type that takes offsets", record_type_with_offset, SUNDOG_FAULT_CODE_FIELD },
	{ "an element of any type", record_mutable_type, SUNDOG_FAULT_CODE_FIELD },
	{ "an element past the binding", record_past_the_binding, SUNDOG_FAULT_CODE_FIELD },
	{ "texels as an image", record_texels_as_image, SUNDOG_FAULT_CODE_OBJECT },
	{ "an image as texels", record_image_as_texels, SUNDOG_FAULT_CODE_OBJECT },
	{ "a view that is not for shaders", record_target, SUNDOG_FAULT_CODE_OBJECT },
	{ "an image without its sampler", record_no_sampler, SUNDOG_FAULT_CODE_OBJECT },
	{ "a range of memory that is not listed", record_not_listed, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a copy to what takes an offset", record_copy_to_offset, SUNDOG_FAULT_CODE_FIELD },
	{ "a copy of what takes an offset", record_copy_of_offset, SUNDOG_FAULT_CODE_FIELD },
	{ "a shader with two types at a binding", record_two_types, SUNDOG_FAULT_CODE_SHADER },
	{ "stages with a type each", record_stages_that_differ, SUNDOG_FAULT_CODE_OBJECT },
	{ "a set of one type for shaders of any", record_other_layout, SUNDOG_FAULT_CODE_STATE },
};

int main(void)
{
	struct scene s = { .h = hostile_new(), .set = ID_FEW };

	hostile_guard_front(s.h);
	s.source = hostile_bo(s.h, BUFFER_SIZE);
	s.image = hostile_bo(s.h, BUFFER_SIZE);
	s.result = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	make_objects(&s);
	try_types(&s, "a set");
	try_order(&s, "a set");
	s.set = ID_MANY;
	try_types(&s, "a large set");
	try_order(&s, "a large set");
	s.set = ID_FEW;
	try_turns(&s);
	try_stores(&s);
	try_memory(&s);
	try_copies(&s);
	try_stages(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	try_lifetimes(&s);
	sdrm_bo_del(s.source);
	sdrm_bo_del(s.image);
	sdrm_bo_del(s.result);
	hostile_del(s.h);
	return hostile_status();
}
