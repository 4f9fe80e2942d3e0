// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: sequences of draws with lavapipe that share shader objects and differ in the
 * shaders beside them and in all state that changes how the host lays out vertices. A code that the
 * host keeps from an earlier draw must fit each later one. harness.h has the memory.
 *
 * Each draw takes four bytes of the input; the shaders are fixed. Their compiled forms stay from
 * one input to the next, unless the first byte of an input asks for new objects.
 */
#include <stdlib.h>

#include <vulkan/vulkan_core.h>

#include "exec/exec.h"
#include "draw.tesc.h"
#include "draw.tese.h"
#include "draw.vert.h"
#include "harness.h"
#include "recipe.h"
#include "sequence-shaders.h"
#include "sundog_run.h"

#define STREAM_DWORDS (1u << 16)
#define TARGET_SIZE 16
#define BYTES 4u			/* of the input for each draw */
#define MAX_DRAWS 16u
#define NEW_OBJECTS 16u		/* one of so many values of the first byte asks for them */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SHADER(stage, name) { SUNDOG_STAGE_##stage, name, sizeof(name) }

/* The pool, by stages. The first of each stage writes or reads what the others do. */
static const struct {
	uint32_t stage;
	const uint32_t *code;
	size_t size;
} pool[] = {
	SHADER(VERTEX, drawn_vert), SHADER(VERTEX, sequence_v_nothing),
	SHADER(VERTEX, sequence_v_declares), SHADER(VERTEX, sequence_v_covers),
	SHADER(TESS_CTRL, drawn_tesc), SHADER(TESS_CTRL, sequence_c_nothing),
	SHADER(TESS_CTRL, sequence_c_declares), SHADER(TESS_CTRL, sequence_c_reads),
	SHADER(TESS_CTRL, sequence_c_stride),
	SHADER(TESS_EVAL, drawn_tese), SHADER(TESS_EVAL, sequence_e_passes),
	SHADER(TESS_EVAL, sequence_e_reads), SHADER(TESS_EVAL, sequence_e_nothing),
	SHADER(TESS_EVAL, sequence_e_declares), SHADER(TESS_EVAL, sequence_e_stride),
	SHADER(TESS_EVAL, sequence_e_bare),
	SHADER(GEOMETRY, sequence_g_reads), SHADER(GEOMETRY, sequence_g_covers),
	SHADER(GEOMETRY, sequence_g_reads_lines), SHADER(GEOMETRY, sequence_g_reads_triangles),
	SHADER(GEOMETRY, sequence_g_number),
	SHADER(FRAGMENT, sequence_f_plain), SHADER(FRAGMENT, sequence_f_first),
	SHADER(FRAGMENT, sequence_f_face), SHADER(FRAGMENT, sequence_f_unused_face),
	SHADER(FRAGMENT, sequence_f_shows), SHADER(FRAGMENT, sequence_f_reads),
	SHADER(FRAGMENT, sequence_f_number),
};

#define N_POOL (sizeof(pool) / sizeof(pool[0]))

/* A target is a colour image and its view. */
static const struct {
	uint32_t layers, samples;
} targets[] = { { 1, 1 }, { 1, 4 }, { 5, 1 } };

#define N_TARGETS (sizeof(targets) / sizeof(targets[0]))

enum { ID_POOL = 1, ID_TARGETS = ID_POOL + N_POOL };

static uint32_t words[STREAM_DWORDS];

static struct sundog_stream new_stream(void)
{
	return (struct sundog_stream){ .map = words, .size = STREAM_DWORDS };
}

static void make_pool(struct sundog_stream *s)
{
	for (uint32_t i = 0; i < N_POOL; i++)
		sundog_emit_create_shader(s, &(struct sundog_cmd_create_shader){
			.id = ID_POOL + i, .stage = pool[i].stage, .n_dwords = pool[i].size / 4 },
					  pool[i].code);
}

static void make_targets(struct sundog_stream *s)
{
	for (uint32_t i = 0; i < N_TARGETS; i++) {
		const uint32_t id = ID_TARGETS + 2 * i;

		sundog_emit_create_image(s, &(struct sundog_cmd_create_image){
			.id = id, .mem = harness_memory, .offset = (i + 1) << 16,
			.type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R32G32_UINT,
			.extent = { TARGET_SIZE, TARGET_SIZE, 1 }, .levels = 1,
			.layers = targets[i].layers, .samples = targets[i].samples,
			.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT });
		sundog_emit_create_image_view(s, &(struct sundog_cmd_create_image_view){
			.id = id + 1, .image = id, .type = targets[i].layers > 1 ?
				VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
			.format = VK_FORMAT_R32G32_UINT, .aspect = SUNDOG_ASPECT_COLOR,
			.levels = 1, .layers = targets[i].layers,
			.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT });
	}
}

