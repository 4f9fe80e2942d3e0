// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: the gate, and draws and dispatches of the modules that it accepts with
 * lavapipe, in all stages. The draws use targets with one and several samples, layers and views,
 * all depth and stencil tests, views and samplers that the input pairs with its slots, and
 * transform feedback if the shader writes any. harness.h has the memory.
 */
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "exec/exec.h"
#include "gate/texture.h"
#include "draw.mesh.h"
#include "draw.task.h"
#include "draw.tesc.h"
#include "draw.tese.h"
#include "draw.vert.h"
#include "harness.h"
#include "recipe.h"
#include "shader-mutator.h"
#include "sundog_run.h"

#define STREAM_DWORDS (1u << 16)
#define TARGET_SIZE 16
#define SLOTS 4
#define FEEDBACK_SIZE 256u
#define PAIRINGS SLOTS		/* bytes at the end of the header: the view of each slot */
#define IMAGE_ROOM 65536u	/* bytes per image; an image's id and its view's id have one each */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#define SSBO_SIZE 256u
#define ATTRIBUTES 16u

/* A target is a colour image and a depth and stencil image, with a view each. */
#define N_TARGETS 3
#define ID_COLOR(target) (ID_TARGETS + 4 * (target))
#define ID_DEPTH(target) (ID_COLOR(target) + 2)

enum { ID_VERTEX = 1, ID_CONTROL, ID_EVAL, ID_SHADER, ID_SET_LAYOUT, ID_LAYOUT, ID_TASK, ID_MESH,
       ID_TABLE, ID_TARGETS,
       ID_SAMPLER = ID_TARGETS + 4 * N_TARGETS, ID_COMPARE,
       ID_TEXELS, ID_COUNTERS = ID_TEXELS + 3,
       ID_IMAGES = ID_COUNTERS + SUNDOG_MAX_FEEDBACK_BUFFERS };

static const struct view_kind {
	uint32_t view_type, image_type, format, layers, samples, flags, aspect;
} kinds[] = {
	{ VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_TYPE_1D, VK_FORMAT_R8G8B8A8_UNORM, 1, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_TYPE_1D, VK_FORMAT_R32_SFLOAT, 5, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 1, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, VK_FORMAT_R32_SINT, 1, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, VK_FORMAT_R32G32B32A32_UINT, 1, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, VK_FORMAT_D32_SFLOAT, 1, 1, 0, 2 },
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 1, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 1, 4, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 5, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 5, 4, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_TYPE_3D, VK_FORMAT_R8G8B8A8_UNORM, 1, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 6, 1,
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE, 1 },
	{ VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, VK_IMAGE_TYPE_2D, VK_FORMAT_R16G16B16A16_SFLOAT, 12, 1,
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE, 1 },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Views for storage images, of each number type. */
static const struct view_kind storage_kinds[] = {
#define STORAGE_KINDS(format) \
	{ VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_TYPE_1D, format, 1, 1, 0, 1 }, \
	{ VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_TYPE_1D, format, 5, 1, 0, 1 }, \
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, format, 1, 1, 0, 1 }, \
	{ VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_TYPE_2D, format, 5, 1, 0, 1 }, \
	{ VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_TYPE_3D, format, 1, 1, 0, 1 }, \
	{ VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_TYPE_2D, format, 6, 1, \
	  SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE, 1 }
	STORAGE_KINDS(VK_FORMAT_R32_SFLOAT), STORAGE_KINDS(VK_FORMAT_R32_SINT),
	STORAGE_KINDS(VK_FORMAT_R32_UINT),
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 1, 1, 0, 1 },
	{ VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_TYPE_2D, VK_FORMAT_R32_UINT, 1, 4, 0, 1 },
};

#define N_STORAGE_KINDS (sizeof(storage_kinds) / sizeof(storage_kinds[0]))
#define ID_STORAGE (ID_IMAGES + 2 * N_KINDS)

static const struct {
	uint32_t layers, samples;
} targets[N_TARGETS] = { { 1, 1 }, { 1, 4 }, { 5, 1 } };

/* The words of each stream. */
static uint32_t words[STREAM_DWORDS];

