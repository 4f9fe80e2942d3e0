// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: the decoder, from a submission's list to Vulkan calls, which the stub (stub.h)
 * checks.
 *
 * Random dwords are not packets, and random packets draw nothing. So the input is a recipe: parts
 * of a valid stream in which some dwords are changed, and packets that follow their description,
 * with fields that are mostly in range. The result is decoded as in a worker. Only the gate is
 * replaced; fuzz-gate.c tests the real one.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sanitizer/lsan_interface.h>

#include "exec/address.h"
#include "exec/decode.h"
#include "exec/exec.h"
#include "exec/indirect.h"
#include "exec/quirk_prelude.h"
#include "exec/set_copy.h"
#include "gate/gate.h"
#include "gate/texture.h"
#include "ipc/log.h"
#include "worker/channel.h"
#include "input.h"
#include "packet.h"
#include "recipe.h"
#include "stub.h"
#include "sundog_run.h"

#define VRAM_SIZE (8ull << 30)
#define N_ALLOCS 8
#define STREAM_DWORDS 32768
#define KRES 77
#define LARGE 3
/* One allocation has room for images, one is larger than INT32_MAX. */
#define ALLOC_SIZE(n) ((n) == 1 ? 1ull << 20 : (n) == LARGE ? 3ull << 30 : 4096ull << ((n) % 4 * 3))

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct exec exec;
static struct sundog_ring_control control;
static struct sundog_ring_status status;
static struct channel channel = {
	.irq = -1, .doorbell = -1, .control = &control, .status = &status,
};
static struct sundog_alloc_entry *table;
static uint32_t stream_words[STREAM_DWORDS];

/* Returns true if the binding exists and has its type. */
static bool binding_there_is(const struct sundog_shader_binding *b)
{
	static const struct {
		uint32_t first, n, elements, type;
	} bindings[] = {
		{ SUNDOG_BINDING_UBO0, 1, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER },
		{ SUNDOG_BINDING_UBOS, 1, SUNDOG_MAX_UBOS - 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER },
		{ SUNDOG_BINDING_TEXTURE0, SUNDOG_MAX_TEXTURES, 1,
		  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER },
		{ SUNDOG_BINDING_TEXELS0, SUNDOG_MAX_TEXEL_BUFFERS, 1,
		  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER },
		{ SUNDOG_BINDING_SSBOS, 1, SUNDOG_MAX_SSBOS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER },
		{ SUNDOG_BINDING_IMAGE0, SUNDOG_MAX_IMAGES, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE },
		{ SUNDOG_BINDING_STORAGE_TEXELS0, SUNDOG_MAX_IMAGES, 1,
		  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER },
	};

	for (size_t i = 0; i < sizeof(bindings) / sizeof(bindings[0]); i++)
		if (b->binding - bindings[i].first < bindings[i].n)
			return b->count && b->count <= bindings[i].elements &&
			       b->type == bindings[i].type;
	return false;
}

/* Float textures: 2D, buffer, cube. Unsigned 2D images: storage, atomic. */
static const uint8_t handle_tables[] = { 3, 27, 9, 35, 65 };

static uint32_t kind_of_descriptor(uint32_t type)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
		return texture_kind(VK_IMAGE_VIEW_TYPE_2D, false, FORMAT_FLOAT);
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		return texture_kind(VK_IMAGE_VIEW_TYPE_2D, false, FORMAT_UINT);
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		return texture_kind(TEXTURE_BUFFER, false, FORMAT_FLOAT);
	default:
		return 0;
	}
}

/* Declares all bindings of the layout. Returns a mask of the used sets. */
static uint32_t declare_sets(const struct gate_layout *layout, struct gate_module *out)
{
	uint32_t used = 0;
	size_t n = 0;

	for (uint32_t s = 0; s < layout->n_sets; s++)
		n += layout->sets[s].n_bindings;
	out->descriptors = malloc(n * sizeof(*out->descriptors) + 1);
	if (!out->descriptors)
		abort();
	for (uint32_t s = 0; s < layout->n_sets; s++)
		for (uint32_t i = 0; i < layout->sets[s].n_bindings; i++) {
			const struct sundog_set_binding *b = &layout->sets[s].bindings[i];

			used |= 1u << s;
			if (b->count)
				out->descriptors[out->n_descriptors++] = (struct gate_descriptor){
					.set = s, .binding = b->binding,
					.kind = kind_of_descriptor(b->type),
					.atomic = b->binding & 1,
				};
		}
	return out->n_descriptors ? used : 0;
}

/*
 * Replaces the gate. It takes the properties that draws are checked against from the code, as the
 * stub does.
 */
bool gate_layout_shader(const struct sundog_cmd_create_shader *cmd, const uint32_t *code,
			const struct sundog_caps *caps, const struct gate_layout *layout,
			struct gate_module *out,
			char *why, size_t why_size)
{
	(void)caps;
	if (!cmd->n_dwords || code[0] % 8 == 7 || cmd->stage >= NUM_STAGES) {
		snprintf(why, why_size, "not today");
		return false;
	}
	for (uint32_t i = 0; i < cmd->n_bindings; i++)
		if (!binding_there_is(&cmd->bindings[i]))
			return false;
	*out = (struct gate_module){ .words = 5, .code = calloc(5, 4) };
	if (cmd->stage == SUNDOG_STAGE_GEOMETRY && cmd->n_dwords > 1)
		out->input_vertices = out->code[1] = code[1];
	if (cmd->stage == SUNDOG_STAGE_TESS_EVAL)
		out->output_vertices = out->code[1] = 1 + (cmd->n_dwords > 1 ? code[1] % 3 : 2);
	out->vertex_bytes = 100;
	out->primitive_bytes = 1000u << (code[0] >> 4 & 15);
	out->ssbo_writes = code[0] & 2;
	out->images_written = out->images_atomic = code[0] & 4 ? 1 : 0;
	out->storage_texels_written = code[0] & 4 ? 1 : 0;
	out->second_source = code[0] & 1;
	out->layer = code[0] >> 8 & 1;
	out->primitive_id = cmd->stage == SUNDOG_STAGE_FRAGMENT && (code[0] >> 9 & 1);
	out->front_facing = code[0] >> 10 & 1;
	out->code[4] = out->layer | out->primitive_id << 1 | out->front_facing << 2;
	if (cmd->stage == SUNDOG_STAGE_TASK || cmd->stage == SUNDOG_STAGE_MESH)
		out->payload_bytes = out->code[1] = cmd->n_dwords > 1 ? code[1] % 8 : 0;
	if (layout) {
		out->code[3] = declare_sets(layout, out);
		return true;
	}
	if (cmd->n_bindings)
		out->code[3] = 1u << cmd->stage;
	if (code[0] & 8) {
		out->code[3] |= 1u << SUNDOG_HANDLE_SET;
		for (uint32_t i = 0; i < sizeof(handle_tables); i++)
			out->tables[out->n_tables++] = handle_tables[i];
		out->writes_handles = code[0] & 4;
	}
	for (uint32_t i = 0; i < SUNDOG_MAX_TEXEL_BUFFERS; i++)
		out->texels[i] = texture_kind(TEXTURE_BUFFER, false, FORMAT_FLOAT);
	for (uint32_t i = 0; i < SUNDOG_MAX_IMAGES; i++) {
		out->storage_texels[i] = texture_kind(TEXTURE_BUFFER, false, FORMAT_FLOAT);
		out->images[i] = texture_kind(VK_IMAGE_VIEW_TYPE_2D, false, FORMAT_UINT);
	}
	for (uint32_t i = 0; i < SUNDOG_MAX_TEXTURES; i++)
		out->textures[i] = texture_kind(VK_IMAGE_VIEW_TYPE_2D, false, FORMAT_FLOAT);
	return true;
}

