// SPDX-License-Identifier: MIT
/*
 * Tests tessellation: its results, invalid levels, more patches and vertices than the buffers of
 * the host hold, and pipelines whose stages do not match. Runs on the device that device.h finds.
 * Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "tess-shaders.h"

#define BUFFER_SIZE 65536u
#define RESULT 4096u			/* offset of the results in the buffer */
#define EARLY 1030u			/* patches of which some shaders make nothing */
#define ARGUMENTS 8192u			/* offset of arguments of draws in the buffer */
#define COUNT_AT 16384u			/* offset of their number */
#define STRIDE 20u
#define MANY 1500u			/* patches of ID_FAT: the host draws it in parts */

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_CONTROL, ID_QUADS, ID_TRIANGLES, ID_LINES,
       ID_POINTS, ID_FAT, ID_FEEDBACK, ID_GEOMETRY, ID_COUNTER, ID_LATE_CONTROL, ID_LATE,
       ID_DRAWS };

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer;
	uint32_t flags, cull, origin;
};

static void make_shaders(struct scene *s)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };
	const struct sundog_cmd_create_shader control = { .stage = SUNDOG_STAGE_TESS_CTRL,
							  .push_size = 4 };
	const struct sundog_cmd_create_shader eval = { .stage = SUNDOG_STAGE_TESS_EVAL };
	const struct sundog_cmd_create_shader geometry = { .stage = SUNDOG_STAGE_GEOMETRY };
	struct hostile *h = s->h;

	hostile_shader(h, ID_VERTEX, &vertex, strips_vert, sizeof(strips_vert));
	hostile_shader(h, ID_DRAWS, &vertex, draws_vert, sizeof(draws_vert));
	hostile_shader(h, ID_FRAGMENT, &fragment, column_frag, sizeof(column_frag));
	hostile_shader(h, ID_CONTROL, &control, patch_tesc, sizeof(patch_tesc));
	hostile_shader(h, ID_QUADS, &eval, patch_quads, sizeof(patch_quads));
	hostile_shader(h, ID_TRIANGLES, &eval, patch_triangles, sizeof(patch_triangles));
	hostile_shader(h, ID_LINES, &eval, patch_lines, sizeof(patch_lines));
	hostile_shader(h, ID_POINTS, &eval, patch_points, sizeof(patch_points));
	hostile_shader(h, ID_FAT, &eval, patch_fat, sizeof(patch_fat));
	hostile_shader(h, ID_FEEDBACK, &eval, patch_feedback, sizeof(patch_feedback));
	hostile_shader(h, ID_LATE_CONTROL, &control, patch_late_tesc, sizeof(patch_late_tesc));
	hostile_shader(h, ID_LATE, &eval, patch_late, sizeof(patch_late));
	hostile_shader(h, ID_GEOMETRY, &geometry, columns_geom, sizeof(columns_geom));
	sundog_emit_create_feedback_counter(h->stream, &(struct sundog_cmd_create_feedback_counter){
		ID_COUNTER });
}

static void set_patch(struct scene *s)
{
	sundog_emit_set_patch(s->h->stream, &(struct sundog_cmd_set_patch){ 1, s->origin });
}

static void bind(struct scene *s, uint32_t fragment, uint32_t geometry, uint32_t control,
		 uint32_t eval)
{
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, fragment, geometry, control, eval } });
}

static void begin(struct scene *s, uint32_t topology, float level)
{
	struct hostile *h = s->h;
	uint32_t word;

	memcpy(&word, &level, sizeof(word));
	hostile_begin(h, topology);
	sundog_emit_set_raster(h->stream, &(struct sundog_cmd_set_raster){
		.flags = s->flags, .topology = topology, .cull_mode = s->cull, .line_width = 1.0f,
		.stipple_factor = 1 });
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 1 },
				   &word);
}

static void draw(struct scene *s, uint32_t first, uint32_t count)
{
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ count, 1, first, 0 });
}

static bool runs(struct scene *s)
{
	hostile_end(s->h);
	return hostile_runs(s->h);
}

static bool pixels_are(struct scene *s, uint32_t first, uint32_t n, bool all)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++) {
		const uint32_t x = i % HOSTILE_WIDTH;
		const bool there = x >= first && x < first + n;

		if ((!all && there) || pixels[2 * i] == (there ? x + 1 : 0))
			continue;
		printf("# pixel %u of row %u is %u\n", x, i / HOSTILE_WIDTH, pixels[2 * i]);
		return false;
	}
	return true;
}