static void emit_image(struct sundog_stream *s, uint32_t id, const struct view_kind *k,
		       uint32_t usage)
{
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = harness_memory,
		.offset = (id - ID_TARGETS + 1) * (uint64_t)IMAGE_ROOM,
		.flags = k->flags,
		.type = k->image_type, .format = k->format,
		.extent = { TARGET_SIZE, k->image_type == VK_IMAGE_TYPE_1D ? 1 : TARGET_SIZE,
			    k->image_type == VK_IMAGE_TYPE_3D ? 4 : 1 },
		.levels = k->samples == 1 && usage != SUNDOG_IMAGE_USAGE_STORAGE ? 2 : 1,
		.layers = k->layers, .samples = k->samples, .usage = usage,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = id + 1, .image = id, .type = k->view_type, .format = k->format,
		.aspect = k->aspect,
		.levels = usage & SUNDOG_IMAGE_USAGE_SAMPLED ? image.levels : 1,
		.layers = k->layers, .usage = usage,
	};

	sundog_emit_create_image(s, &image);
	sundog_emit_create_image_view(s, &view);
}

/* Creates buffer views of each number type, and feedback counters. */
static void make_buffer_objects(struct sundog_stream *s)
{
	static const uint32_t formats[] = { VK_FORMAT_R32_SFLOAT, VK_FORMAT_R16G16_SINT,
					    VK_FORMAT_R32G32B32A32_UINT };

	for (uint32_t i = 0; i < 3; i++)
		sundog_emit_create_buffer_view(s, &(struct sundog_cmd_create_buffer_view){
			ID_TEXELS + i, { harness_memory, 8192, 4096 }, formats[i] });
	for (uint32_t i = 0; i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++)
		sundog_emit_create_feedback_counter(s, &(struct sundog_cmd_create_feedback_counter){
			ID_COUNTERS + i });
}

static void emit_shader(struct sundog_stream *s, uint32_t id, uint32_t stage, const uint32_t *code,
			size_t size)
{
	const struct sundog_cmd_create_shader cmd = { .id = id, .stage = stage,
						      .n_dwords = size / 4 };

	sundog_emit_create_shader(s, &cmd, code);
}

static void make_targets(struct sundog_stream *s)
{
	for (uint32_t i = 0; i < N_TARGETS; i++) {
		struct view_kind kind = {
			targets[i].layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
			VK_IMAGE_TYPE_2D,
			VK_FORMAT_R8G8B8A8_UNORM, targets[i].layers, targets[i].samples, 0,
			SUNDOG_ASPECT_COLOR,
		};

		emit_image(s, ID_COLOR(i), &kind, SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT);
		kind.format = VK_FORMAT_D32_SFLOAT_S8_UINT;
		kind.aspect = SUNDOG_ASPECT_DEPTH | SUNDOG_ASPECT_STENCIL;
		emit_image(s, ID_DEPTH(i), &kind, SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT);
	}
}

static void write_handles(struct sundog_stream *s, uint32_t binding, uint32_t view)
{
	const uint32_t indices[] = { 1, SUNDOG_MAX_HANDLES - 1 };

	for (int i = 0; i < 2; i++)
		sundog_emit_write_handle(s, &(struct sundog_cmd_write_handle){
			ID_TABLE, binding, indices[i], view, ID_SAMPLER });
}

static void write_image_handles(struct sundog_stream *s, const struct view_kind *k,
				enum sundog_handle_class class,
				uint32_t view)
{
	const enum format_number number = k->aspect == 1 ? format_number(k->format) : FORMAT_FLOAT;

	write_handles(s,
		      texture_kind_binding(texture_kind(k->view_type, k->samples > 1, number),
					   class), view);
}

/* Creates handle tables with a view in each table that has a matching one. */
static void make_table(struct sundog_stream *s)
{
	const uint32_t buffer = SUNDOG_HANDLE_DIM_BUFFER * SUNDOG_NUM_HANDLE_NUMBERS;

	sundog_emit_create_handle_table(s, &(struct sundog_cmd_create_handle_table){ ID_TABLE });
	for (uint32_t i = 0; i < N_KINDS; i++)
		write_image_handles(s, &kinds[i], SUNDOG_HANDLE_CLASS_SAMPLED,
				    ID_IMAGES + 2 * i + 1);
	for (uint32_t i = 0; i < N_STORAGE_KINDS; i++)
		write_image_handles(s, &storage_kinds[i], SUNDOG_HANDLE_CLASS_STORAGE,
				    ID_STORAGE + 2 * i + 1);
	for (uint32_t i = 0; i < 3; i++)
		write_handles(s, buffer + i, ID_TEXELS + i);
}