/* Input */

static uint32_t take32(struct input *in)
{
	uint32_t value = input_take(in);

	value |= (uint32_t)input_take(in) << 8;
	value |= (uint32_t)input_take(in) << 16;
	return value | (uint32_t)input_take(in) << 24;
}

/* Returns one of the numbers at which checks tend to fail. */
static uint32_t edge(uint8_t which)
{
	static const uint32_t edges[] = {
		0, 1, 2, 3, 4, 6, 7, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 4095, 4096,
		0x7fff, 0x8000, 0xffff,
		0x10000, 0xfffff, 0x100000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x90000000,
		0xbffffff0, 0xfffffffc, 0xffffffff,
		0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00000, 0x42800000, 0x47800000,
	};

	return edges[which % (sizeof(edges) / sizeof(edges[0]))];
}

static uint32_t number(struct input *in)
{
	const uint8_t how = input_take(in);

	if (how < 160)
		return how % 20;	/* ids, handles, counts */
	return how < 224 ? edge(input_take(in)) : take32(in);
}

static uint32_t field(struct input *in, const struct sundog_field *f)
{
	const uint32_t range = f->max - f->min + 1;
	uint32_t value = number(in);

	switch (f->kind) {
	case SUNDOG_FIELD_MASK:
		return value & f->max;
	case SUNDOG_FIELD_U32:
	case SUNDOG_FIELD_I32:
		return range && value % 251 ? f->min + value % range : value;
	default:
		return value;
	}
}

/* Makes a packet from its description. */
static void make_packet(struct input *in, struct sundog_stream *s)
{
	const struct sundog_packet_desc *desc;
	uint32_t opcode = input_take(in) % SUNDOG_NUM_OPCODES, count = 0, *at;

	while (!sundog_packets[opcode].name)
		opcode = (opcode + 1) % SUNDOG_NUM_OPCODES;
	desc = &sundog_packets[opcode];
	if (desc->array)
		count = input_take(in) % 9;
	at = sundog_stream_reserve(s, opcode, desc->dwords + count * desc->element_dwords);
	if (!at)
		return;
	memset(at, 0, (desc->dwords - 1 + count * desc->element_dwords) * 4);
	for (uint32_t i = 0; i < desc->n_fields; i++) {
		at[desc->fields[i].dword] = field(in, &desc->fields[i]);
		if (desc->fields[i].kind == SUNDOG_FIELD_U64 && input_take(in) > 250)
			at[desc->fields[i].dword + 1] = number(in);
	}
	if (desc->array)
		at[desc->count_dword] = count;
	for (uint32_t e = 0; e < count; e++)
		for (uint32_t i = 0; i < desc->n_elements; i++)
			at[desc->dwords - 1 + e * desc->element_dwords + desc->elements[i].dword] =
				field(in, &desc->elements[i]);
}

/* Parts of valid streams */

static void emit_image(struct sundog_stream *s, uint32_t id, uint32_t type, uint32_t format,
		       uint32_t flags,
		       uint32_t layers, uint32_t samples, uint32_t usage)
{
	const struct sundog_cmd_create_image image = {
		.id = id, .mem = { 0, 1 }, .offset = id % 16 * 65536, .flags = flags, .type = type,
		.format = format,
		.extent = { 16, type == VK_IMAGE_TYPE_1D ? 1 : 16,
			    type == VK_IMAGE_TYPE_3D ? 16 : 1 },
		.levels = samples == 1 ? 3 : 1, .layers = layers, .samples = samples,
		.usage = usage,
	};

	sundog_emit_create_image(s, &image);
}

static void emit_view(struct sundog_stream *s, uint32_t id, uint32_t image, uint32_t type,
		      uint32_t format,
		      uint32_t aspect, uint32_t layers, uint32_t usage)
{
	const struct sundog_cmd_create_image_view view = {
		.id = id, .image = image, .type = type, .format = format, .aspect = aspect,
		.levels = 1,
		.layers = layers, .usage = usage,
	};

	sundog_emit_create_image_view(s, &view);
}

static void emit_images(struct sundog_stream *s)
{
	const uint32_t copies = SUNDOG_IMAGE_USAGE_TRANSFER_SRC | SUNDOG_IMAGE_USAGE_TRANSFER_DST;
	const uint32_t color = copies | SUNDOG_IMAGE_USAGE_SAMPLED |
		SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT;
	const uint32_t depth = copies | SUNDOG_IMAGE_USAGE_SAMPLED |
		SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT;
	const uint32_t rgba = VK_FORMAT_R8G8B8A8_UNORM;

	emit_image(s, 1, VK_IMAGE_TYPE_2D, rgba, SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT, 1, 1, color);
	emit_image(s, 2, VK_IMAGE_TYPE_2D, rgba, SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE, 6, 1, color);
	emit_image(s, 3, VK_IMAGE_TYPE_3D, rgba, SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE, 1, 1,
		   color);
	emit_image(s, 4, VK_IMAGE_TYPE_2D, VK_FORMAT_D32_SFLOAT_S8_UINT, 0, 1, 1, depth);
	emit_image(s, 5, VK_IMAGE_TYPE_2D, rgba, 0, 1, 4, color);
	emit_image(s, 6, VK_IMAGE_TYPE_2D, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 0, 1, 1,
		   copies | SUNDOG_IMAGE_USAGE_SAMPLED);
	emit_image(s, 7, VK_IMAGE_TYPE_1D, VK_FORMAT_R32G32B32_SFLOAT, 0, 4, 1, color);
	emit_view(s, 8, 1, VK_IMAGE_VIEW_TYPE_2D, rgba, VK_IMAGE_ASPECT_COLOR_BIT, 1, color);
	emit_view(s, 9, 2, VK_IMAGE_VIEW_TYPE_CUBE, rgba, VK_IMAGE_ASPECT_COLOR_BIT, 6, color);
	emit_view(s, 10, 4, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_D32_SFLOAT_S8_UINT,
		  VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 1,
		  SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT);
	emit_view(s, 11, 5, VK_IMAGE_VIEW_TYPE_2D, rgba, VK_IMAGE_ASPECT_COLOR_BIT, 1, color);
	emit_view(s, 12, 3, VK_IMAGE_VIEW_TYPE_3D, rgba, VK_IMAGE_ASPECT_COLOR_BIT, 1,
		  SUNDOG_IMAGE_USAGE_SAMPLED);
}