/* Draws a column for each patch. */
static bool columns(struct scene *s, uint32_t eval, float level, uint32_t n)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, level);
	set_patch(s);
	bind(s, ID_FRAGMENT, 0, ID_CONTROL, eval);
	draw(s, 3, 20);
	return runs(s) && pixels_are(s, 3, n, eval == ID_QUADS);
}

/* Draws with indices, each of which is a patch. */
static bool indexed(struct scene *s)
{
	uint16_t *indices = sdrm_bo_map(s->buffer);

	for (uint32_t i = 0; i < 64; i++)
		indices[i] = i;
	hostile_list(s->h, s->buffer);
	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 3.0f);
	set_patch(s);
	bind(s, ID_FRAGMENT, 0, ID_CONTROL, ID_QUADS);
	sundog_emit_bind_index_buffer(s->h->stream, &(struct sundog_cmd_bind_index_buffer){
		sdrm_bo_mem(s->buffer), 0, VK_INDEX_TYPE_UINT16 });
	sundog_emit_draw_indexed(s->h->stream, &(struct sundog_cmd_draw_indexed){ 16, 1, 4, 3, 0 });
	return runs(s) && pixels_are(s, 7, 16, true);
}

/*
 * Returns true if gl_PrimitiveID is the number of the patch in its draw. The first patches make no
 * column.
 */
static bool are_numbered(struct scene *s, bool with_indices)
{
	uint16_t *indices = sdrm_bo_map(s->buffer);

	for (uint32_t i = 0; i < EARLY + 20; i++)
		indices[i] = i;
	hostile_list(s->h, s->buffer);
	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 3.0f);
	set_patch(s);
	bind(s, ID_FRAGMENT, 0, ID_LATE_CONTROL, ID_LATE);
	sundog_emit_bind_index_buffer(s->h->stream, &(struct sundog_cmd_bind_index_buffer){
		sdrm_bo_mem(s->buffer), 0, VK_INDEX_TYPE_UINT16 });
	if (with_indices)
		sundog_emit_draw_indexed(s->h->stream, &(struct sundog_cmd_draw_indexed){
			EARLY + 16, 1, 4, 3, 0 });
	else
		draw(s, 3, EARLY + 16);
	return runs(s) && pixels_are(s, 0, 16, true);
}

static bool is_patched(void)
{
	const char *driver = getenv("VK_DRIVER_FILES");

	return driver && strstr(driver, "/lavapipe-");
}

/* Skipped unless the host driver is the project's lavapipe: Debian's does not count patches. */
static void try_numbers(struct scene *s)
{
	if (!is_patched())
		return;
	hostile_result(are_numbered(s, false),
		       "patches have numbers that begin with 0 in each draw");
	hostile_result(are_numbered(s, true), "those with indices, too");
}

/* A front face is a back face with the other domain origin. */
static bool has_a_front(struct scene *s)
{
	bool drawn[2];

	s->cull = VK_CULL_MODE_BACK_BIT;
	for (s->origin = 0; s->origin < 2; s->origin++) {
		begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 4.0f);
		set_patch(s);
		bind(s, ID_FRAGMENT, 0, ID_CONTROL, ID_QUADS);
		draw(s, 0, 1);
		if (!runs(s))
			break;
		drawn[s->origin] = hostile_pixels(s->h)[0] == 1;
	}
	s->cull = 0;
	return s->origin-- == 2 && drawn[0] != drawn[1];
}

/* Each patch becomes a point, from which the geometry shader makes a column. */
static bool through_geometry(struct scene *s)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 1.0f);
	set_patch(s);
	bind(s, ID_FRAGMENT, ID_GEOMETRY, ID_CONTROL, ID_POINTS);
	draw(s, 5, 7);
	return runs(s) && pixels_are(s, 5, 7, true);
}

/* A change of the origin must not rebind tessellation shaders that were unbound. */
static bool without_tessellation(struct scene *s)
{
	begin(s, VK_PRIMITIVE_TOPOLOGY_POINT_LIST, 1.0f);
	set_patch(s);
	bind(s, ID_FRAGMENT, 0, ID_CONTROL, ID_QUADS);
	bind(s, ID_FRAGMENT, ID_GEOMETRY, 0, 0);
	s->origin ^= 1;
	set_patch(s);
	s->origin ^= 1;
	draw(s, 5, 7);
	return runs(s) && pixels_are(s, 5, 7, true);
}