static void emit_layout_shader(struct sundog_stream *s, uint32_t id, uint32_t stage,
			       const uint32_t *code, size_t size)
{
	const struct sundog_cmd_create_layout_shader cmd = { id, stage, ID_LAYOUT, size / 4 };

	sundog_emit_create_layout_shader(s, &cmd, code);
}

/* Task and mesh shaders have no slots, so they need a pipeline layout. */
static void make_mesh_objects(struct sundog_stream *s)
{
	const uint32_t set = ID_SET_LAYOUT;

	sundog_emit_create_set_layout(s, &(struct sundog_cmd_create_set_layout){
		ID_SET_LAYOUT, 0 }, NULL);
	sundog_emit_create_pipeline_layout(s, &(struct sundog_cmd_create_pipeline_layout){
		ID_LAYOUT, 128, 1 }, &set);
	emit_layout_shader(s, ID_TASK, SUNDOG_STAGE_TASK, drawn_task, sizeof(drawn_task));
	emit_layout_shader(s, ID_MESH, SUNDOG_STAGE_MESH, drawn_mesh, sizeof(drawn_mesh));
}

/* Creates the objects that all inputs draw with. */
static void make_objects(void)
{
	struct sundog_stream s = { .map = words, .size = STREAM_DWORDS };
	const struct sundog_cmd_create_sampler sampler = { .id = ID_SAMPLER, .max_anisotropy = 1.0f,
							   .max_lod = 10.0f,
							   .min_filter = 1, .mag_filter = 1,
							   .mipmap_mode = 1 };
	const struct sundog_cmd_create_sampler compare = { .id = ID_COMPARE,
							   .flags = SUNDOG_SAMPLER_FLAG_COMPARE,
							   .address_u = 3, .address_v = 3,
							   .compare_op = 3 };

	make_targets(&s);
	for (uint32_t i = 0; i < N_KINDS; i++)
		emit_image(&s, ID_IMAGES + 2 * i, &kinds[i], SUNDOG_IMAGE_USAGE_SAMPLED);
	for (uint32_t i = 0; i < N_STORAGE_KINDS; i++)
		emit_image(&s, ID_STORAGE + 2 * i, &storage_kinds[i], SUNDOG_IMAGE_USAGE_STORAGE);
	sundog_emit_create_sampler(&s, &sampler);
	sundog_emit_create_sampler(&s, &compare);
	emit_shader(&s, ID_VERTEX, SUNDOG_STAGE_VERTEX, drawn_vert, sizeof(drawn_vert));
	emit_shader(&s, ID_CONTROL, SUNDOG_STAGE_TESS_CTRL, drawn_tesc, sizeof(drawn_tesc));
	emit_shader(&s, ID_EVAL, SUNDOG_STAGE_TESS_EVAL, drawn_tese, sizeof(drawn_tese));
	make_mesh_objects(&s);
	make_buffer_objects(&s);
	make_table(&s);
	if (!harness_run(&s))
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	harness_init();
	make_objects();
	harness_close();
	return 0;
}

/*
 * Transform feedback to the last buffers of the client's memory, so that nothing is mapped behind
 * them.
 */
static void emit_feedback(struct sundog_stream *s)
{
	struct sundog_mem_range ranges[SUNDOG_MAX_FEEDBACK_BUFFERS];
	struct sundog_cmd_begin_feedback begin = { 0 };

	for (uint32_t i = 0; i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++) {
		ranges[i] = (struct sundog_mem_range){ harness_memory,
						       HARNESS_MEMORY - (i + 1) * FEEDBACK_SIZE,
						       FEEDBACK_SIZE };
		begin.counters[i] = ID_COUNTERS + i;
	}
	sundog_emit_bind_feedback_buffers(s, &(struct sundog_cmd_bind_feedback_buffers){
		SUNDOG_MAX_FEEDBACK_BUFFERS },
					  ranges);
	sundog_emit_begin_feedback(s, &begin);
}

static bool is_tessellation(const struct shader *shader)
{
	return shader->stage == SUNDOG_STAGE_TESS_CTRL || shader->stage == SUNDOG_STAGE_TESS_EVAL;
}