static void emit_shader(struct sundog_stream *s, uint32_t id, uint32_t stage)
{
	/*
	 * flags of what it writes; vertices of a triangle (1 + 2 in a tessellation shader); a mask
	 * of the first two feedback buffers
	 */
	const uint32_t code[4] = { 6, stage == SUNDOG_STAGE_TESS_EVAL ? 2 : 3, 3 };
	const struct sundog_cmd_create_shader shader = {
		.id = id, .stage = stage, .n_bindings = 6,
		.bindings = {
			{ SUNDOG_BINDING_UBO0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER },
			{ SUNDOG_BINDING_TEXTURE0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER },
			{ SUNDOG_BINDING_TEXELS0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER },
			{ SUNDOG_BINDING_SSBOS, 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER },
			{ SUNDOG_BINDING_IMAGE0, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE },
			{ SUNDOG_BINDING_STORAGE_TEXELS0, 1,
			  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER },
		},
		.n_dwords = 4,
	};

	sundog_emit_create_shader(s, &shader, code);
}

static void emit_objects(struct sundog_stream *s)
{
	const struct sundog_cmd_create_sampler sampler = { .id = 13, .max_anisotropy = 1.0f,
							   .max_lod = 10.0f };

	emit_images(s);
	sundog_emit_create_sampler(s, &sampler);
	emit_shader(s, 14, SUNDOG_STAGE_VERTEX);
	emit_shader(s, 15, SUNDOG_STAGE_FRAGMENT);
	emit_shader(s, 16, SUNDOG_STAGE_GEOMETRY);
	sundog_emit_create_buffer_view(s, &(struct sundog_cmd_create_buffer_view){
		17, { { 0, 2 }, 256, 512 }, VK_FORMAT_R32_SFLOAT });
	sundog_emit_create_feedback_counter(s, &(struct sundog_cmd_create_feedback_counter){ 18 });
	sundog_emit_create_feedback_counter(s, &(struct sundog_cmd_create_feedback_counter){ 19 });
	emit_shader(s, 20, SUNDOG_STAGE_TESS_CTRL);
	emit_shader(s, 21, SUNDOG_STAGE_TESS_EVAL);
	emit_shader(s, 22, SUNDOG_STAGE_COMPUTE);
	emit_image(s, 23, VK_IMAGE_TYPE_2D, VK_FORMAT_R32_UINT, 0, 1, 1,
		   SUNDOG_IMAGE_USAGE_STORAGE);
	emit_view(s, 24, 23, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT,
		  1,
		  SUNDOG_IMAGE_USAGE_STORAGE);
	emit_image(s, 25, VK_IMAGE_TYPE_3D, VK_FORMAT_R32_UINT,
		   SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE, 1, 1,
		   SUNDOG_IMAGE_USAGE_STORAGE);
	emit_view(s, 26, 25, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT,
		  1,
		  SUNDOG_IMAGE_USAGE_STORAGE);
	emit_view(s, 50, 25, SUNDOG_VIEW_TYPE_SLICES, VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT,
		  3,
		  SUNDOG_IMAGE_USAGE_STORAGE);
	emit_image(s, 51, VK_IMAGE_TYPE_2D, VK_FORMAT_BC3_UNORM_BLOCK,
		   SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT | SUNDOG_IMAGE_FLAG_EXTENDED_USAGE |
			   SUNDOG_IMAGE_FLAG_BLOCK_TEXEL_VIEW, 2,
		   1, SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_STORAGE);
	emit_view(s, 52, 51, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R32G32B32A32_UINT,
		  VK_IMAGE_ASPECT_COLOR_BIT, 2,
		  SUNDOG_IMAGE_USAGE_SAMPLED);
	emit_view(s, 53, 51, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32G32B32A32_UINT,
		  VK_IMAGE_ASPECT_COLOR_BIT, 1,
		  SUNDOG_IMAGE_USAGE_STORAGE);
}

static void emit_bindings(struct sundog_stream *s)
{
	const struct sundog_cmd_set_vertex_input input = { .n_bindings = 1,
							   .bindings = { { 16, 0 } }, .count = 1 };
	const struct sundog_vertex_attribute attribute = { 0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0 };
	const struct sundog_buffer_binding vertices = { { KRES, LARGE }, 64 };
	const struct sundog_mem_range range = { { KRES, 3 }, 64, 48 };
	const struct sundog_texture_binding texture = { 9, 13 };
	const uint32_t constants[4] = { 0 };

	sundog_emit_set_vertex_input(s, &input, &attribute);
	sundog_emit_bind_vertex_buffers(s, &(struct sundog_cmd_bind_vertex_buffers){
		0, 1 }, &vertices);
	sundog_emit_bind_vertex_ranges(s, &(struct sundog_cmd_bind_vertex_ranges){ 1, 1 }, &range);
	sundog_emit_bind_index_buffer(s, &(struct sundog_cmd_bind_index_buffer){
		{ KRES, 3 }, 65, 2 });
	sundog_emit_bind_index_buffer(s, &(struct sundog_cmd_bind_index_buffer){
		{ KRES, 3 }, 64, 1 });
	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){ { 14, 15 } });
	sundog_emit_bind_ubo(s, &(struct sundog_cmd_bind_ubo){ 0, 0, { { 0, 2 }, 0, 256 } });
	sundog_emit_bind_textures(s, &(struct sundog_cmd_bind_textures){ 1, 0, 1 }, &texture);
	sundog_emit_push_constants(s, &(struct sundog_cmd_push_constants){ 0, 4 }, constants);
}

static void emit_state(struct sundog_stream *s)
{
	recipe_state(s, 16);
	emit_bindings(s);
}

static void emit_begin(struct sundog_stream *s)
{
	const struct sundog_cmd_begin_rendering begin = {
		.area = { 0, 0, 16, 16 }, .layers = 1,
		.depth = { 10, SUNDOG_LOAD_OP_CLEAR, 0, { 0 } },
		.stencil = { 10, SUNDOG_LOAD_OP_LOAD, 0, { 0 } }, .count = 1,
	};
	const struct sundog_attachment color = { 8, SUNDOG_LOAD_OP_CLEAR, SUNDOG_STORE_OP_STORE,
						 { 0 } };

	sundog_emit_begin_rendering(s, &begin, &color);
}