/* Draws patches with the highest level. The rasterizer discards them. */
static bool bears_many(struct scene *s, uint32_t eval, uint32_t geometry, uint32_t n)
{
	s->flags = SUNDOG_RASTER_FLAG_DISCARD;
	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 64.0f);
	set_patch(s);
	bind(s, ID_FRAGMENT, geometry, ID_CONTROL, eval);
	draw(s, 0, n);
	s->flags = 0;
	return runs(s);
}

/* A patch of level 2 becomes four quads of two triangles, whose vertices feedback captures. */
static bool feeds_back(struct scene *s)
{
	uint64_t *result = (uint64_t *)((char *)sdrm_bo_map(s->buffer) + RESULT);
	const struct sundog_mem mem = sdrm_bo_mem(s->buffer);
	struct sundog_stream *stream = s->h->stream;
	const float *place = sdrm_bo_map(s->buffer);

	memset(sdrm_bo_map(s->buffer), 0, BUFFER_SIZE);
	hostile_list(s->h, s->buffer);
	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 2.0f);
	set_patch(s);
	bind(s, ID_FRAGMENT, 0, ID_CONTROL, ID_FEEDBACK);
	sundog_emit_bind_feedback_buffers(stream, &(struct sundog_cmd_bind_feedback_buffers){ 1 },
					  &(struct sundog_mem_range){ mem, 0, RESULT });
	sundog_emit_begin_query(stream, &(struct sundog_cmd_begin_query){
		0, SUNDOG_QUERY_TYPE_FEEDBACK, 0, mem, RESULT });
	sundog_emit_begin_feedback(stream,
				   &(struct sundog_cmd_begin_feedback){ 0, { ID_COUNTER } });
	draw(s, 2, 1);
	sundog_emit_end_feedback(stream);
	sundog_emit_end_query(stream, &(struct sundog_cmd_end_query){ 0 });
	if (!runs(s))
		return false;
	for (uint32_t i = 0; i < 24; i++)
		if (place[4 * i + 2] != 2.0f || place[4 * i + 3] != 1.0f)
			return false;
	printf("# %llu written, %llu needed\n", (unsigned long long)result[0],
	       (unsigned long long)result[1]);
	return result[0] == 8 && result[1] == 8 && place[4 * 24 + 3] == 0.0f;
}

/*
 * Draws whose arguments are in memory. Patches of ID_FAT may need 12 GiB, so that the renderer has
 * to split the draw when it runs.
 */

static void set_arguments(struct scene *s, uint32_t draw, uint32_t patches, uint32_t first)
{
	uint32_t *words = sdrm_bo_map(s->buffer);
	const uint32_t arguments[] = { patches, 1, first, 0, 0 };

	memcpy(&words[(ARGUMENTS + draw * STRIDE) / 4], arguments, sizeof(arguments));
}

static void set_count(struct scene *s, uint32_t count)
{
	memcpy((char *)sdrm_bo_map(s->buffer) + COUNT_AT, &count, sizeof(count));
}

static void begin_in_memory(struct scene *s, uint32_t vertex, float level)
{
	hostile_list(s->h, s->buffer);
	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, level);
	set_patch(s);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ vertex, ID_FRAGMENT, 0, ID_CONTROL, ID_FAT } });
}

static void draw_in_memory(struct scene *s, bool with_indices, uint32_t n, bool counted)
{
	const struct sundog_mem mem = sdrm_bo_mem(s->buffer);
	struct sundog_indirect i = { .mem = mem, .offset = ARGUMENTS, .stride = STRIDE,
				     .max_draws = n };
	uint16_t *indices = sdrm_bo_map(s->buffer);

	if (counted) {
		i.count_mem = mem;
		i.count_offset = COUNT_AT;
	}
	if (!with_indices) {
		sundog_emit_draw_indirect(s->h->stream, &(struct sundog_cmd_draw_indirect){ i });
		return;
	}
	for (uint32_t n_indices = 0; n_indices < 64; n_indices++)
		indices[n_indices] = n_indices;
	sundog_emit_bind_index_buffer(s->h->stream, &(struct sundog_cmd_bind_index_buffer){
		mem, 0, VK_INDEX_TYPE_UINT16 });
	sundog_emit_draw_indexed_indirect(s->h->stream,
					  &(struct sundog_cmd_draw_indexed_indirect){ i });
}