static uint32_t topology_of(const struct shader *shader)
{
	static const uint32_t topologies[] = {
		[1] = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, [2] = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
		[4] = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY,
		[6] = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY,
	};

	if (is_tessellation(shader))
		return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	return shader->input_vertices && shader->input_vertices != 3 ?
		       topologies[shader->input_vertices] :
		       VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
}

/* Binds the shader to its stage, with the shaders of other stages that it needs. */
static void emit_stages(struct sundog_stream *s, const struct shader *shader)
{
	struct sundog_cmd_bind_shaders stages = { { 0 } };

	if (shader->stage != SUNDOG_STAGE_COMPUTE)
		stages.shaders[SUNDOG_STAGE_VERTEX] = ID_VERTEX;
	if (is_tessellation(shader)) {
		stages.shaders[SUNDOG_STAGE_TESS_CTRL] = ID_CONTROL;
		stages.shaders[SUNDOG_STAGE_TESS_EVAL] = ID_EVAL;
	}
	stages.shaders[shader->stage] = ID_SHADER;
	sundog_emit_bind_shaders(s, &stages);
	sundog_emit_set_raster(s, &(struct sundog_cmd_set_raster){
		.topology = topology_of(shader), .line_width = 1.0f, .stipple_factor = 1 });
}

/* Binds buffers that end where the client's memory ends, and storage images and texel buffers. */
static void emit_storage(struct sundog_stream *s, const struct shader *shader,
			 const uint8_t *pairing, uint32_t step)
{
	struct sundog_mem_range ranges[SUNDOG_MAX_SSBOS];
	uint32_t images[SUNDOG_MAX_IMAGES], texels[SUNDOG_MAX_IMAGES];

	for (uint32_t i = 0; i < SUNDOG_MAX_SSBOS; i++)
		ranges[i] = (struct sundog_mem_range){
			harness_memory, HARNESS_MEMORY - (i + 1) * SSBO_SIZE, SSBO_SIZE };
	for (uint32_t i = 0; i < SUNDOG_MAX_IMAGES; i++) {
		images[i] = ID_STORAGE +
			    2 * ((pairing[i % SLOTS] + step + i / SLOTS) % N_STORAGE_KINDS) + 1;
		texels[i] = ID_TEXELS + (pairing[i % SLOTS] + step) % 3;
	}
	sundog_emit_bind_ssbos(s, &(struct sundog_cmd_bind_ssbos){
		shader->stage, 0, SUNDOG_MAX_SSBOS }, ranges);
	sundog_emit_bind_images(s, &(struct sundog_cmd_bind_images){
		shader->stage, 0, SUNDOG_MAX_IMAGES }, images);
	sundog_emit_bind_storage_texels(s, &(struct sundog_cmd_bind_storage_texels){
		shader->stage, 0, SUNDOG_MAX_IMAGES },
					texels);
}

/* Binds a vertex buffer that ends with the client's harness_memory, before the last vertex. */
static void emit_vertices(struct sundog_stream *s)
{
	const struct sundog_buffer_binding buffer = { harness_memory, HARNESS_MEMORY - 100 };
	const struct sundog_cmd_set_vertex_input input = {
		.n_bindings = 1, .bindings = { { 16, 0 } }, .count = ATTRIBUTES,
	};
	struct sundog_vertex_attribute attributes[ATTRIBUTES];

	for (uint32_t i = 0; i < ATTRIBUTES; i++)
		attributes[i] = (struct sundog_vertex_attribute){
			i, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0 };
	sundog_emit_set_vertex_input(s, &input, attributes);
	sundog_emit_bind_vertex_buffers(s, &(struct sundog_cmd_bind_vertex_buffers){
		0, 1 }, &buffer);
}

/* Returns true if the target's layers are used as views. */
static bool has_views(const struct shader *shader, uint32_t target, uint32_t step, bool captures)
{
	return targets[target].layers > 1 && step & 1 && !shader->layer && !captures;
}