static void emit_draws(struct sundog_stream *s)
{
	const struct sundog_clear_attachment clear = { SUNDOG_ASPECT_COLOR, 0, { 0 } };

	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	sundog_emit_draw_indexed(s, &(struct sundog_cmd_draw_indexed){ 6, 2, 1, -1, 0 });
	sundog_emit_clear_attachments(s, &(struct sundog_cmd_clear_attachments){
		{ 1, 1, 8, 8 }, 0, 1, 1 }, &clear);
}

/* Binds all three stages, and texel buffers for geometry shaders. */
static void emit_geometry(struct sundog_stream *s)
{
	const uint32_t view = 17;

	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){ { 14, 15, 16 } });
	sundog_emit_bind_texel_buffers(s, &(struct sundog_cmd_bind_texel_buffers){
		SUNDOG_STAGE_GEOMETRY, 0, 1 },
				       &view);
}

static void emit_feedback_begin(struct sundog_stream *s)
{
	const struct sundog_mem_range ranges[2] = { { { 0, 2 }, 0, 256 },
						    { { KRES, 3 }, 512, 256 } };

	sundog_emit_bind_feedback_buffers(s, &(struct sundog_cmd_bind_feedback_buffers){
		2 }, ranges);
	sundog_emit_begin_feedback(s, &(struct sundog_cmd_begin_feedback){ 0, { 18, 19 } });
}

static void emit_feedback_end(struct sundog_stream *s)
{
	sundog_emit_end_feedback(s);
	sundog_emit_copy_feedback_counter(s, &(struct sundog_cmd_copy_feedback_counter){
		18, { 0, 2 }, 64 });
	sundog_emit_load_feedback_counter(s, &(struct sundog_cmd_load_feedback_counter){
		18, { 0, 2 }, 64, 16, 128 });
	sundog_emit_draw_feedback(s, &(struct sundog_cmd_draw_feedback){ 18, 16, 1, 0 });
	sundog_emit_begin_feedback(s, &(struct sundog_cmd_begin_feedback){ 3, { 18, 19 } });
	sundog_emit_end_feedback(s);
}

static void emit_feedback_counts(struct sundog_stream *s)
{
	sundog_emit_copy_feedback_counter(s, &(struct sundog_cmd_copy_feedback_counter){
		18, { 0, 2 }, 64 });
}

/* Binds storage buffers, images and texel buffers of a stage. */
static void emit_storage(struct sundog_stream *s, uint32_t stage)
{
	const struct sundog_mem_range ranges[2] = { { { 0, 2 }, 256, 256 },
						    { { KRES, 3 }, 512, 4096 } };
	const uint32_t image = 24, slice = 26, texels = 17;

	sundog_emit_bind_ssbos(s, &(struct sundog_cmd_bind_ssbos){ stage, 1, 2 }, ranges);
	sundog_emit_bind_images(s, &(struct sundog_cmd_bind_images){ stage, 0, 1 }, &image);
	sundog_emit_bind_images(s, &(struct sundog_cmd_bind_images){ stage, 3, 1 }, &slice);
	sundog_emit_bind_storage_texels(s, &(struct sundog_cmd_bind_storage_texels){
		stage, 0, 1 }, &texels);
}

static void emit_dispatches(struct sundog_stream *s)
{
	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = 22 } });
	emit_storage(s, SUNDOG_STAGE_COMPUTE);
	sundog_emit_dispatch(s, &(struct sundog_cmd_dispatch){ { 3, 2, 1 } });
	sundog_emit_dispatch_base(s, &(struct sundog_cmd_dispatch_base){
		{ 1, 2, 3 }, { 3, 2, 1 } });
	sundog_emit_dispatch_indirect(s, &(struct sundog_cmd_dispatch_indirect){ { 0, 2 }, 64 });
}

static void emit_patches(struct sundog_stream *s)
{
	sundog_emit_set_raster(s, &(struct sundog_cmd_set_raster){
		.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, .line_width = 1.0f,
		.stipple_factor = 1 });
	sundog_emit_set_patch(s, &(struct sundog_cmd_set_patch){ 3, 0 });
	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){ { 14, 15, 16, 20, 21 } });
	emit_storage(s, SUNDOG_STAGE_TESS_EVAL);
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 1000, 1, 0, 0 });
}

static void emit_indirect(struct sundog_stream *s)
{
	const struct sundog_indirect counted = { { 0, 2 }, 64, 32, 3, { KRES, 3 }, 8 };
	const struct sundog_indirect plain = { .mem = { 0, 2 }, .offset = 64, .stride = 20,
					       .max_draws = 2 };

	sundog_emit_draw_indirect(s, &(struct sundog_cmd_draw_indirect){ plain });
	sundog_emit_draw_indexed_indirect(s, &(struct sundog_cmd_draw_indexed_indirect){ plain });
	sundog_emit_draw_indirect(s, &(struct sundog_cmd_draw_indirect){ counted });
	sundog_emit_draw_indexed_indirect(s, &(struct sundog_cmd_draw_indexed_indirect){ counted });
	sundog_emit_draw_indirect(s, &(struct sundog_cmd_draw_indirect){ plain });
}

static void emit_end(struct sundog_stream *s)
{
	sundog_emit_end_rendering(s);
}

/*
 * Draws to whole pixels of a target with four samples, outside the current rendering, and restores
 * the state.
 */
static void emit_whole_pixels(struct sundog_stream *s)
{
	const struct sundog_cmd_begin_rendering begin = { .area = { 0, 0, 16, 16 }, .layers = 1,
							  .count = 1 };
	const struct sundog_attachment color = { 11, SUNDOG_LOAD_OP_CLEAR, SUNDOG_STORE_OP_STORE,
						 { 0 } };

	sundog_emit_set_multisample(s, &(struct sundog_cmd_set_multisample){
		SUNDOG_MULTISAMPLE_FLAG_WHOLE_PIXELS, 4, UINT32_MAX });
	sundog_emit_begin_rendering(s, &begin, &color);
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	sundog_emit_end_rendering(s);
	sundog_emit_set_multisample(s, &(struct sundog_cmd_set_multisample){ 0, 1, UINT32_MAX });
}

/*
 * Draws to some layers of an array as views, with a query of a pool. Parts that are valid in other
 * renderings may follow.
 */
