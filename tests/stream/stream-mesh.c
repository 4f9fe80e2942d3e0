// SPDX-License-Identifier: MIT
/*
 * Tests task and mesh shaders: output that exceeds the buffers of the host, reads of memory that no
 * shader wrote, and invalid packets. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "mesh-shaders.h"
#include "mesh-untouched.h"

#define MEMORY_SIZE 65536u

enum {
	ID_SET_LAYOUT = HOSTILE_FREE, ID_LAYOUT, ID_VERTEX, ID_TASK, ID_LARGE_TASK, ID_HUGE_TASK,
	ID_INDICES, ID_COUNTS, ID_UNSET,
	ID_UNWRITTEN, ID_UNTOUCHED, ID_PLACES, ID_ONE, ID_SHARED, ID_PAYLOAD, ID_FRAGMENT,
	ID_NUMBER, ID_NUMBERED, ID_UNNUMBERED, ID_FACE,
	ID_DISTANCE, ID_DISTANCES, ID_MORE_DISTANCES, ID_NEW,
};

struct scene {
	struct hostile *h;
	struct sdrm_bo *memory;	/* holds the arguments */
	uint32_t task, mesh, fragment, groups;
};

static const struct {
	uint32_t id, stage;
	const uint32_t *code;
	size_t size;
} shaders[] = {
	{ ID_VERTEX, SUNDOG_STAGE_VERTEX, mesh_vert, sizeof(mesh_vert) },
	{ ID_TASK, SUNDOG_STAGE_TASK, mesh_task, sizeof(mesh_task) },
	{ ID_LARGE_TASK, SUNDOG_STAGE_TASK, mesh_large_task, sizeof(mesh_large_task) },
	{ ID_HUGE_TASK, SUNDOG_STAGE_TASK, mesh_huge_task, sizeof(mesh_huge_task) },
	{ ID_INDICES, SUNDOG_STAGE_MESH, mesh_indices, sizeof(mesh_indices) },
	{ ID_COUNTS, SUNDOG_STAGE_MESH, mesh_counts, sizeof(mesh_counts) },
	{ ID_UNSET, SUNDOG_STAGE_MESH, mesh_unset, sizeof(mesh_unset) },
	{ ID_UNWRITTEN, SUNDOG_STAGE_MESH, mesh_unwritten, sizeof(mesh_unwritten) },
	{ ID_UNTOUCHED, SUNDOG_STAGE_MESH, mesh_untouched, sizeof(mesh_untouched) },
	{ ID_PLACES, SUNDOG_STAGE_MESH, mesh_places, sizeof(mesh_places) },
	{ ID_ONE, SUNDOG_STAGE_MESH, mesh_one, sizeof(mesh_one) },
	{ ID_SHARED, SUNDOG_STAGE_MESH, mesh_shared, sizeof(mesh_shared) },
	{ ID_PAYLOAD, SUNDOG_STAGE_MESH, mesh_payload, sizeof(mesh_payload) },
	{ ID_FRAGMENT, SUNDOG_STAGE_FRAGMENT, mesh_frag, sizeof(mesh_frag) },
	{ ID_NUMBER, SUNDOG_STAGE_FRAGMENT, mesh_number, sizeof(mesh_number) },
	{ ID_NUMBERED, SUNDOG_STAGE_MESH, mesh_numbered, sizeof(mesh_numbered) },
	{ ID_UNNUMBERED, SUNDOG_STAGE_MESH, mesh_unnumbered, sizeof(mesh_unnumbered) },
	{ ID_DISTANCE, SUNDOG_STAGE_MESH, mesh_distance, sizeof(mesh_distance) },
	{ ID_DISTANCES, SUNDOG_STAGE_FRAGMENT, mesh_distances, sizeof(mesh_distances) },
	{ ID_MORE_DISTANCES, SUNDOG_STAGE_FRAGMENT, mesh_more_distances,
	  sizeof(mesh_more_distances) },
	{ ID_FACE, SUNDOG_STAGE_FRAGMENT, mesh_face, sizeof(mesh_face) },
};

static void make_objects(struct hostile *h)
{
	const uint32_t layout = ID_SET_LAYOUT;
	struct sundog_cmd_create_layout_shader cmd = { .layout = ID_LAYOUT };

	sundog_emit_create_set_layout(h->stream, &(struct sundog_cmd_create_set_layout){
		ID_SET_LAYOUT, 0 }, NULL);
	sundog_emit_create_pipeline_layout(h->stream,
					   &(struct sundog_cmd_create_pipeline_layout){ ID_LAYOUT,
											16, 1 },
					   &layout);
	for (size_t i = 0; i < sizeof(shaders) / sizeof(shaders[0]); i++) {
		cmd.id = shaders[i].id;
		cmd.stage = shaders[i].stage;
		cmd.n_dwords = shaders[i].size / 4;
		sundog_emit_create_layout_shader(h->stream, &cmd, shaders[i].code);
	}
}