/* Begins a rendering with all depth and stencil tests enabled. */
static void emit_begin(struct sundog_stream *s, uint32_t target, bool views)
{
	const struct sundog_attachment color = {
		.view = ID_COLOR(target) + 1, .load = SUNDOG_LOAD_OP_CLEAR,
		.store = SUNDOG_STORE_OP_STORE,
	};
	const struct sundog_attachment depth = {
		.view = ID_DEPTH(target) + 1, .load = SUNDOG_LOAD_OP_CLEAR,
		.store = SUNDOG_STORE_OP_STORE,
	};
	const struct sundog_cmd_begin_rendering begin = {
		.area = { 0, 0, TARGET_SIZE, TARGET_SIZE }, .layers = targets[target].layers,
		.depth = depth,
		.stencil = depth, .count = 1,
	};
	const struct sundog_cmd_begin_multiview multiview = {
		.area = begin.area, .view_mask = 1u << (begin.layers - 1) | 1, .depth = depth,
		.stencil = depth, .count = 1,
	};
	const struct sundog_stencil_face face = {
		.fail_op = VK_STENCIL_OP_INVERT, .pass_op = VK_STENCIL_OP_REPLACE,
		.depth_fail_op = VK_STENCIL_OP_INCREMENT_AND_WRAP,
		.compare_op = VK_COMPARE_OP_LESS_OR_EQUAL,
		.compare_mask = 0xff, .write_mask = 0xff,
	};

	sundog_emit_set_depth_stencil(s, &(struct sundog_cmd_set_depth_stencil){
		.flags = SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST |
			 SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE |
			 SUNDOG_DEPTH_STENCIL_FLAG_STENCIL_TEST,
		.depth_compare = VK_COMPARE_OP_GREATER_OR_EQUAL, .front = face, .back = face });
	sundog_emit_set_multisample(s, &(struct sundog_cmd_set_multisample){
		0, targets[target].samples, UINT32_MAX });
	if (views)
		sundog_emit_begin_multiview(s, &multiview, &color);
	else
		sundog_emit_begin_rendering(s, &begin, &color);
}

/*
 * Emits a draw or dispatch with the views that @pairing selects for the slots, @step positions
 * further on. @captures: the shader writes transform feedback.
 */
static void emit_use(struct sundog_stream *s, const struct shader *shader, const uint8_t *pairing,
		     uint32_t step, bool captures)
{
	const uint32_t constants[16] = { 0x3f800000, 0xffffffff, 0x80000000, 0x7f800000 };
	struct sundog_texture_binding textures[SLOTS];
	uint32_t texels[SHADER_TEXELS];

	for (uint32_t i = 0; i < SLOTS; i++)
		textures[i] = (struct sundog_texture_binding){
			ID_IMAGES + 2 * ((pairing[i] + step) % N_KINDS) + 1,
			pairing[i] & 128 ? ID_COMPARE : ID_SAMPLER };
	recipe_state(s, TARGET_SIZE);
	emit_vertices(s);
	emit_stages(s, shader);
	sundog_emit_bind_handles(s, &(struct sundog_cmd_bind_handles){ ID_TABLE });
	sundog_emit_bind_textures(s, &(struct sundog_cmd_bind_textures){
		shader->stage, 0, SLOTS }, textures);
	for (uint32_t i = 0; i < SHADER_TEXELS; i++)
		texels[i] = ID_TEXELS + (pairing[i] + step) % 3;
	sundog_emit_bind_texel_buffers(s, &(struct sundog_cmd_bind_texel_buffers){
		shader->stage, 0, SHADER_TEXELS },
				       texels);
	sundog_emit_bind_ubo(s, &(struct sundog_cmd_bind_ubo){
		shader->stage, 0, { harness_memory, 4096, 4096 } });
	emit_storage(s, shader, pairing, step);
	sundog_emit_push_constants(s, &(struct sundog_cmd_push_constants){ 0, 16 }, constants);
	if (shader->stage == SUNDOG_STAGE_COMPUTE) {
		sundog_emit_dispatch(s, &(struct sundog_cmd_dispatch){ { 2, 1, 2 } });
		return;
	}
	if (is_tessellation(shader))
		sundog_emit_set_patch(s, &(struct sundog_cmd_set_patch){
			1 + pairing[0] % 4, step & 1 });
	emit_begin(s, step % N_TARGETS, has_views(shader, step % N_TARGETS, step, captures));
	if (captures)
		emit_feedback(s);
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 12, 1, 0, 0 });
	if (captures)
		sundog_emit_end_feedback(s);
	sundog_emit_end_rendering(s);
}