static void emit_multiview(struct sundog_stream *s)
{
	const struct sundog_cmd_begin_multiview begin = { .area = { 0, 0, 16, 16 },
							  .view_mask = 0x2c, .count = 1 };
	const struct sundog_attachment color = { 9, SUNDOG_LOAD_OP_CLEAR, SUNDOG_STORE_OP_STORE,
						 { 0 } };

	sundog_emit_create_query_pool(s, &(struct sundog_cmd_create_query_pool){
		58, SUNDOG_POOL_TYPE_OCCLUSION, 4, 0 });
	sundog_emit_reset_query_pool(s, &(struct sundog_cmd_reset_query_pool){ 58, 0, 4 });
	sundog_emit_begin_multiview(s, &begin, &color);
	sundog_emit_begin_pool_query(s, &(struct sundog_cmd_begin_pool_query){ 58, 0, 0, 1 });
	emit_draws(s);
	sundog_emit_end_pool_query(s, &(struct sundog_cmd_end_pool_query){ 58, 0, 0 });
	sundog_emit_end_rendering(s);
	sundog_emit_begin_pool_query(s, &(struct sundog_cmd_begin_pool_query){ 58, 3, 0, 1 });
	sundog_emit_end_pool_query(s, &(struct sundog_cmd_end_pool_query){ 58, 3, 0 });
	sundog_emit_copy_query_results(s, &(struct sundog_cmd_copy_query_results){
		58, 0, 4, 0, { 0, 3 }, 4096, 64 });
	sundog_emit_begin_multiview(s, &begin, &color);
}

static void emit_query_begin(struct sundog_stream *s)
{
	sundog_emit_begin_query(s, &(struct sundog_cmd_begin_query){
		3, SUNDOG_QUERY_TYPE_OCCLUSION, 0, { 0, 4 }, 8 });
}

static void emit_query_end(struct sundog_stream *s)
{
	sundog_emit_end_query(s, &(struct sundog_cmd_end_query){ 3 });
}

/* Queries of all other types, and a timestamp. */
static void emit_queries(struct sundog_stream *s)
{
	sundog_emit_begin_query(s, &(struct sundog_cmd_begin_query){
		4, SUNDOG_QUERY_TYPE_PRIMITIVES, 0, { 0, 4 }, 16 });
	sundog_emit_begin_query(s, &(struct sundog_cmd_begin_query){
		5, SUNDOG_QUERY_TYPE_FEEDBACK, 0, { 0, 4 }, 24 });
	sundog_emit_write_timestamp(s, &(struct sundog_cmd_write_timestamp){ 6, { 0, 4 }, 40 });
	sundog_emit_end_query(s, &(struct sundog_cmd_end_query){ 4 });
	sundog_emit_end_query(s, &(struct sundog_cmd_end_query){ 5 });
	sundog_emit_begin_query(s, &(struct sundog_cmd_begin_query){
		7, SUNDOG_QUERY_TYPE_FEEDBACK, 1, { 0, 4 }, 24 });
	sundog_emit_begin_query(s, &(struct sundog_cmd_begin_query){
		8, SUNDOG_QUERY_TYPE_FEEDBACK, 2, { 0, 4 }, 24 });
	sundog_emit_begin_query(s, &(struct sundog_cmd_begin_query){
		9, SUNDOG_QUERY_TYPE_STATISTICS, 0, { 0, 4 }, 64 });
	for (uint32_t i = 7; i < 10; i++)
		sundog_emit_end_query(s, &(struct sundog_cmd_end_query){ i });
}

/* Computes query values, copies one and uses one as a condition. */
static void emit_values(struct sundog_stream *s)
{
	const struct sundog_mem_word words[] = { { { 0, 4 }, 8 }, { { 0, 4 }, 16 },
						 { { 0, 4 }, 512 } };

	sundog_emit_compute_query_value(s, &(struct sundog_cmd_compute_query_value){
		1, 0, 2, 3 }, words);
	sundog_emit_compute_query_value(s, &(struct sundog_cmd_compute_query_value){
		2, 1, 0, 1 }, &words[2]);
	sundog_emit_copy_query_value(s, &(struct sundog_cmd_copy_query_value){
		1, 2, { 0, 3 }, 64 });
	sundog_emit_begin_condition(s, &(struct sundog_cmd_begin_condition){ 2, 1 });
	sundog_emit_dispatch(s, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	sundog_emit_end_condition(s);
}

static void emit_transfers(struct sundog_stream *s)
{
	const struct sundog_image_region color = { 1, SUNDOG_ASPECT_COLOR, 1, { 0, 0, 0 } };
	const struct sundog_image_region slices = { 3, SUNDOG_ASPECT_COLOR, 1, { 0, 0, 1 } };
	const struct sundog_image_region layers = { 2, SUNDOG_ASPECT_COLOR, 1, { 0, 0, 2 } };
	const struct sundog_image_region many = { 5, SUNDOG_ASPECT_COLOR, 0, { 0, 0, 0 } };
	const struct sundog_image_region whole = { 1, SUNDOG_ASPECT_COLOR, 0, { 0, 0, 0 } };
	const struct sundog_image_region threes = { 7, SUNDOG_ASPECT_COLOR, 0, { 0, 0, 0 } };
	const struct sundog_extent3d small = { 4, 4, 1 };

	sundog_emit_fill_buffer(s, &(struct sundog_cmd_fill_buffer){ { { 0, 2 }, 0, 64 }, 7 });
	sundog_emit_copy_buffer(s, &(struct sundog_cmd_copy_buffer){
		{ 0, 2 }, { 0, 3 }, 0, 128, 256 });
	sundog_emit_copy_buffer_to_image(s, &(struct sundog_cmd_copy_buffer_to_image){
		{ 0, 2 }, 16, 8, 8, color, small });
	sundog_emit_copy_image_to_buffer(s, &(struct sundog_cmd_copy_image_to_buffer){
		{ 0, 3 }, 16, 0, 0, slices, { 4, 4, 3 } });
	/* Texels of three numbers, behind multiples of 64 */
	sundog_emit_copy_buffer_to_image(s, &(struct sundog_cmd_copy_buffer_to_image){
		{ 0, 2 }, 64, 0, 0, threes, { 4, 1, 1 } });
	sundog_emit_copy_image_to_buffer(s, &(struct sundog_cmd_copy_image_to_buffer){
		{ 0, 3 }, 128, 0, 0, threes, { 4, 1, 1 } });
	sundog_emit_copy_image(s, &(struct sundog_cmd_copy_image){ slices, layers, { 4, 4, 3 } });
	sundog_emit_blit_image(s, &(struct sundog_cmd_blit_image){
		color, { 8, 8, 1 }, layers, { 0, 4, 3 }, 1 });
	sundog_emit_resolve_image(s, &(struct sundog_cmd_resolve_image){ many, whole, small });
	sundog_emit_update_buffer(s, &(struct sundog_cmd_update_buffer){
		{ 0, 3 }, 64, 4 }, (const uint32_t[4]){ 1, 2, 3, 4 });
	sundog_emit_clear_image(s, &(struct sundog_cmd_clear_image){
		1, SUNDOG_ASPECT_COLOR, 0, 1, 0, 1, { 0 } });
	sundog_emit_clear_image(s, &(struct sundog_cmd_clear_image){
		4, SUNDOG_ASPECT_DEPTH, 0, 1, 0, 1, { 0 } });
	sundog_emit_barrier(s, &(struct sundog_cmd_barrier){ 0x1000, 0, 0x1000, 0 });
}

/*
 * Creates handle tables with an entry of each kind that the replaced gate declares, and a shader
 * that uses all of them.
 */
static void emit_handles(struct sundog_stream *s)
{
	static const struct sundog_cmd_write_handle entries[] = {
		{ 27, 3, 1, 8, 13 }, { 27, 27, 2, 17, 0 }, { 27, 9, 4095, 9, 13 },
		{ 27, 35, 3, 24, 0 }, { 27, 65, 3, 24, 0 },
		{ 27, 3, 1, 0, 0 },
	};
	static const uint32_t code[] = { 14 };
	const struct sundog_cmd_create_shader shader = { .id = 28, .stage = SUNDOG_STAGE_FRAGMENT,
							 .n_dwords = 1 };

	sundog_emit_create_shader(s, &shader, code);
	sundog_emit_create_handle_table(s, &(struct sundog_cmd_create_handle_table){ 27 });
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		sundog_emit_write_handle(s, &entries[i]);
	sundog_emit_bind_handles(s, &(struct sundog_cmd_bind_handles){ 27 });
	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){ { 14, 28 } });
}

