// SPDX-License-Identifier: MIT
/*
 * Tests handle tables: textures and images that shaders select by index. For any index a shader
 * sees a view of the type that it declares, or zero. The memory of all views in a bound table must
 * be listed. A view lives as long as a table has it. Runs on the device that device.h finds. Prints
 * TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "handle-shaders.h"
#include "hostile.h"
#include "probe.vert.h"
#include "view-kinds.h"

#define IMAGE_SIZE 65536
#define PROBES 5
#define SIDE 8
#define TEXELS 64u

/* Word i of an image's memory is OWN + i, also a valid float. */
#define OWN 0x40000000u

#define STORAGE (SUNDOG_NUM_HANDLE_DIMS * SUNDOG_NUM_HANDLE_NUMBERS)
#define ATOMIC (2 * STORAGE)

enum { OP_STORE, OP_LOAD, OP_ADD, OP_EACH };

enum {
	ID_TABLE = HOSTILE_FREE, ID_VERTEX, ID_COMPUTE, ID_COMPUTE_TEXELS, ID_STORE, ID_STORE_VIEW,
	ID_TEXELS,
	ID_SHADERS, ID_IMAGES = ID_SHADERS + 27, ID_NEW = ID_IMAGES + 54,
};

/* The type of a texture is also the binding of its table. */
#define BINDING_2D_UINT (1 * SUNDOG_NUM_HANDLE_NUMBERS + 2)
#define BINDING_TEXELS_UINT (SUNDOG_HANDLE_DIM_BUFFER * SUNDOG_NUM_HANDLE_NUMBERS + 2)

static const struct type_shader shaders[N_TYPES] = { TYPE_SHADERS(handle) };

struct scene {
	struct hostile *h;
	struct sdrm_bo *images[N_TYPES], *store, *texels, *words;
};

static void make_shaders(struct hostile *h)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT,
							   .push_size = 8 };
	const struct sundog_cmd_create_shader compute = {
		.stage = SUNDOG_STAGE_COMPUTE, .push_size = 12, .n_bindings = 1,
		.bindings = { { SUNDOG_BINDING_SSBOS, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER } },
	};

	hostile_shader(h, ID_VERTEX, &vertex, probe_vert, sizeof(probe_vert));
	for (uint32_t i = 0; i < N_TYPES; i++)
		hostile_shader(h, ID_SHADERS + i, &fragment, shaders[i].code, shaders[i].size);
	hostile_shader(h, ID_COMPUTE, &compute, handles_comp, sizeof(handles_comp));
	hostile_shader(h, ID_COMPUTE_TEXELS, &compute, handles_texels, sizeof(handles_texels));
}

static void fill_own(struct sdrm_bo *bo)
{
	uint32_t *map = sdrm_bo_map(bo);

	for (uint32_t i = 0; i < IMAGE_SIZE / 4; i++)
		map[i] = OWN + i;
}

static struct sdrm_bo *make_image(struct hostile *h, uint32_t id, uint32_t type, uint32_t usage)
{
	const struct kind *k = &kinds[type / 3];
	const struct sundog_cmd_create_image_view view = {
		.id = id + 1, .image = id, .type = k->view_type, .format = class_formats[type % 3],
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = k->layers, .usage = usage,
	};
	struct sdrm_bo *bo = hostile_bo(h, IMAGE_SIZE);
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = sdrm_bo_mem(bo), .type = k->image_type,
		.format = class_formats[type % 3],
		.extent = { SIDE, k->image_type == VK_IMAGE_TYPE_1D ? 1 : SIDE, k->depth },
		.levels = 1,
		.layers = k->layers, .samples = k->samples, .flags = k->flags, .usage = usage,
	};

	fill_own(bo);
	hostile_list(h, bo);
	sundog_emit_create_image(h->stream, &image);
	sundog_emit_create_image_view(h->stream, &view);
	return bo;
}

static uint32_t view_of(uint32_t type)
{
	return ID_IMAGES + type * 2 + 1;
}

static void write_entry(struct hostile *h, uint32_t table, uint32_t binding, uint32_t index,
			uint32_t view)
{
	const struct sundog_cmd_write_handle write = {
		.table = table, .binding = binding, .index = index, .view = view,
		.sampler = view && binding < SUNDOG_HANDLE_DIM_BUFFER *
		SUNDOG_NUM_HANDLE_NUMBERS ? HOSTILE_SAMPLER : 0,
	};

	sundog_emit_write_handle(h->stream, &write);
}