static void bind(struct scene *s)
{
	const struct sundog_cmd_bind_mesh_shaders bind = { {
		[SUNDOG_STAGE_TASK] = s->task, [SUNDOG_STAGE_MESH] = s->mesh,
		[SUNDOG_STAGE_FRAGMENT] = s->fragment,
	} };

	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_bind_mesh_shaders(s->h->stream, &bind);
}

static void push(struct scene *s, uint32_t x, uint32_t y, uint32_t z, uint32_t at)
{
	const uint32_t words[] = { x, y, z, at };

	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 4 },
				   words);
}

static void draw(struct scene *s, uint32_t x, uint32_t y, uint32_t z)
{
	sundog_emit_draw_mesh(s->h->stream, &(struct sundog_cmd_draw_mesh){ { x, y, z } });
}

/* Sets the shaders of the following draws. */
static void use(struct scene *s, uint32_t task, uint32_t mesh)
{
	s->task = task;
	s->mesh = mesh;
	s->fragment = ID_FRAGMENT;
	s->groups = 1;
}

/* Draws the scene's groups with push constants. Returns true if each pixel has the two words. */
static bool draws(struct scene *s, const uint32_t pushed[4], uint32_t first, uint32_t second)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	bind(s);
	push(s, pushed[0], pushed[1], pushed[2], pushed[3]);
	draw(s, s->groups, 1, 1);
	hostile_end(s->h);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++)
		if (pixels[2 * i] != first || pixels[2 * i + 1] != second) {
			printf("# with %#x, %#x, %#x, %#x pixel %u is %#x %#x, not %u %u\n",
			       pushed[0], pushed[1], pushed[2],
			       pushed[3], i, pixels[2 * i], pixels[2 * i + 1], first, second);
			return false;
		}
	return true;
}

#define PUSH(...) (const uint32_t[4]){ __VA_ARGS__ }

static const uint32_t wild[] = {
	4, 5, 255, 256, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
};

#define N_WILD (sizeof(wild) / sizeof(wild[0]))

static void try_indices(struct scene *s)
{
	bool ok = true;

	use(s, 0, ID_INDICES);
	for (uint32_t i = 0; i < 4; i++)
		ok &= i == 1 || i == 2 || draws(s, PUSH(i, 1, 2, 0), 7, 10 + i);
	hostile_result(ok, "triangles of vertices that there are");
	ok = true;
	for (uint32_t i = 0; i < N_WILD; i++)
		ok &= draws(s, PUSH(wild[i], 1, 2, 0), 7, 13) &&
		      draws(s, PUSH(0, 1, 2, wild[i]), 7, 10) &&
		      draws(s, PUSH(0, wild[i], wild[i], 0), 0, 0);
	hostile_result(ok, "indices of vertices that there are not, and of primitives");
	use(s, 0, ID_UNWRITTEN);
	ok = true;
	for (uint32_t i = 0; i < 8; i++)
		ok &= draws(s, PUSH(i), 0, 0);
	hostile_result(ok, "indices that nobody wrote are nothing of the host's");
	use(s, 0, ID_UNTOUCHED);
	s->groups = 64;
	ok = true;
	for (uint32_t i = 0; i < 8; i++)
		ok &= draws(s, PUSH(i), 0, 0);
	hostile_result(ok, "nor those that nobody ever touches");
}

static void try_counts(struct scene *s)
{
	bool ok = true;

	use(s, 0, ID_COUNTS);
	for (uint32_t i = 0; i < N_WILD; i++)
		ok &= draws(s, PUSH(wild[i], wild[i]), 7, 10) &&
		      draws(s, PUSH(wild[i], 1), 7, 10) &&
		      draws(s, PUSH(4, wild[i]), 7, 10) && draws(s, PUSH(0, wild[i]), 0, 0) &&
		      draws(s, PUSH(wild[i], 0), 0, 0);
	hostile_result(ok, "more vertices and primitives than are declared");
	hostile_result(draws(s, PUSH(1, 1), 7, 10),
		       "vertices that are not said to be there are, if there is any");
	use(s, 0, ID_UNSET);
	ok = true;
	for (uint32_t i = 0; i < 8; i++)
		ok &= draws(s, PUSH(i), 0, 0);
	hostile_result(ok, "numbers of them that nobody said are none");
	use(s, 0, ID_PLACES);
	ok = true;
	for (uint32_t i = 0; i < N_WILD; i++)
		ok &= draws(s, PUSH(0, 0, 0, wild[i]), 7, 10);
	hostile_result(ok && draws(s, PUSH(0, 0, 0, 0), 8, 8),
		       "outputs of vertices that there are not");
}