/* Returns true if draws of 13 and 7 patches are drawn, and a third one is not: the count is 2. */
static bool are_counted(struct scene *s, bool with_indices)
{
	set_arguments(s, 0, 13, 3);
	set_arguments(s, 1, 7, 16);
	set_arguments(s, 2, 1, 30);
	set_count(s, 2);
	begin_in_memory(s, ID_VERTEX, 3.0f);
	draw_in_memory(s, with_indices, 3, true);
	return runs(s) && pixels_are(s, 3, 20, true);
}

/* Returns true if draws have all their patches in another draw's rendering, too. */
static bool are_whole(struct scene *s)
{
	set_arguments(s, 0, 20, 3);
	begin_in_memory(s, ID_VERTEX, 3.0f);
	draw(s, 0, 3);
	draw_in_memory(s, false, 1, false);
	draw(s, 23, 1);
	return runs(s) && pixels_are(s, 0, 24, true);
}

/* Returns true if all patches of a draw get its index, though they are drawn in parts. */
static bool keep_index(struct scene *s)
{
	for (uint32_t i = 0; i < 20; i++)
		set_arguments(s, i, i < 2 ? MANY : 1, 0);
	begin_in_memory(s, ID_DRAWS, 1.0f);
	draw_in_memory(s, false, 20, false);
	return runs(s) && pixels_are(s, 0, 20, true);
}

/* Draws as many patches as feeds_back() has captured vertices. */
static bool draws_captured(struct scene *s)
{
	begin_in_memory(s, ID_VERTEX, 3.0f);
	sundog_emit_draw_feedback(s->h->stream, &(struct sundog_cmd_draw_feedback){
		ID_COUNTER, 16, 1, 0 });
	return runs(s) && pixels_are(s, 0, 24, true);
}

/*
 * Patches of level 0 are nothing. The renderer leaves out those that are too many, unless the host
 * splits draws itself and takes minutes for all of them.
 */
static bool bears_arguments(struct scene *s, bool with_indices)
{
	set_arguments(s, 0, is_patched() ? MANY : UINT32_MAX, 0);
	set_arguments(s, 1, 40, UINT32_MAX - 10);
	set_count(s, UINT32_MAX);
	begin_in_memory(s, ID_VERTEX, 0.0f);
	draw_in_memory(s, with_indices, 2, true);
	return runs(s) && pixels_are(s, 0, 0, true);
}

static void try_in_memory(struct scene *s)
{
	hostile_result(are_counted(s, false), "draws of patches and their number are in memory");
	hostile_result(are_counted(s, true), "indexed draws of patches are in memory");
	hostile_result(are_whole(s), "draws in memory are drawn between other draws");
	hostile_result(keep_index(s), "all patches of a draw in memory get its DrawIndex");
	hostile_result(draws_captured(s), "feedback counts patches to draw");
	for (int i = 0; i < 2; i++)
		hostile_result(bears_arguments(s, i), "too many patches in memory do no harm (%s)",
			       i ? "indexed" : "vertices");
}

/* Invalid packets */

static void try(struct scene *s, uint32_t topology, bool patch, uint32_t geometry, uint32_t control,
		uint32_t eval)
{
	begin(s, topology, 1.0f);
	if (patch)
		set_patch(s);
	bind(s, ID_FRAGMENT, geometry, control, eval);
	draw(s, 0, 3);
	hostile_end(s->h);
}

static void no_patch(struct scene *s)
{
	try(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, false, 0, ID_CONTROL, ID_QUADS);
}

static void no_shaders(struct scene *s)
{
	try(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, true, 0, 0, 0);
}

static void triangles(struct scene *s)
{
	try(s, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, true, 0, ID_CONTROL, ID_QUADS);
}

static void control_only(struct scene *s)
{
	try(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, true, 0, ID_CONTROL, 0);
}

static void eval_only(struct scene *s)
{
	try(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, true, 0, 0, ID_QUADS);
}

static void other_primitives(struct scene *s)
{
	try(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, true, ID_GEOMETRY, ID_CONTROL, ID_TRIANGLES);
}

static void lines_for_points(struct scene *s)
{
	try(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, true, ID_GEOMETRY, ID_CONTROL, ID_LINES);
}