static void bind(struct hostile *h, uint32_t table)
{
	sundog_emit_bind_handles(h->stream, &(struct sundog_cmd_bind_handles){ table });
}

static void list_images(struct scene *s)
{
	for (uint32_t i = 0; i < N_TYPES; i++)
		hostile_list(s->h, s->images[i]);
	hostile_list(s->h, s->store);
	hostile_list(s->h, s->texels);
}

static void make_table(struct scene *s)
{
	struct hostile *h = s->h;

	sundog_emit_create_handle_table(h->stream, &(struct sundog_cmd_create_handle_table){
		ID_TABLE });
	/* Entry i + 1 is in the table of type i: each index is in one table only. */
	for (uint32_t i = 0; i < N_TYPES; i++)
		write_entry(h, ID_TABLE, i, i + 1, view_of(i));
	write_entry(h, ID_TABLE, STORAGE + BINDING_2D_UINT, 1, ID_STORE_VIEW);
	write_entry(h, ID_TABLE, ATOMIC + BINDING_2D_UINT, 1, ID_STORE_VIEW);
	write_entry(h, ID_TABLE, STORAGE + BINDING_TEXELS_UINT, 1, ID_TEXELS);
	write_entry(h, ID_TABLE, ATOMIC + BINDING_TEXELS_UINT, 1, ID_TEXELS);
}

static void make_texels(struct scene *s)
{
	const struct sundog_cmd_create_buffer_view view = {
		ID_TEXELS, { sdrm_bo_mem(s->texels), 256, TEXELS * 4 }, VK_FORMAT_R32_UINT,
	};

	hostile_list(s->h, s->texels);
	fill_own(s->texels);
	sundog_emit_create_buffer_view(s->h->stream, &view);
}

static void begin_draw(struct hostile *h, uint32_t shader, uint32_t probe, uint32_t index)
{
	const struct sundog_cmd_push_constants push = { .count = 2 };
	const uint32_t data[] = { probe, index };

	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_SHADERS + shader } });
	sundog_emit_push_constants(h->stream, &push, data);
}

static void draw(struct hostile *h, uint32_t shader, uint32_t probe, uint32_t index)
{
	begin_draw(h, shader, probe, index);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	hostile_end(h);
}

/*
 * Counts the words of the picture that are neither zero nor the image's, and in @seen those that
 * are not zero.
 */
static int count_strange(const uint32_t *pixels, int *seen)
{
	int strange = 0;

	*seen = 0;
	for (int i = 0; i < HOSTILE_PIXELS * 2; i++) {
		*seen += pixels[i] != 0;
		strange += pixels[i] && pixels[i] - OWN >= IMAGE_SIZE / 4;
	}
	return strange;
}

/* Returns true if @shader sees the image (@something) or only zeroes at @index. */
static bool sees(struct scene *s, uint32_t shader, uint32_t probe, uint32_t index, bool something)
{
	int strange, seen;

	list_images(s);
	bind(s->h, ID_TABLE);
	draw(s->h, shader, probe, index);
	if (!hostile_runs(s->h))
		return false;
	strange = count_strange(hostile_pixels(s->h), &seen);
	if (!strange && (!something || seen) && (something || !seen))
		return true;
	printf("# shader %u, probe %u, entry %#x: %d words of others, %d seen\n", shader, probe,
	       index, strange, seen);
	return false;
}

static const uint32_t wild[] = { 0, 4095, 4096, 5000, 0x7fffffff, 0x80000000, 0xffffffff,
				 0xfffff001 };

static void try_kinds(struct scene *s)
{
	for (uint32_t shader = 0; shader < N_TYPES; shader++) {
		bool ok = sees(s, shader, 0, shader + 1, true);

		/*
		 * Coordinates of these probes may be outside the image, where the shader sees zero.
		 */
		for (uint32_t probe = 1; probe < PROBES; probe++) {
			int seen;

			list_images(s);
			bind(s->h, ID_TABLE);
			draw(s->h, shader, probe, shader + 1);
			ok &= hostile_runs(s->h) && !count_strange(hostile_pixels(s->h), &seen);
		}
		for (uint32_t other = 0; other < N_TYPES; other++)
			ok &= other == shader || sees(s, shader, 0, other + 1, false);
		for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
			ok &= sees(s, shader, 0, wild[i], false);
		hostile_result(ok, "%ssampler%s sees entries of its kind only",
			       class_names[shader % 3],
			       kinds[shader / 3].name);
	}
}