static void try_tasks(struct scene *s)
{
	bool ok = true;

	use(s, ID_TASK, ID_PAYLOAD);
	for (uint32_t i = 0; i < 64; i += 9)
		ok &= draws(s, PUSH(1, 1, 1, i), 7, 99);
	for (uint32_t i = 3; i < N_WILD; i++)
		ok &= draws(s, PUSH(1, 1, 1, wild[i]), 7, 99);
	hostile_result(ok, "a payload is written and read within its bounds");
	s->task = ID_LARGE_TASK;
	hostile_result(draws(s, PUSH(1, 1, 1, 3), 7, 99), "of a larger one a part is read");
	use(s, ID_TASK, ID_COUNTS);
	hostile_result(draws(s, PUSH(4, 1, 1, 0), 7, 10), "or none");
	hostile_result(draws(s, PUSH(0, 4, 1, 0), 0, 0), "no groups draw nothing");
	hostile_result(draws(s, PUSH(0xffffffff, 1, 1, 0), 7, 10),
		       "as many groups as there may be of more than that");
}

/*
 * Reads outputs that no invocation wrote. Earlier draws have left data where the host reads them
 * from.
 */
static void try_unwritten(struct scene *s)
{
	bool ok = true;

	for (uint32_t i = 0; i < 8; i++) {
		use(s, 0, ID_INDICES);
		s->groups = 500;
		ok &= draws(s, PUSH(0, 1, 2, 0), 7, 10);
		use(s, 0, ID_ONE);
		s->groups = 500;
		ok &= draws(s, PUSH(0, 1, 2, 0), 7, 0);
	}
	hostile_result(ok, "a component of vertices that they have not is zero");
	ok = true;
	use(s, 0, ID_SHARED);
	s->groups = 20;
	for (uint32_t i = 0; i < 8; i++)
		ok &= draws(s, PUSH(0, 1, 2, 0), 7, 0);
	hostile_result(ok, "shared memory is nothing of the host's");
}

/* Arguments and draw counts that change while the device reads them. */
static void try_indirect(struct scene *s)
{
	struct sundog_cmd_draw_mesh_indirect cmd = { .indirect = {
		.mem = sdrm_bo_mem(s->memory), .offset = 16, .stride = 12, .max_draws = 8,
		.count_mem = sdrm_bo_mem(s->memory),
	} };
	volatile uint32_t *map = sdrm_bo_map(s->memory);
	bool ok = true;

	use(s, 0, ID_INDICES);
	for (uint32_t i = 0; i < 24; i++)
		map[4 + i] = 1;
	for (uint32_t round = 0; round < 16; round++) {
		hostile_list(s->h, s->memory);
		hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
		bind(s);
		push(s, 0, 1, 2, 0);
		map[0] = 1;
		sundog_emit_draw_mesh_indirect(s->h->stream, &cmd);
		hostile_end(s->h);
		map[0] = round & 1 ? UINT32_MAX : 2;
		ok &= hostile_runs(s->h) && hostile_pixels(s->h)[1] == 10;
	}
	hostile_result(ok, "numbers of draws in memory may be anything");
}

/* Invalid packets */

static void begin(struct scene *s, uint32_t task, uint32_t mesh)
{
	use(s, task, mesh);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	bind(s);
}

static void many_groups(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	draw(s, 1, SUNDOG_MAX_MESH_GROUPS + 1, 0);
}

static void many_together(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	draw(s, 2049, 2048, 1);
}

static void wrapping(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	draw(s, 0xffff, 0xffff, 0xffff);
}

/* The output would take 31 GB, and the payloads 17 GB. */
static void much_made(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	draw(s, 2048, 2048, 1);
}

static void much_handed_on(struct scene *s)
{
	begin(s, ID_HUGE_TASK, ID_PAYLOAD);
	draw(s, 1024, 1024, 1);
}

static void payload_of_nobody(struct scene *s)
{
	begin(s, 0, ID_PAYLOAD);
	draw(s, 1, 1, 1);
}