/* Replaces all shader objects, so that the host compiles them again. */
static void renew_pool(void)
{
	struct sundog_stream s = new_stream();

	for (uint32_t i = 0; i < N_POOL; i++)
		sundog_emit_destroy(&s, &(struct sundog_cmd_destroy){
			.id = ID_POOL + i, .kind = SUNDOG_OBJECT_KIND_SHADER });
	make_pool(&s);
	if (!harness_run(&s))
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct sundog_stream s = new_stream();

	(void)argc;
	(void)argv;
	harness_init();
	make_pool(&s);
	make_targets(&s);
	if (!harness_run(&s))
		abort();
	harness_close();
	return 0;
}

/* Returns the id of the shader of @stage that a byte picks. */
static uint32_t pick(uint32_t stage, uint32_t byte)
{
	uint32_t first = 0, n = 0;

	while (pool[first].stage != stage)
		first++;
	while (first + n < N_POOL && pool[first + n].stage == stage)
		n++;
	return ID_POOL + first + byte % n;
}

static const struct shader *shader_of(uint32_t id)
{
	return id ? (const struct shader *)harness_exec.objects.by_id[id] : NULL;
}

/* The state of a draw, out of its bytes. */
struct choice {
	uint32_t vertex, control, eval, geometry, fragment;
	uint32_t topology, target, polygon_mode, line_mode, cull, flags;
};

static uint32_t topology_of(const struct choice *c, uint32_t byte)
{
	static const uint32_t topologies[] = { VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
					       VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
					       VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
					       VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN };
	const struct shader *geometry = shader_of(c->geometry);

	if (c->eval)
		return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	return geometry ? topologies[geometry->input_vertices - 1] : topologies[byte % 4];
}

static struct choice choose(const uint8_t *b)
{
	const bool tessellated = b[0] & 1, geometry = b[0] & 2;
	struct choice c = {
		.vertex = pick(SUNDOG_STAGE_VERTEX, b[0] >> 2),
		.control = tessellated ? pick(SUNDOG_STAGE_TESS_CTRL, b[0] >> 4) : 0,
		.eval = tessellated ? pick(SUNDOG_STAGE_TESS_EVAL, b[1]) : 0,
		.geometry = geometry ? pick(SUNDOG_STAGE_GEOMETRY, b[1] >> 4) : 0,
		.fragment = pick(SUNDOG_STAGE_FRAGMENT, b[2]),
		.target = b[2] % 64 / 8 % N_TARGETS,
		.polygon_mode = b[3] % 3,
		.line_mode = (b[3] >> 2) % 4,
		.cull = b[3] >> 4 & 3,
		.flags = b[3] & 64 ? SUNDOG_RASTER_FLAG_PROVOKING_LAST : 0,
	};

	c.topology = topology_of(&c, b[1] >> 2);
	return c;
}

static void emit_draw(struct sundog_stream *s, const struct choice *c)
{
	const struct sundog_attachment color = { .view = ID_TARGETS + 2 * c->target + 1,
						 .load = SUNDOG_LOAD_OP_CLEAR,
						 .store = SUNDOG_STORE_OP_STORE };

	recipe_state(s, TARGET_SIZE);
	sundog_emit_set_vertex_input(s, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){
		{ c->vertex, c->fragment, c->geometry, c->control, c->eval } });
	sundog_emit_set_raster(s, &(struct sundog_cmd_set_raster){
		.topology = c->topology, .polygon_mode = c->polygon_mode,
		.line_mode = c->line_mode, .cull_mode = c->cull, .flags = c->flags,
		.line_width = 1.0f, .stipple_factor = 1 });
	sundog_emit_set_multisample(s, &(struct sundog_cmd_set_multisample){
		.samples = targets[c->target].samples, .mask = UINT32_MAX });
	if (c->eval)
		sundog_emit_set_patch(s, &(struct sundog_cmd_set_patch){
			shader_of(c->control)->patch_vertices_out, 0 });
	sundog_emit_begin_rendering(s, &(struct sundog_cmd_begin_rendering){
		.area = { 0, 0, TARGET_SIZE, TARGET_SIZE }, .layers = targets[c->target].layers,
		.count = 1 }, &color);
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 12, 1, 0, 0 });
	sundog_emit_end_rendering(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sundog_stream s;

	if (size && data[0] % NEW_OBJECTS == 0)
		renew_pool();
	for (size_t i = 0; i < MAX_DRAWS && 1 + (i + 1) * BYTES <= size; i++) {
		const struct choice c = choose(data + 1 + i * BYTES);

		s = new_stream();
		emit_draw(&s, &c);
		harness_run(&s);
	}
	objects_collect(&harness_exec, UINT64_MAX);
	return 0;
}