/* Images */

static bool dispatch(struct scene *s, uint32_t shader, uint32_t op, uint32_t index, uint32_t first)
{
	const struct sundog_cmd_push_constants push = { .count = 3 };
	const uint32_t data[] = { op, index, first };
	const struct sundog_cmd_bind_ssbos ssbos = { SUNDOG_STAGE_COMPUTE, 0, 1 };
	const struct sundog_mem_range range = { sdrm_bo_mem(s->words), 0, TEXELS * 4 };

	memset(sdrm_bo_map(s->words), 0xff, TEXELS * 4);
	list_images(s);
	hostile_list(s->h, s->words);
	bind(s->h, ID_TABLE);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ [SUNDOG_STAGE_COMPUTE] = shader } });
	sundog_emit_bind_ssbos(s->h->stream, &ssbos, &range);
	sundog_emit_push_constants(s->h->stream, &push, data);
	sundog_emit_dispatch(s->h->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	return hostile_runs(s->h);
}

/* Returns true if the invocations saw @base plus @step for each. */
static bool words_are(struct scene *s, uint32_t base, uint32_t step)
{
	const uint32_t *words = sdrm_bo_map(s->words);

	for (uint32_t i = 0; i < TEXELS; i++) {
		if (words[i] == base + i * step)
			continue;
		printf("# word %u is %#x, not %#x\n", i, words[i], base + i * step);
		return false;
	}
	return true;
}

static bool is_untouched(struct sdrm_bo *bo, uint32_t first, uint32_t end)
{
	const uint32_t *map = sdrm_bo_map(bo);

	for (uint32_t i = 0; i < IMAGE_SIZE / 4; i++) {
		if ((i >= first && i < end) || map[i] == OWN + i)
			continue;
		printf("# word %u of an image is %#x\n", i, map[i]);
		return false;
	}
	return true;
}

static void try_images(struct scene *s, uint32_t shader, const char *name)
{
	const uint32_t far[] = { TEXELS, 1u << 20, 0x7fffffc0, 0x80000000, 0xffffff00 };
	bool ok;

	ok = dispatch(s, shader, OP_STORE, 1, 0) && dispatch(s, shader, OP_LOAD, 1, 0) &&
	     words_are(s, 1, 1);
	hostile_result(ok, "%s: stores and loads", name);
	ok = dispatch(s, shader, OP_ADD, 1, 0) && words_are(s, 1, 1) &&
	     dispatch(s, shader, OP_LOAD, 1, 0) &&
	     words_are(s, 1001, 1);
	hostile_result(ok, "%s: atomic operations", name);
	ok = true;
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		ok &= dispatch(s, shader, OP_STORE, wild[i], 0) &&
		      dispatch(s, shader, OP_ADD, wild[i], 0) &&
		      dispatch(s, shader, OP_LOAD, wild[i], 0) && words_are(s, 0, 0);
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
		ok &= dispatch(s, shader, OP_STORE, 1, far[i]) &&
		      dispatch(s, shader, OP_ADD, 1, far[i]);
	hostile_result(ok && dispatch(s, shader, OP_LOAD, 1, 0) && words_are(s, 1001, 1),
		       "%s: entries that are empty, and places outside", name);
}

/* Each invocation selects another entry: it sees that entry of its own or zero. */
static void try_each(struct scene *s)
{
	const uint32_t *words = sdrm_bo_map(s->words);
	bool ok = dispatch(s, ID_COMPUTE, OP_STORE, 1, 0) && dispatch(s, ID_COMPUTE, OP_EACH, 0, 0);

	for (uint32_t i = 0; ok && i < TEXELS; i++)
		ok = !words[i] || words[i] == i + 1;
	hostile_result(ok, "invocations side by side pick different entries");
}

/* Lifetimes */

static void destroy(struct hostile *h, uint32_t kind, uint32_t id)
{
	sundog_emit_destroy(h->stream, &(struct sundog_cmd_destroy){ kind, id });
}

static bool sees_new(struct scene *s, struct sdrm_bo *bo, bool something)
{
	int strange, seen;

	if (bo)
		hostile_list(s->h, bo);
	list_images(s);
	bind(s->h, ID_TABLE);
	draw(s->h, BINDING_2D_UINT, 0, 100);
	if (!hostile_runs(s->h))
		return false;
	strange = count_strange(hostile_pixels(s->h), &seen);
	return !strange && !!seen == something;
}