static void no_mesh(struct scene *s)
{
	use(s, ID_TASK, 0);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	bind(s);
}

static void mesh_and_vertices(struct scene *s)
{
	sundog_emit_bind_mesh_shaders(s->h->stream, &(struct sundog_cmd_bind_mesh_shaders){ {
		[SUNDOG_STAGE_VERTEX] = ID_VERTEX, [SUNDOG_STAGE_MESH] = ID_INDICES } });
}

static void another_stage(struct scene *s)
{
	sundog_emit_bind_mesh_shaders(s->h->stream, &(struct sundog_cmd_bind_mesh_shaders){ {
		[SUNDOG_STAGE_TASK] = ID_INDICES, [SUNDOG_STAGE_MESH] = ID_INDICES } });
}

static void vertices_of_meshes(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
}

static void meshes_of_vertices(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENT } });
	draw(s, 1, 1, 1);
}

static void numbered(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	s->fragment = ID_NUMBER;
	bind(s);
	draw(s, 1, 1, 1);
}

static void more_distances(struct scene *s)
{
	begin(s, 0, ID_DISTANCE);
	s->fragment = ID_MORE_DISTANCES;
	bind(s);
	draw(s, 1, 1, 1);
}

static void set_raster(struct scene *s, uint32_t polygon_mode, uint32_t line_mode)
{
	sundog_emit_set_raster(s->h->stream, &(struct sundog_cmd_set_raster){
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .polygon_mode = polygon_mode,
		.line_mode = line_mode,
		.line_width = 1.0f, .stipple_factor = 1 });
}

static void outlined(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	s->fragment = ID_FACE;
	bind(s);
	set_raster(s, VK_POLYGON_MODE_LINE, 0);
	draw(s, 1, 1, 1);
}

static void views(struct scene *s)
{
	const struct sundog_cmd_begin_multiview multiview = {
		.area = { 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT }, .view_mask = 1, .count = 1,
	};
	const struct sundog_attachment color = { .view = HOSTILE_TARGET_VIEW,
						 .store = SUNDOG_STORE_OP_STORE };

	begin(s, 0, ID_INDICES);
	sundog_emit_end_rendering(s->h->stream);
	sundog_emit_begin_multiview(s->h->stream, &multiview, &color);
	draw(s, 1, 1, 1);
}

static void of_slots(struct scene *s)
{
	sundog_emit_create_shader(s->h->stream, &(struct sundog_cmd_create_shader){
		.id = ID_NEW, .stage = SUNDOG_STAGE_MESH,
		.n_dwords = sizeof(mesh_indices) / 4 }, mesh_indices);
}

static void indirect(struct scene *s, struct sundog_indirect arguments)
{
	begin(s, 0, ID_INDICES);
	arguments.mem = sdrm_bo_mem(s->memory);
	sundog_emit_draw_mesh_indirect(s->h->stream, &(struct sundog_cmd_draw_mesh_indirect){
		arguments });
}

static void short_stride(struct scene *s)
{
	hostile_list(s->h, s->memory);
	indirect(s, (struct sundog_indirect){ .stride = 8, .max_draws = 2 });
}

static void past_memory(struct scene *s)
{
	hostile_list(s->h, s->memory);
	indirect(s, (struct sundog_indirect){ .offset = MEMORY_SIZE - 20, .stride = 12,
					      .max_draws = 2 });
}

static void unlisted(struct scene *s)
{
	indirect(s, (struct sundog_indirect){ .stride = 12, .max_draws = 1 });
}