static void emit_layout_shader(struct sundog_stream *s, uint32_t id, uint32_t stage)
{
	const uint32_t code[4] = { 6, 3, 3 };

	sundog_emit_create_layout_shader(s, &(struct sundog_cmd_create_layout_shader){
		id, stage, 31, 4 }, code);
	sundog_emit_report_shader(s, &(struct sundog_cmd_report_shader){ id, { 0, 2 }, 512 });
}

/* Creates sets with an element of each type. */
static void emit_sets(struct sundog_stream *s)
{
	static const struct sundog_set_binding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3 },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
		{ 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1 },
		{ 5, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2 },
		{ 6, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1 },
		{ 9, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1 },
		{ 10, VK_DESCRIPTOR_TYPE_SAMPLER, 2 },
		{ 11, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2 }, { 12, SUNDOG_MUTABLE_TYPE, 4 },
		{ 255, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1 },
	};
	const uint32_t n = sizeof(bindings) / sizeof(bindings[0]);
	static const struct sundog_set_binding large = { 3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
							 LARGE_SET / STUB_SET_STRIDE };
	static const uint32_t layouts[SUNDOG_MAX_SETS] = { 30, 30, 30, 30, 30, 30, 30, 37 };
	const struct sundog_set_descriptor range = { .range = { { KRES, 3 }, 512, 256 } };
	const struct sundog_set_descriptor descriptors[][2] = {
		{ { .range = { { 0, 2 }, 0, 256 } }, { .range = { { 0, 2 }, 256, 16 } } },
		{ { .view = 8, .sampler = 13 }, { .view = 9, .sampler = 13 } },
		{ range }, { range }, { { .view = 24 }, { .view = 26 } }, { { .view = 17 } },
		{ { .view = 17 } },
		{ { .sampler = 13 } }, { { .view = 8 }, { .view = 9 } }, { { 0 } }, { range },
	};
	const uint32_t offsets[2] = { 64, 1024 };

	sundog_emit_create_set_layout(s, &(struct sundog_cmd_create_set_layout){ 30, n }, bindings);
	sundog_emit_create_set_layout(s, &(struct sundog_cmd_create_set_layout){ 37, 1 }, &large);
	sundog_emit_create_pipeline_layout(s, &(struct sundog_cmd_create_pipeline_layout){
		31, 16, SUNDOG_MAX_SETS }, layouts);
	sundog_emit_create_set(s, &(struct sundog_cmd_create_set){ 32, 30 });
	sundog_emit_create_set(s, &(struct sundog_cmd_create_set){ 33, 30 });
	sundog_emit_create_set(s, &(struct sundog_cmd_create_set){ 38, 37 });
	sundog_emit_write_set(s, &(struct sundog_cmd_write_set){
		38, 3, large.count - 2, 2 }, descriptors[8]);
	for (uint32_t i = 0; i < n; i++) {
		if (bindings[i].type != SUNDOG_MUTABLE_TYPE)
			sundog_emit_write_set(s, &(struct sundog_cmd_write_set){
				32, bindings[i].binding, 0,
				bindings[i].count > 1 ? 2 : 1 }, descriptors[i]);
		if (bindings[i].type < VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC)
			sundog_emit_write_mutable_set(s, &(struct sundog_cmd_write_mutable_set){
				32, 12, i % 4, bindings[i].type, 1 }, descriptors[i]);
	}
	sundog_emit_copy_set(s, &(struct sundog_cmd_copy_set){ 32, 12, 0, 33, 12, 1, 3 });
	sundog_emit_copy_set(s, &(struct sundog_cmd_copy_set){ 32, 12, 0, 32, 11, 0, 2 });
	sundog_emit_copy_set(s, &(struct sundog_cmd_copy_set){ 32, 1, 0, 33, 1, 1, 2 });
	emit_layout_shader(s, 34, SUNDOG_STAGE_VERTEX);
	emit_layout_shader(s, 35, SUNDOG_STAGE_FRAGMENT);
	emit_layout_shader(s, 36, SUNDOG_STAGE_COMPUTE);
	for (uint32_t i = 0; i < 14; i++)
		sundog_emit_bind_set(s, &(struct sundog_cmd_bind_set){
			i / 7, i % 7, 32 + i % 2, 2 }, offsets);
	for (uint32_t i = 0; i < 2; i++)
		sundog_emit_bind_set(s, &(struct sundog_cmd_bind_set){ i, 7, 38, 0 }, offsets);
}

static void emit_set_draws(struct sundog_stream *s)
{
	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){ { 34, 35 } });
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	sundog_emit_write_set(s, &(struct sundog_cmd_write_set){ 32, 1, 2, 1 },
			      &(struct sundog_set_descriptor){ .view = 9, .sampler = 13 });
	sundog_emit_write_set(s, &(struct sundog_cmd_write_set){
		38, 3, 5, 1 }, &(struct sundog_set_descriptor){ .view = 8 });
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
}

static void emit_set_dispatch(struct sundog_stream *s)
{
	sundog_emit_bind_shaders(s, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = 36 } });
	sundog_emit_dispatch(s, &(struct sundog_cmd_dispatch){ { 3, 2, 1 } });
}