static void try_lifetimes(struct scene *s)
{
	struct hostile *h = s->h;
	struct sdrm_bo *bo = make_image(h, ID_NEW, BINDING_2D_UINT, SUNDOG_IMAGE_USAGE_SAMPLED);

	write_entry(h, ID_TABLE, BINDING_2D_UINT, 100, ID_NEW + 1);
	hostile_result(sees_new(s, bo, true), "an entry is written");
	destroy(h, SUNDOG_OBJECT_KIND_IMAGE_VIEW, ID_NEW + 1);
	destroy(h, SUNDOG_OBJECT_KIND_IMAGE, ID_NEW);
	hostile_result(sees_new(s, bo, true), "it keeps a view that was destroyed");
	list_images(s);
	bind(h, ID_TABLE);
	draw(h, BINDING_2D_UINT, 0, 1);
	hostile_refused(h, SUNDOG_FAULT_CODE_NOT_LISTED, "a draw without its memory");
	sdrm_bo_del(bo);
	list_images(s);
	bind(h, ID_TABLE);
	draw(h, BINDING_2D_UINT, 0, 100);
	hostile_refused(h, SUNDOG_FAULT_CODE_NOT_LISTED,
			"a draw with an entry whose memory is gone");
	write_entry(h, ID_TABLE, BINDING_2D_UINT, 100, 0);
	hostile_result(sees_new(s, NULL, false), "an entry is emptied");
}

/* Submits without waiting: each submission sees the entry as it was written before it. */
static void try_in_flight(struct scene *s)
{
	bool ok = true;

	for (uint32_t i = 0; i < 200; i++) {
		struct sdrm_fence *fence;

		write_entry(s->h, ID_TABLE, BINDING_2D_UINT, 200,
			    i & 1 ? 0 : view_of(BINDING_2D_UINT));
		list_images(s);
		bind(s->h, ID_TABLE);
		draw(s->h, BINDING_2D_UINT, 0, 200);
		ok &= !sdrm_submit_flush(s->h->submit, -1, &fence);
		sdrm_fence_del(fence);
	}
	ok &= sees(s, BINDING_2D_UINT, 0, 200, false);
	hostile_result(ok, "entries are written while others are read");
}

/* Invalid packets */

static void record_wrong_kind(struct scene *s)
{
	write_entry(s->h, ID_TABLE, BINDING_2D_UINT + 1, 9, view_of(BINDING_2D_UINT));
}

static void record_wrong_number(struct scene *s)
{
	write_entry(s->h, ID_TABLE, BINDING_2D_UINT - 1, 9, view_of(BINDING_2D_UINT));
}

static void record_not_storage(struct scene *s)
{
	write_entry(s->h, ID_TABLE, STORAGE + BINDING_2D_UINT, 9, view_of(BINDING_2D_UINT));
}

static void record_not_atomic(struct scene *s)
{
	const struct sundog_cmd_create_image image = {
		.id = ID_NEW + 20, .mem = sdrm_bo_mem(s->words), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UINT, .extent = { SIDE, SIDE, 1 }, .levels = 1,
		.layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_STORAGE,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = image.id + 1, .image = image.id, .type = VK_IMAGE_VIEW_TYPE_2D,
		.format = image.format,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = 1, .usage = image.usage,
	};

	hostile_list(s->h, s->words);
	sundog_emit_create_image(s->h->stream, &image);
	sundog_emit_create_image_view(s->h->stream, &view);
	write_entry(s->h, ID_TABLE, ATOMIC + BINDING_2D_UINT, 9, view.id);
}

static void record_other_object(struct scene *s)
{
	write_entry(s->h, ID_TABLE, BINDING_TEXELS_UINT, 9, view_of(BINDING_2D_UINT));
}

static void record_no_sampler(struct scene *s)
{
	const struct sundog_cmd_write_handle write = { ID_TABLE, BINDING_2D_UINT, 9,
						       view_of(BINDING_2D_UINT), 0 };

	sundog_emit_write_handle(s->h->stream, &write);
}

static void record_no_view(struct scene *s)
{
	write_entry(s->h, ID_TABLE, BINDING_2D_UINT, 9, ID_NEW + 50);
}

static void record_entry_zero(struct scene *s)
{
	write_entry(s->h, ID_TABLE, BINDING_2D_UINT, 0, view_of(BINDING_2D_UINT));
}