/* Returns the next instruction @op from word @at on, which may be cut off; NULL: there is none. */
static const uint32_t *next_op(const uint32_t *code, size_t n, size_t at, uint32_t op)
{
	for (; at + 2 < n && code[at] >> SpvWordCountShift; at += code[at] >> SpvWordCountShift)
		if ((code[at] & SpvOpCodeMask) == op)
			return code + at;
	return NULL;
}

/* Returns the stage of a task or mesh shader, 0 for other shaders. */
static uint32_t mesh_stage(const uint32_t *code, size_t n)
{
	const uint32_t *in = next_op(code, n, SHADER_SPIRV_HEADER, SpvOpEntryPoint);

	return !in ? 0 :
	       in[1] == SpvExecutionModelTaskEXT ? SUNDOG_STAGE_TASK :
	       in[1] == SpvExecutionModelMeshEXT ? SUNDOG_STAGE_MESH : 0;
}

/* Returns true if a shader has the execution mode Xfb. */
static bool has_feedback(const uint32_t *code, size_t n)
{
	const uint32_t *in = next_op(code, n, SHADER_SPIRV_HEADER, SpvOpExecutionMode);

	while (in && in[2] != SpvExecutionModeXfb)
		in = next_op(code, n, (size_t)(in - code) + (*in >> SpvWordCountShift),
			     SpvOpExecutionMode);
	return in;
}

/* Draws some groups, with the other shader that a mesh pipeline needs. */
static void emit_meshes(struct sundog_stream *s, uint32_t stage)
{
	const struct sundog_cmd_bind_mesh_shaders bind = { {
		[SUNDOG_STAGE_TASK] = stage == SUNDOG_STAGE_TASK ? ID_SHADER : ID_TASK,
		[SUNDOG_STAGE_MESH] = stage == SUNDOG_STAGE_MESH ? ID_SHADER : ID_MESH,
	} };
	const uint32_t constants[16] = { 0x3f800000, 0xffffffff, 0x80000000, 0x7f800000 };

	recipe_state(s, TARGET_SIZE);
	emit_vertices(s);
	sundog_emit_bind_mesh_shaders(s, &bind);
	sundog_emit_push_constants(s, &(struct sundog_cmd_push_constants){ 0, 16 }, constants);
	sundog_emit_set_raster(s, &(struct sundog_cmd_set_raster){
		.line_width = 1.0f, .stipple_factor = 1 });
	emit_begin(s, 0, false);
	sundog_emit_draw_mesh(s, &(struct sundog_cmd_draw_mesh){ { 2, 1, 2 } });
	sundog_emit_end_rendering(s);
}

/* Creates the input's shader with the packets in @s, then draws with it. */
static void use_meshes(struct sundog_stream *s, uint32_t stage)
{
	if (harness_run(s)) {
		s->used = 0;
		emit_meshes(s, stage);
		harness_run(s);
	}
}

static void forget_shader(void)
{
	if (harness_exec.objects.by_id[ID_SHADER])
		run_destroy(&harness_exec, &(struct sundog_cmd_destroy){
			SUNDOG_OBJECT_KIND_SHADER, ID_SHADER });
	objects_collect(&harness_exec, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sundog_stream s = { .map = words, .size = STREAM_DWORDS };
	struct sundog_cmd_create_shader cmd;
	uint32_t *code = shader_of(data, size, &cmd);
	const size_t n = code ? cmd.n_dwords : 0;
	/* Shaders of grammar.h have no textures; they are drawn once to each target. */
	const bool captures = code && has_feedback(code, n);
	const uint32_t steps = size > 1 && data[1] >= SHADER_CHOICES ? N_TARGETS : N_KINDS;

	if (!code || n > STREAM_DWORDS / 2) {
		free(code);
		return 0;
	}
	cmd.id = ID_SHADER;
	if (mesh_stage(code, n)) {
		emit_layout_shader(&s, ID_SHADER, mesh_stage(code, n), code, n * 4);
		use_meshes(&s, mesh_stage(code, n));
		forget_shader();
		free(code);
		return 0;
	}
	sundog_emit_create_shader(&s, &cmd, code);
	free(code);
	for (uint32_t step = 0; harness_run(&s) && step < steps; step++) {
		s.used = 0;
		emit_use(&s, (struct shader *)harness_exec.objects.by_id[ID_SHADER],
			 data + SHADER_HEADER - PAIRINGS, step, captures);
	}
	forget_shader();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return shader_mutate(data, size, max_size, seed);
}