static void emit_meshes(struct sundog_stream *s)
{
	const struct sundog_cmd_bind_mesh_shaders bind = { {
		[SUNDOG_STAGE_FRAGMENT] = 35, [SUNDOG_STAGE_COMPUTE] = 36, [SUNDOG_STAGE_TASK] = 46,
		[SUNDOG_STAGE_MESH] = 47,
	} };
	const struct sundog_indirect plain = { .mem = { 0, 2 }, .offset = 64, .stride = 12,
					       .max_draws = 2 };
	const struct sundog_indirect counted = { { 0, 2 }, 64, 16, 3, { KRES, 3 }, 8 };

	emit_layout_shader(s, 46, SUNDOG_STAGE_TASK);
	emit_layout_shader(s, 47, SUNDOG_STAGE_MESH);
	sundog_emit_set_vertex_input(s, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_bind_mesh_shaders(s, &bind);
	sundog_emit_draw_mesh(s, &(struct sundog_cmd_draw_mesh){ { 3, 2, 1 } });
	sundog_emit_draw_mesh_indirect(s, &(struct sundog_cmd_draw_mesh_indirect){ plain });
	sundog_emit_draw_mesh_indirect(s, &(struct sundog_cmd_draw_mesh_indirect){ counted });
}

/* Queries of pools: some end, one does not. */
static void emit_pools(struct sundog_stream *s)
{
	for (uint32_t i = 0; i < 6; i++) {
		sundog_emit_create_query_pool(s, &(struct sundog_cmd_create_query_pool){
			40 + i, i, 8, i == SUNDOG_POOL_TYPE_STATISTICS ? 0x1845 : 0 });
		sundog_emit_reset_query_pool(s, &(struct sundog_cmd_reset_query_pool){
			40 + i, 0, 8 });
		if (i != SUNDOG_POOL_TYPE_TIMESTAMP) {
			sundog_emit_begin_pool_query(s, &(struct sundog_cmd_begin_pool_query){
				40 + i, i, 0, 1 });
			sundog_emit_end_pool_query(s, &(struct sundog_cmd_end_pool_query){
				40 + i, i, 0 });
		}
	}
	sundog_emit_write_pool_timestamp(s, &(struct sundog_cmd_write_pool_timestamp){ 42, 2 });
	for (uint32_t i = 0; i < 5; i++)
		sundog_emit_copy_query_results(s, &(struct sundog_cmd_copy_query_results){
			40 + i, 0, 8,
			i == 4 ? 0 : SUNDOG_RESULT_FLAG_64BIT | SUNDOG_RESULT_FLAG_AVAILABILITY,
			{ 0, 3 },
			i * 512, 64 });
}

static void emit_pool_query_begin(struct sundog_stream *s)
{
	sundog_emit_reset_query_pool(s, &(struct sundog_cmd_reset_query_pool){ 40, 6, 1 });
	sundog_emit_begin_pool_query(s, &(struct sundog_cmd_begin_pool_query){ 40, 6, 0, 0 });
}

static void emit_memory_condition(struct sundog_stream *s)
{
	sundog_emit_begin_memory_condition(s, &(struct sundog_cmd_begin_memory_condition){
		{ 0, 2 }, 64, 1 });
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 3, 1, 0, 0 });
	sundog_emit_end_condition(s);
}

static void emit_pool_query_end(struct sundog_stream *s)
{
	sundog_emit_end_pool_query(s, &(struct sundog_cmd_end_pool_query){ 40, 6, 0 });
}

static void emit_addresses(struct sundog_stream *s)
{
	sundog_emit_map_address(s, &(struct sundog_cmd_map_address){ { 0, 2 }, 0x10000 });
	sundog_emit_map_address(s, &(struct sundog_cmd_map_address){ { KRES, LARGE }, 1ull << 39 });
	sundog_emit_map_address(s, &(struct sundog_cmd_map_address){
		{ 0, 2 }, (1ull << 40) - ALLOC_SIZE(2) });
	sundog_emit_unmap_address(s, &(struct sundog_cmd_unmap_address){ 0x10000 });
	sundog_emit_map_address(s, &(struct sundog_cmd_map_address){ { 0, 1 }, 0x10000 });
}

/* Sparse memory of two allocations, whose images and buffers reach pages of both. */
static void emit_sparse(struct sundog_stream *s)
{
	const struct sundog_mem sparse = { .index = SUNDOG_SPARSE_INDEX | 60 };

	sundog_emit_map_address_range(s, &(struct sundog_cmd_map_address_range){
		{ 0, 2 }, 0, SUNDOG_PAGE_SIZE, 0x4000000 });
	sundog_emit_map_address_range(s, &(struct sundog_cmd_map_address_range){
		{ 0, 1 }, SUNDOG_PAGE_SIZE, 3 * SUNDOG_PAGE_SIZE, 0x4000000 + SUNDOG_PAGE_SIZE });
	sundog_emit_create_sparse_memory(s, &(struct sundog_cmd_create_sparse_memory){
		60, 0x4000000, 4 * SUNDOG_PAGE_SIZE });
	sundog_emit_fill_buffer(s, &(struct sundog_cmd_fill_buffer){
		{ sparse, 64, 2 * SUNDOG_PAGE_SIZE }, 1 });
	sundog_emit_copy_buffer(s, &(struct sundog_cmd_copy_buffer){
		.src = sparse, .dst = { 0, 2 }, .size = SUNDOG_PAGE_SIZE });
	sundog_emit_create_image(s, &(struct sundog_cmd_create_image){
		.id = 61, .mem = sparse, .flags = SUNDOG_IMAGE_FLAG_PAGE_ROWS,
		.type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { 4, 4, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_TRANSFER_DST });
	sundog_emit_create_image(s, &(struct sundog_cmd_create_image){
		.id = 62, .mem = sparse, .offset = SUNDOG_PAGE_SIZE,
		.flags = SUNDOG_IMAGE_FLAG_PAGE_ROWS | SUNDOG_IMAGE_FLAG_RESIDENCY,
		.type = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { 4, 2, 1 }, .levels = 1, .layers = 1, .samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED });
	sundog_emit_unmap_address(s, &(struct sundog_cmd_unmap_address){ 0x4000000 });
	sundog_emit_destroy(s, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SPARSE_MEMORY, 60 });
}

static void (*const stretches[])(struct sundog_stream *) = {
	emit_objects, emit_state, emit_begin, emit_draws, emit_end, emit_query_begin,
	emit_query_end, emit_transfers,
	emit_bindings, emit_geometry, emit_feedback_begin, emit_feedback_end, emit_feedback_counts,
	emit_queries, emit_dispatches,
	emit_patches, emit_indirect, emit_whole_pixels, emit_values, emit_handles, emit_sets,
	emit_set_draws,
	emit_set_dispatch, emit_pools, emit_pool_query_begin, emit_pool_query_end,
	emit_memory_condition, emit_multiview, emit_addresses, emit_sparse, emit_meshes,
};

static void change(struct input *in, struct sundog_stream *s, uint32_t from)
{
	for (uint32_t n = input_take(in) % 6; n && s->used > from; n--) {
		const uint32_t at = input_take(in) | (uint32_t)input_take(in) << 8;

		s->map[from + at % (s->used - from)] = number(in);
	}
}