static void record_past_the_end(struct scene *s)
{
	write_entry(s->h, ID_TABLE, BINDING_2D_UINT, SUNDOG_MAX_HANDLES, view_of(BINDING_2D_UINT));
}

static void record_no_kind(struct scene *s)
{
	write_entry(s->h, ID_TABLE, SUNDOG_NUM_HANDLE_KINDS, 9, view_of(BINDING_2D_UINT));
}

static void record_no_table(struct scene *s)
{
	write_entry(s->h, ID_NEW + 50, BINDING_2D_UINT, 9, view_of(BINDING_2D_UINT));
}

static void record_other_table(struct scene *s)
{
	bind(s->h, HOSTILE_SAMPLER);
}

static void record_in_rendering(struct scene *s)
{
	begin_draw(s->h, BINDING_2D_UINT, 0, 1);
	write_entry(s->h, ID_TABLE, BINDING_2D_UINT, 9, view_of(BINDING_2D_UINT));
}

static void record_nothing_bound(struct scene *s)
{
	list_images(s);
	draw(s->h, BINDING_2D_UINT, 0, 1);
}

static void record_unbound(struct scene *s)
{
	list_images(s);
	bind(s->h, ID_TABLE);
	bind(s->h, 0);
	draw(s->h, BINDING_2D_UINT, 0, 1);
}

static const struct hostile_fault faults[] = {
	{ "a view of other dimensions", record_wrong_kind, SUNDOG_FAULT_CODE_OBJECT },
	{ "a view of other numbers", record_wrong_number, SUNDOG_FAULT_CODE_OBJECT },
	{ "a view that is no storage image", record_not_storage, SUNDOG_FAULT_CODE_OBJECT },
	{ "a view without atomic operations", record_not_atomic, SUNDOG_FAULT_CODE_OBJECT },
	{ "an image view for a buffer view", record_other_object, SUNDOG_FAULT_CODE_OBJECT },
	{ "a texture without a sampler", record_no_sampler, SUNDOG_FAULT_CODE_OBJECT },
	{ "a view that there is not", record_no_view, SUNDOG_FAULT_CODE_OBJECT },
	{ "entry 0", record_entry_zero, SUNDOG_FAULT_CODE_FIELD },
	{ "an entry past the end", record_past_the_end, SUNDOG_FAULT_CODE_FIELD },
	{ "a kind that there is not", record_no_kind, SUNDOG_FAULT_CODE_FIELD },
	{ "a table that there is not", record_no_table, SUNDOG_FAULT_CODE_OBJECT },
	{ "a table that is a sampler", record_other_table, SUNDOG_FAULT_CODE_OBJECT },
	{ "an entry written in a rendering", record_in_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a draw with no tables bound", record_nothing_bound, SUNDOG_FAULT_CODE_STATE },
	{ "a draw with tables unbound", record_unbound, SUNDOG_FAULT_CODE_STATE },
};

/* A store needs memory that is listed for writing, even if the shader never selects the entry. */
static void try_read_only(struct scene *s)
{
	struct hostile *h = s->h;

	for (uint32_t i = 0; i < N_TYPES; i++)
		sdrm_submit_add(h->submit, s->images[i], SUNDOG_ACCESS_READ);
	sdrm_submit_add(h->submit, s->store, SUNDOG_ACCESS_READ);
	hostile_list(h, s->texels);
	bind(h, ID_TABLE);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ [SUNDOG_STAGE_COMPUTE] = ID_COMPUTE } });
	sundog_emit_dispatch(h->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	hostile_refused(h, SUNDOG_FAULT_CODE_ACCESS,
			"a shader that stores, and memory that is listed for reading");
}

/* Writes of a refused stream do not take effect, so its tables must not be used any more. */
static void try_lost(struct scene *s)
{
	struct hostile *h = s->h;

	sundog_emit_create_handle_table(h->stream, &(struct sundog_cmd_create_handle_table){
		ID_NEW + 10 });
	write_entry(h, ID_NEW + 10, BINDING_2D_UINT, 1, view_of(BINDING_2D_UINT));
	hostile_need(h, "tables");
	write_entry(h, ID_NEW + 10, BINDING_2D_UINT, 1, 0);
	record_entry_zero(s);
	hostile_refused(h, SUNDOG_FAULT_CODE_FIELD, "a stream that had written an entry");
	bind(h, ID_NEW + 10);
	hostile_refused(h, SUNDOG_FAULT_CODE_OBJECT, "tables that it had written");
	destroy(h, SUNDOG_OBJECT_KIND_HANDLE_TABLE, ID_NEW + 10);
	hostile_need(h, "end of tables");
}