static const struct hostile_fault faults[] = {
	{ "more groups than a dimension has", many_groups, SUNDOG_FAULT_CODE_FIELD },
	{ "more groups than a draw has", many_together, SUNDOG_FAULT_CODE_FIELD },
	{ "groups whose number is more than 32 bits", wrapping, SUNDOG_FAULT_CODE_FIELD },
	{ "groups that make more than the host has room for", much_made, SUNDOG_FAULT_CODE_HOST },
	{ "payloads that the host has no room for", much_handed_on, SUNDOG_FAULT_CODE_HOST },
	{ "a payload that no task shader hands on", payload_of_nobody, SUNDOG_FAULT_CODE_STATE },
	{ "a task shader alone", no_mesh, SUNDOG_FAULT_CODE_OBJECT },
	{ "a mesh shader and a vertex shader", mesh_and_vertices, SUNDOG_FAULT_CODE_OBJECT },
	{ "a mesh shader as a task shader", another_stage, SUNDOG_FAULT_CODE_OBJECT },
	{ "a draw of vertices with a mesh shader", vertices_of_meshes, SUNDOG_FAULT_CODE_STATE },
	{ "a draw of meshes with a vertex shader", meshes_of_vertices, SUNDOG_FAULT_CODE_STATE },
	{ "fragments that read a PrimitiveId that the mesh shader does not have", numbered,
	  SUNDOG_FAULT_CODE_STATE },
	{ "fragments that read more distances than there are", more_distances,
	  SUNDOG_FAULT_CODE_STATE },
	{ "fragments of outlines that read their side", outlined, SUNDOG_FAULT_CODE_STATE },
	{ "views", views, SUNDOG_FAULT_CODE_STATE },
	{ "a mesh shader with slots", of_slots, SUNDOG_FAULT_CODE_FIELD },
	{ "arguments that overlap", short_stride, SUNDOG_FAULT_CODE_FIELD },
	{ "arguments past the end of memory", past_memory, SUNDOG_FAULT_CODE_RANGE },
	{ "arguments that are not listed", unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
};

/* A slot for PrimitiveId behind the vertices would be memory that no shader wrote. */
static void try_numbers(struct scene *s)
{
	use(s, 0, ID_NUMBERED);
	s->fragment = ID_NUMBER;
	hostile_result(draws(s, PUSH(0, 1, 2, 0), 97, 10),
		       "fragments read the PrimitiveId that the mesh shader wrote");
	use(s, 0, ID_UNNUMBERED);
	s->fragment = ID_NUMBER;
	hostile_result(draws(s, PUSH(0, 1, 2, 0), 7, 10),
		       "a PrimitiveId that is declared and not written reads as zero");
}

/* Draws with smooth lines, between draws of vertices whose lines are smooth. */
static void try_smooth(struct scene *s, uint32_t polygon_mode, const char *title)
{
	const uint32_t line_mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
	const uint32_t *pixels = hostile_pixels(s->h);
	const uint32_t inside = 2 * (HOSTILE_PIXELS / 2 + 5);

	begin(s, 0, ID_INDICES);
	set_raster(s, polygon_mode, line_mode);
	push(s, 0, 1, 2, 0);
	draw(s, 1, 1, 1);
	draw(s, 1, 1, 1);
	hostile_end(s->h);
	hostile_result(hostile_runs(s->h) && pixels[inside] ==
		       (polygon_mode == VK_POLYGON_MODE_FILL ? 7 : 0), "%s", title);
}

/* Similar, but valid shaders. */
static void try_fragments(struct scene *s)
{
	begin(s, 0, ID_INDICES);
	s->fragment = ID_FACE;
	bind(s);
	push(s, 0, 1, 2, 0);
	draw(s, 1, 1, 1);
	hostile_end(s->h);
	hostile_result(hostile_runs(s->h) && hostile_pixels(s->h)[1] == 10,
		       "fragments of what is filled know their side");
	begin(s, 0, ID_DISTANCE);
	s->fragment = ID_DISTANCES;
	bind(s);
	push(s, 0, 1, 2, 0);
	draw(s, 1, 1, 1);
	hostile_end(s->h);
	hostile_result(hostile_runs(s->h) && hostile_pixels(s->h)[1] == 13,
		       "fragments read the distances that there are");
	begin(s, 0, ID_INDICES);
	set_raster(s, VK_POLYGON_MODE_LINE, 0);
	push(s, 0, 1, 2, 0);
	draw(s, 1, 1, 1);
	hostile_end(s->h);
	hostile_result(hostile_runs(s->h) && !hostile_pixels(s->h)[2 * (HOSTILE_PIXELS / 2 + 5)],
		       "outlines are drawn");
	try_numbers(s);
	try_smooth(s, VK_POLYGON_MODE_FILL,
		   "triangles are drawn if lines are smooth, and add no slot");
	try_smooth(s, VK_POLYGON_MODE_LINE, "smooth lines of meshes are plain, and add no slot");
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.memory = hostile_bo(s.h, MEMORY_SIZE);
	hostile_guard_back(s.h);
	make_objects(s.h);
	hostile_need(s.h, "shaders");
	try_indices(&s);
	try_counts(&s);
	try_tasks(&s);
	try_unwritten(&s);
	try_indirect(&s);
	try_fragments(&s);
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	use(&s, 0, ID_INDICES);
	hostile_result(draws(&s, PUSH(0, 1, 2, 0), 7, 10), "and triangles once more");
	sdrm_bo_del(s.memory);
	hostile_del(s.h);
	return hostile_status();
}
