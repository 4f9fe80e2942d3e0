// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: sequences of draws with lavapipe that share shader objects and differ in the
 * shaders beside them and in all state that changes how the host lays out vertices. A code that the
 * host keeps from an earlier draw must fit each later one. harness.h has the client's memory,
 * fenced-heap.h the host's.
 *
 * Each draw takes five bytes of the input, the shaders are fixed. The host compiles a shader with
 * each state once and keeps the code from one input to the next, unless the first byte of an input
 * replaces a shader object. After each submission the targets must not have words of FENCED_FILL,
 * which is what a shader reads from heap that nothing has written.
 *
 * A fault that needs earlier inputs is repeated with them: SUNDOG_FUZZ_LOG names a file to which
 * each input is appended before it is drawn, and SUNDOG_FUZZ_REPLAY a file of that kind whose
 * inputs are drawn at the start.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vulkan/vulkan_core.h>

#include "exec/exec.h"
#include "draw.mesh.h"
#include "draw.task.h"
#include "draw.tesc.h"
#include "draw.tese.h"
#include "draw.vert.h"
#include "fenced-heap.h"
#include "harness.h"
#include "input.h"
#include "recipe.h"
#include "sequence-shaders.h"
#include "sundog_run.h"

#define STREAM_DWORDS (1u << 16)
#define TARGET_SIZE 16
#define BYTES 5u			/* of the input for each draw */
#define MAX_DRAWS 16u
/* Values of the first byte, in units of 1/256 of all inputs. */
#define RENEWALS 8u			/* replace one shader object */
#define SLOT_INPUTS 64u			/* may need evaluation shaders of a draw */