/* Tables use memory, which is limited and is freed with them. */
static void try_many(struct scene *s)
{
	struct hostile *h = s->h;
	uint32_t n = 0;

	while (n < 10) {
		sundog_emit_create_handle_table(h->stream, &(struct sundog_cmd_create_handle_table){
			ID_NEW + 100 + n });
		for (uint32_t i = 0; i < SUNDOG_NUM_HANDLE_KINDS; i++)
			write_entry(h, ID_NEW + 100 + n, i, 1, 0);
		if (!hostile_run(h))
			break;
		n++;
	}
	hostile_result(n && n < 10 && hostile_fault(h) == SUNDOG_FAULT_CODE_HOST,
		       "there is an end of tables (%u)", n);
	for (uint32_t i = 0; i <= n; i++)
		destroy(h, SUNDOG_OBJECT_KIND_HANDLE_TABLE, ID_NEW + 100 + i);
	hostile_need(h, "end of tables");
	/* The renderer frees unused tables during the next entries. */
	for (int i = 0; i < 8; i++) {
		bind(h, ID_TABLE);
		hostile_need(h, "tables");
	}
	sundog_emit_create_handle_table(h->stream, &(struct sundog_cmd_create_handle_table){
		ID_NEW + 100 });
	for (uint32_t i = 0; i < SUNDOG_NUM_HANDLE_KINDS; i++)
		write_entry(h, ID_NEW + 100, i, 1, 0);
	hostile_result(hostile_runs(h), "there are more when those are gone");
}

/* Unused tables count, too. The next tables get memory again. */
static void try_empty(struct scene *s)
{
	struct hostile *h = s->h;
	uint32_t n = 0;

	while (n < 1000) {
		sundog_emit_create_handle_table(h->stream, &(struct sundog_cmd_create_handle_table){
			ID_NEW + 200 + n });
		if (!hostile_run(h))
			break;
		n++;
	}
	hostile_result(n && n < 1000 && hostile_fault(h) == SUNDOG_FAULT_CODE_HOST,
		       "there is an end of empty tables (%u)",
		       n);
	for (uint32_t i = 0; i < n; i++) {
		list_images(s);
		bind(h, ID_NEW + 200 + i);
		draw(h, BINDING_2D_UINT, 0, 1);
		if (!hostile_runs(h))
			break;
	}
	hostile_result(sees(s, BINDING_2D_UINT, 0, BINDING_2D_UINT + 1, true),
		       "others are what they were");
	for (uint32_t i = 0; i < n; i++)
		destroy(h, SUNDOG_OBJECT_KIND_HANDLE_TABLE, ID_NEW + 200 + i);
	hostile_need(h, "end of tables");
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	for (uint32_t i = 0; i < N_TYPES; i++)
		s.images[i] = make_image(s.h, ID_IMAGES + i * 2, i, SUNDOG_IMAGE_USAGE_SAMPLED);
	s.store = make_image(s.h, ID_STORE, BINDING_2D_UINT, SUNDOG_IMAGE_USAGE_STORAGE);
	s.texels = hostile_bo(s.h, IMAGE_SIZE);
	s.words = hostile_bo(s.h, IMAGE_SIZE);
	hostile_guard_back(s.h);
	make_texels(&s);
	make_shaders(s.h);
	make_table(&s);
	hostile_need(s.h, "tables of handles");
	try_kinds(&s);
	try_images(&s, ID_COMPUTE, "uimage2D");
	try_images(&s, ID_COMPUTE_TEXELS, "uimageBuffer");
	hostile_result(is_untouched(s.texels, 64, 64 + TEXELS), "stores go where texels are");
	try_each(&s);
	try_lifetimes(&s);
	try_in_flight(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	try_read_only(&s);
	try_lost(&s);
	try_many(&s);
	try_empty(&s);
	for (uint32_t i = 0; i < N_TYPES; i++)
		sdrm_bo_del(s.images[i]);
	sdrm_bo_del(s.store);
	sdrm_bo_del(s.texels);
	sdrm_bo_del(s.words);
	hostile_del(s.h);
	return hostile_status();
}