static void make_stream(struct input *in, struct sundog_stream *s)
{
	const uint8_t start = input_take(in);

	/* Most inputs begin with objects and state to work on. */
	if (start & 1)
		emit_objects(s);
	if (start & 2) {
		emit_state(s);
		emit_begin(s);
	}
	while (in->left) {
		const uint8_t what = input_take(in);
		const uint32_t from = s->used;

		if (what < 128) {
			make_packet(in, s);
			continue;
		}
		stretches[what % (sizeof(stretches) / sizeof(stretches[0]))](s);
		change(in, s, from);
	}
}

/* The client */

static void set_up_memory(void)
{
	const int vram = memfd_create("vram", 0), table_fd = memfd_create("table", 0);
	const size_t table_size = (size_t)SUNDOG_TABLE_ENTRIES * sizeof(*table);
	const struct message_setup setup = { .client = 1, .vram_size = VRAM_SIZE };
	const int fds[4] = { vram, table_fd, -1, -1 };

	if (ftruncate(vram, VRAM_SIZE) || ftruncate(table_fd, table_size))
		abort();
	table = mmap(NULL, table_size, PROT_READ | PROT_WRITE, MAP_SHARED, table_fd, 0);
	if (table == MAP_FAILED || !memory_init(&exec, &setup, fds))
		abort();
	for (uint32_t i = 1; i <= N_ALLOCS; i++)
		table[i] = (struct sundog_alloc_entry){
			.generation = i, .size = ALLOC_SIZE(i), .n_runs = 1,
			.offset = i == LARGE ? 4ull << 30 : (uint64_t)i << 20, .birth = i,
		};
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char error[256];

	(void)argc;
	(void)argv;
	log_level = LOG_ERROR;
	/* The objects live until the process ends. */
	__lsan_disable();
	if (!vk_init(&exec.vk, NULL, error, sizeof(error)) ||
	    !batches_init(&exec, channel_complete) || !objects_init(&exec.objects))
		abort();
	if (!memory_prepare(&exec))
		abort();
	caps_init(&exec);
	/* The probe fails because the stub draws nothing. Set the values that lavapipe has. */
	exec.caps.layout_rule = SUNDOG_LAYOUT_RULE_LINEAR;
	exec.caps.layout_flags = SUNDOG_LAYOUT_FLAG_EXPLICIT | SUNDOG_LAYOUT_FLAG_TEXEL_VIEWS |
				 SUNDOG_LAYOUT_FLAG_PAGE_ROWS | SUNDOG_LAYOUT_FLAG_RESIDENCY;
	exec.caps.layout_block = 4;
	exec.caps.layout_level_align = STUB_IMAGE_ALIGN;
	exec.caps.features |= SUNDOG_FEATURE_ADDRESSES | SUNDOG_FEATURE_SPARSE_MEMORY;
	if (!descriptors_init(&exec) || !indirect_init(&exec) || !prelude_init(&exec) ||
	    !query_values_init(&exec) || !feedback_init(&exec) || !submitter_init(&exec) ||
	    !batches_start(&exec))
		abort();
	/*
	 * There are no compiler threads: shaders wait in the queue until one is needed or
	 * destroyed.
	 */
	exec.compiler.n_threads = 1;
	set_up_memory();
	__lsan_enable();
	return 0;
}

/* Lists most allocations for all accesses, one not at all, and the others as @how says. */
static void list_memory(uint8_t how)
{
	memory_begin(&exec);
	for (uint32_t i = 1; i < N_ALLOCS; i++) {
		const struct sundog_list_entry entry = {
			.kres = i % 3 ? 0 : KRES, .index = i, .handle = i, .generation = i,
			.access = i > 4 ? how >> (i - 4) & 3 :
					  SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE,
		};

		if (!memory_list(&exec, &entry, i))
			abort();
	}
}

static void forget_address(uint64_t address)
{
	if (address < 1ull << SUNDOG_ADDRESS_BITS &&
	    mapping_at_device(&exec.memory.space, address))
		run_unmap_address(&exec, &(struct sundog_cmd_unmap_address){ address });
}

/*
 * Destroys all objects that the first @dwords of the stream created, and all objects that only they
 * kept alive.
 */
static void forget_objects(const uint32_t *words, uint32_t dwords)
{
	for (uint32_t at = 0; at < dwords; at += SUNDOG_PACKET_DWORDS(words[at])) {
		const uint32_t opcode = SUNDOG_PACKET_OPCODE(words[at]);
		const void *body = words + at + 1;
		struct object *object;

		if (opcode == SUNDOG_OP_MAP_ADDRESS)
			forget_address(((const struct sundog_cmd_map_address *)body)->address);
		if (opcode == SUNDOG_OP_MAP_ADDRESS_RANGE)
			forget_address(
				((const struct sundog_cmd_map_address_range *)body)->address);
		if (((opcode < SUNDOG_OP_CREATE_IMAGE || opcode > SUNDOG_OP_CREATE_QUERY_POOL) &&
		     opcode != SUNDOG_OP_CREATE_SPARSE_MEMORY) ||
		    words[at + 1] >= SUNDOG_MAX_OBJECTS)
			continue;
		object = exec.objects.by_id[words[at + 1]];
		if (object)
			run_destroy(&exec, &(struct sundog_cmd_destroy){
				object->kind, words[at + 1] });
	}
	objects_collect(&exec, UINT64_MAX);
}

static bool look_and_decode(const uint32_t *words, uint32_t dwords, uint64_t *offset)
{
	static struct shader_prefetch prefetch;
	bool ok;

	prefetch_scan(&exec, &prefetch, words, dwords);
	prefetch_waits(&exec, &prefetch, words, dwords);
	exec.prefetch = &prefetch;
	ok = decode(&exec, words, dwords, offset);
	exec.prefetch = NULL;
	prefetch_end(&exec, &prefetch);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sundog_stream s = { .map = stream_words, .size = STREAM_DWORDS };
	struct input in = { data, size };
	static uint64_t seqno;
	uint64_t offset = 0;

	list_memory(input_take(&in));
	make_stream(&in, &s);
	if (!batch_begin(&exec))
		abort();
	if (look_and_decode(s.map, s.used, &offset)) {
		if (!batch_submit(&exec, &channel.exec, ++seqno))
			abort();
		batches_drain(&exec, &channel.exec);
	} else {
		if (!exec.fault || offset > (uint64_t)s.used * 4)
			abort();
		batch_discard(&exec);
	}
	draw_done(&exec, !exec.fault);
	exec.fault = 0;
	forget_objects(s.map, offset / 4);
	if (exec.compiler.n_held || exec.compiler.first || exec.compiler.n_shaders ||
	    exec.compiler.dwords)
		abort();
	return 0;
}