static void large_patch(struct scene *s)
{
	sundog_emit_set_patch(s->h->stream, &(struct sundog_cmd_set_patch){
		SUNDOG_MAX_PATCH_VERTICES + 1, 0 });
}

static void empty_patch(struct scene *s)
{
	sundog_emit_set_patch(s->h->stream, &(struct sundog_cmd_set_patch){ 0, 0 });
}

static const struct hostile_fault faults[] = {
	{ "patches of no size", no_patch, SUNDOG_FAULT_CODE_STATE },
	{ "patches for vertex and fragment shader", no_shaders, SUNDOG_FAULT_CODE_STATE },
	{ "triangles for tessellation shaders", triangles, SUNDOG_FAULT_CODE_STATE },
	{ "a control shader alone", control_only, SUNDOG_FAULT_CODE_OBJECT },
	{ "an evaluation shader alone", eval_only, SUNDOG_FAULT_CODE_OBJECT },
	{ "triangles for a geometry shader of points", other_primitives, SUNDOG_FAULT_CODE_STATE },
	{ "lines for a geometry shader of points", lines_for_points, SUNDOG_FAULT_CODE_STATE },
	{ "a patch of 33 vertices", large_patch, SUNDOG_FAULT_CODE_FIELD },
	{ "a patch of no vertices", empty_patch, SUNDOG_FAULT_CODE_FIELD },
};

/* The last stage writes to no buffer: nothing is captured. */
static bool feedback_without_outputs(struct scene *s)
{
	uint32_t *words = sdrm_bo_map(s->buffer);

	words[0] = 77;
	hostile_list(s->h, s->buffer);
	begin(s, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 1.0f);
	set_patch(s);
	bind(s, ID_FRAGMENT, 0, ID_CONTROL, ID_QUADS);
	sundog_emit_bind_feedback_buffers(s->h->stream,
					  &(struct sundog_cmd_bind_feedback_buffers){ 1 },
					  &(struct sundog_mem_range){ sdrm_bo_mem(s->buffer), 0,
								      4096 });
	sundog_emit_begin_feedback(s->h->stream,
				   &(struct sundog_cmd_begin_feedback){ 0, { ID_COUNTER } });
	draw(s, 0, 1);
	sundog_emit_end_feedback(s->h->stream);
	hostile_end(s->h);
	return hostile_runs(s->h) && words[0] == 77;
}

int main(void)
{
	const float levels[] = { 1.0f, 1.5f, 2.0f, 7.0f, 63.5f, 64.0f, 65.0f, 1e30f, INFINITY };
	const float nothings[] = { 0.0f, -1.0f, -INFINITY, NAN };
	struct scene s = { .h = hostile_new(), .origin = 1 };

	hostile_guard_front(s.h);
	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	make_shaders(&s);
	hostile_need(s.h, "shaders");
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		hostile_result(columns(&s, ID_QUADS, levels[i], 20),
			       "patches become columns at level %g", levels[i]);
	for (size_t i = 0; i < sizeof(nothings) / sizeof(nothings[0]); i++)
		for (uint32_t eval = ID_QUADS; eval <= ID_POINTS; eval++)
			hostile_result(columns(&s, eval, nothings[i], 0),
				       "patches become nothing at level %g (%u)",
				       nothings[i], eval - ID_QUADS);
	for (uint32_t eval = ID_TRIANGLES; eval <= ID_POINTS; eval++)
		for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
			hostile_result(columns(&s, eval, levels[i], 20),
				       "nothing but columns at level %g (%u)", levels[i],
				       eval - ID_QUADS);
	hostile_result(indexed(&s), "indices are patches");
	try_numbers(&s);
	hostile_result(has_a_front(&s), "the origin says which side is the front");
	hostile_result(through_geometry(&s), "points of patches become columns");
	hostile_result(without_tessellation(&s), "points are points after a patch's origin, too");
	hostile_result(feeds_back(&s), "feedback takes what evaluation makes");
	try_in_memory(&s);
	hostile_result(bears_many(&s, ID_FAT, 0, 200),
		       "patches of all that they can be do no harm");
	hostile_result(bears_many(&s, ID_POINTS, ID_GEOMETRY, 40),
		       "points of patches, all columns, do no harm");
	hostile_result(feedback_without_outputs(&s),
		       "feedback takes nothing that the last stage does not write");
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	sdrm_bo_del(s.buffer);
	hostile_del(s.h);
	return hostile_status();
}