const char *__asan_default_options(void);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SHADER(stage, name) { SUNDOG_STAGE_##stage, name, sizeof(name), #name }

/* The pool, by stages. The first of each stage writes or reads what the others do. */
static const struct {
	uint32_t stage;
	const uint32_t *code;
	size_t size;
	const char *name;
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
	SHADER(FRAGMENT, sequence_f_number), SHADER(FRAGMENT, sequence_f_primitive),
	SHADER(TASK, drawn_task),
	SHADER(MESH, drawn_mesh), SHADER(MESH, sequence_m_outputs), SHADER(MESH, sequence_m_number),
};

#define N_POOL (sizeof(pool) / sizeof(pool[0]))

/* A target is a colour image and its view. */
static const struct {
	uint32_t layers, samples;
} targets[] = { { 1, 1 }, { 1, 4 }, { 5, 1 } };

#define N_TARGETS (sizeof(targets) / sizeof(targets[0]))
#define TARGET_OFFSET(target) (((target) + 1) << 16)

enum { ID_SET_LAYOUT = 1, ID_LAYOUT, ID_POOL, ID_TARGETS = ID_POOL + N_POOL };

static int log_fd = -1;

static uint32_t words[STREAM_DWORDS];

static struct sundog_stream new_stream(void)
{
	return (struct sundog_stream){ .map = words, .size = STREAM_DWORDS };
}

/* Task and mesh shaders need a pipeline layout, and all shaders of a draw the same one. */
static void emit_shader(struct sundog_stream *s, uint32_t i)
{
	sundog_emit_create_layout_shader(s, &(struct sundog_cmd_create_layout_shader){
		ID_POOL + i, pool[i].stage, ID_LAYOUT, pool[i].size / 4 }, pool[i].code);
}

static void make_pool(struct sundog_stream *s)
{
	const uint32_t set = ID_SET_LAYOUT;

	sundog_emit_create_set_layout(s, &(struct sundog_cmd_create_set_layout){
		ID_SET_LAYOUT, 0 }, NULL);
	sundog_emit_create_pipeline_layout(s, &(struct sundog_cmd_create_pipeline_layout){
		ID_LAYOUT, 128, 1 }, &set);
	for (uint32_t i = 0; i < N_POOL; i++)
		emit_shader(s, i);
}

static void make_targets(struct sundog_stream *s)
{
	for (uint32_t i = 0; i < N_TARGETS; i++) {
		const uint32_t id = ID_TARGETS + 2 * i;

		sundog_emit_create_image(s, &(struct sundog_cmd_create_image){
			.id = id, .mem = harness_memory, .offset = TARGET_OFFSET(i),
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

/* Replaces a shader object, so that the host compiles it again. */
static void renew(uint32_t i)
{
	struct sundog_stream s = new_stream();

	sundog_emit_destroy(&s, &(struct sundog_cmd_destroy){
		.id = ID_POOL + i, .kind = SUNDOG_OBJECT_KIND_SHADER });
	emit_shader(&s, i);
	MUST(harness_run(&s), "the shader was refused");
	objects_collect(&harness_exec, UINT64_MAX);
}

/*
 * Freed blocks are used again soon, so that their pages need not be made again. LeakSanitizer does
 * not look for pointers in fenced blocks.
 */
const char *__asan_default_options(void)
{
	return "max_malloc_fill_size=65536:quarantine_size_mb=16:malloc_context_size=8:"
	       "allocator_release_to_os_interval_ms=-1:detect_leaks=0";
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
	uint32_t shaders[NUM_STAGES];
	uint32_t topology, target, polygon_mode, line_mode, cull, flags, vertices;
	bool mesh;
	bool submit;		/* after the draw */
};

static const struct {
	bool tessellated, geometry, mesh, task;
} kinds[8] = {
	{ 0 }, { .geometry = true }, { .tessellated = true }, { .tessellated = true },
	{ .tessellated = true }, { .tessellated = true, .geometry = true }, { .mesh = true },
	{ .mesh = true, .task = true },
};

static uint32_t topology_of(const struct choice *c, uint32_t byte)
{
	static const uint32_t topologies[] = { VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
					       VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
					       VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
					       VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN };
	const struct shader *geometry = shader_of(c->shaders[SUNDOG_STAGE_GEOMETRY]);

	if (c->shaders[SUNDOG_STAGE_TESS_EVAL])
		return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	return geometry ? topologies[geometry->input_vertices - 1] : topologies[byte % 4];
}

/* Returns true if the host driver may add a slot to the vertices of a draw. */
static bool may_add_slot(const struct choice *c)
{
	const struct shader *fragment = shader_of(c->shaders[SUNDOG_STAGE_FRAGMENT]);

	return fragment->primitive_id || fragment->front_facing;
}

static struct choice choose(const uint8_t *b, bool slots)
{
	const uint32_t kind = b[0] & 7;
	struct choice c = {
		.mesh = kinds[kind].mesh,
		.submit = b[0] & 128,
		.target = (b[2] >> 5) % N_TARGETS,
		.polygon_mode = b[3] % 3,
		.line_mode = (b[3] >> 2) % 4,
		.cull = b[3] >> 4 & 3,
		.flags = b[3] & 64 ? SUNDOG_RASTER_FLAG_PROVOKING_LAST : 0,
	};

	c.shaders[SUNDOG_STAGE_FRAGMENT] = pick(SUNDOG_STAGE_FRAGMENT, b[2] & 31);
	if (kinds[kind].tessellated) {
		c.shaders[SUNDOG_STAGE_TESS_CTRL] = pick(SUNDOG_STAGE_TESS_CTRL, b[1] & 15);
		c.shaders[SUNDOG_STAGE_TESS_EVAL] = pick(SUNDOG_STAGE_TESS_EVAL, b[1] >> 4);
		if (!slots && may_add_slot(&c))
			c.shaders[SUNDOG_STAGE_FRAGMENT] = pick(SUNDOG_STAGE_FRAGMENT, 0);
	}
	if (kinds[kind].geometry)
		c.shaders[SUNDOG_STAGE_GEOMETRY] = pick(SUNDOG_STAGE_GEOMETRY, b[4] & 15);
	if (kinds[kind].task)
		c.shaders[SUNDOG_STAGE_TASK] = pick(SUNDOG_STAGE_TASK, 0);
	if (c.mesh) {
		c.shaders[SUNDOG_STAGE_MESH] = pick(SUNDOG_STAGE_MESH, b[4]);
		c.submit |= may_add_slot(&c) || c.line_mode;
	} else {
		c.shaders[SUNDOG_STAGE_VERTEX] = pick(SUNDOG_STAGE_VERTEX, b[0] >> 3);
	}
	c.topology = topology_of(&c, b[4] >> 4);
	c.vertices = c.topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST ?
		     shader_of(c.shaders[SUNDOG_STAGE_TESS_CTRL])->patch_vertices_out << (b[4] >> 7)
		     : 3u << (b[4] >> 6);
	return c;
}

static void emit_shaders(struct sundog_stream *s, const struct choice *c)
{
	struct sundog_cmd_bind_shaders bind = { { 0 } };
	struct sundog_cmd_bind_mesh_shaders mesh = { { 0 } };

	if (c->mesh) {
		for (uint32_t i = 0; i < NUM_STAGES; i++)
			mesh.shaders[i] = c->shaders[i];
		sundog_emit_bind_mesh_shaders(s, &mesh);
	} else {
		for (uint32_t i = 0; i < NUM_SLOT_STAGES; i++)
			bind.shaders[i] = c->shaders[i];
		sundog_emit_bind_shaders(s, &bind);
	}
}

static void emit_draw(struct sundog_stream *s, const struct choice *c)
{
	const struct sundog_attachment color = { .view = ID_TARGETS + 2 * c->target + 1,
						 .load = SUNDOG_LOAD_OP_CLEAR,
						 .store = SUNDOG_STORE_OP_STORE };

	recipe_state(s, TARGET_SIZE);
	sundog_emit_set_vertex_input(s, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	emit_shaders(s, c);
	sundog_emit_set_raster(s, &(struct sundog_cmd_set_raster){
		.topology = c->topology, .polygon_mode = c->polygon_mode,
		.line_mode = c->line_mode, .cull_mode = c->cull, .flags = c->flags,
		.line_width = 1.0f, .stipple_factor = 1 });
	sundog_emit_set_multisample(s, &(struct sundog_cmd_set_multisample){
		.samples = targets[c->target].samples, .mask = UINT32_MAX });
	if (c->topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
		sundog_emit_set_patch(s, &(struct sundog_cmd_set_patch){
			shader_of(c->shaders[SUNDOG_STAGE_TESS_CTRL])->patch_vertices_out, 0 });
	sundog_emit_begin_rendering(s, &(struct sundog_cmd_begin_rendering){
		.area = { 0, 0, TARGET_SIZE, TARGET_SIZE }, .layers = targets[c->target].layers,
		.count = 1 }, &color);
	if (c->mesh)
		sundog_emit_draw_mesh(s, &(struct sundog_cmd_draw_mesh){ { 2, 1, 1 } });
	else
		sundog_emit_draw(s, &(struct sundog_cmd_draw){ c->vertices, 1, 0, 0 });
	sundog_emit_end_rendering(s);
}

/* Some fragment shaders add one to the words that they show. */
static bool is_fill(uint32_t word)
{
	const uint32_t fill = FENCED_FILL * 0x01010101u;

	return word == fill || word == fill + 1;
}

static void print_choice(const struct choice *c)
{
	fprintf(stderr, "draw:");
	for (uint32_t i = 0; i < NUM_STAGES; i++)
		if (c->shaders[i])
			fprintf(stderr, " %s", pool[c->shaders[i] - ID_POOL].name);
	fprintf(stderr, ", topology %u, %u vertices, %u layers, %u samples, polygon mode %u, line "
		"mode %u, cull %u, flags %#x\n", c->topology, c->vertices,
		targets[c->target].layers, targets[c->target].samples, c->polygon_mode,
		c->line_mode, c->cull, c->flags);
}

/*
 * Returns true if the fragment shader of @c may read several inputs that no stage writes. lavapipe
 * without our patch 0009 reads behind the vertex for these.
 */
static bool may_miss_inputs(const struct choice *c)
{
	const uint32_t *code = pool[c->shaders[SUNDOG_STAGE_FRAGMENT] - ID_POOL].code;

	return code == sequence_f_shows || code == sequence_f_reads || code == sequence_f_number;
}

static bool has_fill(uint32_t target)
{
	const uint32_t *pixels = harness_bytes(TARGET_OFFSET(target));
	const size_t n = TARGET_SIZE * TARGET_SIZE * 2 * targets[target].layers *
			 targets[target].samples;

	for (size_t i = 0; i < n; i++)
		if (is_fill(pixels[i]))
			return true;
	return false;
}

/*
 * Prints @n draws that were one submission, and aborts, if the last one to a target has shown words
 * of heap that nothing wrote.
 */
static void check_targets(const struct choice *choices, size_t n)
{
	const bool patched = !vk_has_quirk(&harness_exec.vk, QUIRK_EVAL_STRIDE);
	const struct choice *last[N_TARGETS] = { NULL };

	for (size_t i = 0; i < n; i++)
		last[choices[i].target] = &choices[i];
	for (uint32_t i = 0; i < N_TARGETS; i++) {
		if (!last[i] || (!patched && may_miss_inputs(last[i])) || !has_fill(i))
			continue;
		for (size_t k = 0; k < n; k++)
			print_choice(&choices[k]);
		MUST(false, "a target has words of heap that nothing wrote");
	}
}

/* Draws @n choices in one submission, or in one each if one of them is refused. */
static void draw(const struct choice *choices, size_t n)
{
	struct sundog_stream s = new_stream();

	for (size_t i = 0; i < n; i++)
		emit_draw(&s, &choices[i]);
	if (harness_run(&s)) {
		check_targets(choices, n);
		return;
	}
	for (size_t i = 0; n > 1 && i < n; i++)
		draw(&choices[i], 1);
}

static void draw_input(const uint8_t *data, size_t size)
{
	const bool slots = data[0] < SLOT_INPUTS || !vk_has_quirk(&harness_exec.vk,
								  QUIRK_EVAL_STRIDE);
	struct choice choices[MAX_DRAWS];
	size_t n = 0;

	if (data[0] >= 256 - RENEWALS && size > 1)
		renew(data[1] % N_POOL);
	for (size_t i = 0; i < MAX_DRAWS && 1 + (i + 1) * BYTES <= size; i++) {
		choices[n++] = choose(data + 1 + i * BYTES, slots);
		if (choices[n - 1].submit) {
			draw(choices, n);
			n = 0;
		}
	}
	if (n)
		draw(choices, n);
	objects_collect(&harness_exec, UINT64_MAX);
}

/* Draws the inputs of a log: each has a byte of its size before it. */
static void replay(const char *path)
{
	uint8_t data[256], size;
	FILE *f = fopen(path, "re");

	MUST(f, "SUNDOG_FUZZ_REPLAY cannot be read");
	while (fread(&size, 1, 1, f) && fread(data, 1, size, f) == size)
		draw_input(data, size);
	fclose(f);
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
	if (getenv("SUNDOG_FUZZ_LOG")) {
		log_fd = open(getenv("SUNDOG_FUZZ_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			      0666);
		MUST(log_fd >= 0, "SUNDOG_FUZZ_LOG cannot be written");
	}
	if (getenv("SUNDOG_FUZZ_REPLAY"))
		replay(getenv("SUNDOG_FUZZ_REPLAY"));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t record[256] = { size };

	if (!size || size >= sizeof(record))
		return 0;
	if (log_fd >= 0) {
		memcpy(record + 1, data, size);
		MUST(write(log_fd, record, size + 1) == (ssize_t)size + 1, "SUNDOG_FUZZ_LOG");
	}
	draw_input(data, size);
	return 0;
}
