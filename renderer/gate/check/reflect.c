// SPDX-License-Identifier: MIT
/*
 * Pass "reflect" of the gate, see gate.h: checks the declarations of a module against its packet
 * and our limits, and records the resources that it uses. The module is valid, so instructions are
 * well formed and ids are in bounds; gate_scan() has bounded its types.
 */
#include "gate/check/reflect.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/check/feedback.h"
#include "gate/check/group.h"
#include "gate/check/handle.h"
#include "gate/check/layout.h"
#include "gate/check/member.h"
#include "gate/check/mesh.h"
#include "gate/check/pointer.h"
#include "gate/check/push.h"
#include "gate/check/stage.h"
#include "gate/check/storage.h"
#include "gate/check/texture.h"
#include "gate/check/type.h"
#include "gate/spirv_info.h"
#include "gate/texture.h"

#define MAX_LOCATIONS 32u
#define LOCATION_BYTES 16u
#define MAX_VARIABLE_BYTES 65536u	/* of Function and Private variables, on the host's stack */
#define MAX_CLIP_DISTANCES 8u		/* clip and cull distances together */
#define MAX_MATRIX_STRIDE 32u		/* four numbers of 64 bits */

/* Decorations */

/* Stores a decoration. A second value is refused: readers differ in which of two they take. */
static bool set_once(struct gate *g, uint32_t *field, uint32_t unset, uint32_t value)
{
	if (value == GATE_NOT_SET)
		return gate_refuse(g, "decoration %s has the value %u, which is reserved",
				   gate_decoration_name(g->code[g->at + 2]), value);
	if (*field != unset && *field != value)
		return gate_refuse(g, "decoration %s has the values %u and %u",
				   gate_decoration_name(g->code[g->at + 2]), *field, value);
	*field = value;
	return true;
}

static bool on_decorate(struct gate *g, const uint32_t *in, uint32_t words)
{
	struct gate_id *target = gate_id(g, in[1]);
	const uint32_t value = words > 3 ? in[3] : 0;

	switch (in[2]) {
	case SpvDecorationDescriptorSet:
		return set_once(g, &target->set, GATE_NOT_SET, value);
	case SpvDecorationBinding:
		return set_once(g, &target->binding, GATE_NOT_SET, value);
	case SpvDecorationLocation:
		return set_once(g, &target->location, GATE_NOT_SET, value);
	case SpvDecorationComponent:
		return set_once(g, &target->component, GATE_NOT_SET, value);
	case SpvDecorationIndex:
		return set_once(g, &target->index, GATE_NOT_SET, value);
	case SpvDecorationBuiltIn:
		g->draw_index |= value == SpvBuiltInDrawIndex;
		g->layer |= value == SpvBuiltInLayer;
		g->primitive_id |= value == SpvBuiltInPrimitiveId;
		g->front_facing |= value == SpvBuiltInFrontFacing;
		return set_once(g, &target->builtin, GATE_NOT_SET, value);
	case SpvDecorationXfbBuffer:
		return set_once(g, &target->xfb_buffer, GATE_NOT_SET, value);
	case SpvDecorationXfbStride:
		return set_once(g, &target->xfb_stride, GATE_NOT_SET, value);
	case SpvDecorationOffset:
		return set_once(g, &target->offset, GATE_NOT_SET, value);
	case SpvDecorationArrayStride:
		return set_once(g, &target->stride, 0, value);
	case SpvDecorationBlock:
		target->block = true;
		break;
	case SpvDecorationBufferBlock:
		target->buffer_block = true;
		break;
	case SpvDecorationPatch:
		target->patch = true;
		break;
	case SpvDecorationPerPrimitiveEXT:
		target->per_primitive = true;
		break;
	case SpvDecorationStream:
		return set_once(g, &target->stream, GATE_NOT_SET, value);
	}
	return true;
}

static bool on_member_decorate(struct gate *g, const uint32_t *in, uint32_t words)
{
	if (in[3] == SpvDecorationBuiltIn) {
		gate_id(g, in[1])->builtin = in[4];
		g->draw_index |= in[4] == SpvBuiltInDrawIndex;
		g->layer |= in[4] == SpvBuiltInLayer;
		g->primitive_id |= in[4] == SpvBuiltInPrimitiveId;
		g->front_facing |= in[4] == SpvBuiltInFrontFacing;
	}
	if (in[3] == SpvDecorationBuiltIn && in[2] < 64 && !gate_mesh_is_per_primitive(in[4]))
		gate_id(g, in[1])->members_per_vertex |= 1ull << in[2];
	if (in[3] == SpvDecorationPerPrimitiveEXT && in[2] < 64)
		gate_id(g, in[1])->members_per_primitive |= 1ull << in[2];
	if (in[3] == SpvDecorationBuiltIn && gate_mesh_is_index_builtin(in[4]))
		return gate_refuse(g, "built-in %s on a struct member is not supported",
				   gate_builtin_name(in[4]));
	if (in[3] == SpvDecorationBuiltIn && in[4] == SpvBuiltInLocalInvocationIndex)
		return gate_refuse(g, "built-in %s on a struct member is not supported",
				   gate_builtin_name(in[4]));
	if ((in[3] == SpvDecorationOffset || in[3] == SpvDecorationXfbBuffer ||
	     in[3] == SpvDecorationXfbStride) && in[4] == GATE_NOT_SET)
		return gate_refuse(g, "decoration %s has the value %u, which is reserved",
				   gate_decoration_name(in[3]), in[4]);
	if (in[3] == SpvDecorationLocation || in[3] == SpvDecorationComponent)
		gate_id(g, in[1])->member_places = true;
	if (in[3] == SpvDecorationPatch && in[2] < 64)
		gate_id(g, in[1])->members_of_patch |= 1ull << in[2];
	else if (in[3] == SpvDecorationPatch || in[3] == SpvDecorationStream ||
		 in[3] == SpvDecorationIndex)
		return gate_refuse(g, "decoration %s on a struct member is not supported",
				   gate_decoration_name(in[3]));
	if (in[3] == SpvDecorationMatrixStride && words > 4 && in[4] > MAX_MATRIX_STRIDE)
		return gate_refuse(g, "MatrixStride %u exceeds the limit %u", in[4],
				   MAX_MATRIX_STRIDE);
	return true;
}

/* Sizes */

/* Returns true if a type contains a number of less than 32 bits. */
static bool has_small_numbers(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	switch (type->op) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		return type->a < 32;
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
	case SpvOpTypeArray:
		return has_small_numbers(g, type->a);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members; i++)
			if (has_small_numbers(g, type->members[i]))
				return true;
		return false;
	default:
		return false;
	}
}

/* Returns the interface locations that a type takes. Saturates. */
static uint64_t locations_of(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	uint64_t total = 0;

	switch (type->op) {
	case SpvOpTypeVector:
		return gate_size_of(g, type_id) > LOCATION_BYTES ? 2 : 1;
	case SpvOpTypeMatrix:
		return locations_of(g, type->a) * type->b;
	case SpvOpTypeArray:
		return gate_times(locations_of(g, type->a), gate_id(g, type->b)->a);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members && total < GATE_TOO_LARGE; i++)
			total += locations_of(g, type->members[i]);
		return total;
	case SpvOpTypeRuntimeArray:
		return GATE_TOO_LARGE;
	default:
		return 1;
	}
}

/* Inputs and outputs */

/* Checks the vertex stream of an output. */
static bool check_stream(struct gate *g, const struct gate_id *var)
{
	if (var->stream == GATE_NOT_SET || !var->stream)
		return true;
	if (!(g->caps->features & SUNDOG_FEATURE_STREAMS) ||
	    g->cmd->stage != SUNDOG_STAGE_GEOMETRY || var->stream >= SUNDOG_MAX_STREAMS ||
	    g->geometry.strip_vertices != 1)
		return gate_refuse(g, "Stream %u needs the device feature STREAMS, OutputPoints, "
				   "and a number below %u", var->stream, SUNDOG_MAX_STREAMS);
	return true;
}

static bool is_tess_level(const struct gate_id *var)
{
	return var->builtin == SpvBuiltInTessLevelOuter || var->builtin == SpvBuiltInTessLevelInner;
}

/* Counts the elements of built-in arrays, which are clip and cull distances here. */
static bool check_builtin(struct gate *g, uint32_t type_id, bool output)
{
	const struct gate_id *type = gate_id(g, type_id);
	uint64_t *elements = &g->builtin_elements[output];

	if (type->op == SpvOpTypeStruct) {
		for (uint32_t i = 0; i < type->n_members; i++)
			if (!check_builtin(g, type->members[i], output))
				return false;
		return true;
	}
	g->output_builtins += output;
	if (type->op == SpvOpTypeArray)
		*elements += gate_id(g, type->b)->a;
	return *elements <= MAX_CLIP_DISTANCES ||
	       gate_refuse(g, "ClipDistance and CullDistance have more than %u elements",
			   MAX_CLIP_DISTANCES);
}

/* Index 1 of location 0 is the second source of dual-source blending. */
static bool check_index(struct gate *g, const struct gate_id *var, uint64_t size)
{
	if (var->index == GATE_NOT_SET || !var->index)
		return true;
	if (var->index > 1 || var->location || size > 1)
		return gate_refuse(g, "Index %u at Location %u, %llu locations: only Index 1 at "
				   "Location 0 is supported", var->index, var->location,
				   (unsigned long long)size);
	g->second_source = true;
	return true;
}

/*
 * Returns true for an array of blocks of built-ins. spirv-val accepts a location for it, which does
 * not apply to built-in members.
 */
static bool is_array_of_builtins(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	if (type->op != SpvOpTypeArray)
		return false;
	while (type->op == SpvOpTypeArray)
		type = gate_id(g, type->a);
	return type->op == SpvOpTypeStruct && type->builtin != GATE_NOT_SET;
}

/* Checks @size locations from @location on, and counts those of outputs. */
static bool take_locations(struct gate *g, uint32_t location, uint64_t size, uint32_t most,
			   bool output)
{
	if (location >= most || size > most - location)
		return gate_refuse(g, "Location %u, %llu locations: the limit is %u", location,
				   (unsigned long long)size, most);
	if (output)
		g->output_locations |= (uint32_t)(((1ull << size) - 1) << location);
	return true;
}

/* Returns true if a member of a block has a Location or a Component, in arrays or not. */
static bool has_member_places(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray)
		type = gate_id(g, type->a);
	return type->op == SpvOpTypeStruct && type->member_places;
}

/*
 * A member without a Location has the one after the previous member (Vulkan, Location Assignment).
 * The host looks at the locations of members only in blocks, and in no array but that of the
 * vertices or primitives.
 */
static bool check_member_locations(struct gate *g, const struct gate_id *var, uint32_t type_id,
				   bool output)
{
	const struct gate_id *type = gate_id(g, type_id);
	const struct gate_member *own;
	uint32_t location = var->location;

	if (type->op != SpvOpTypeStruct || !type->block || type->builtin != GATE_NOT_SET ||
	    g->cmd->stage == SUNDOG_STAGE_COMPUTE ||
	    (output && g->cmd->stage == SUNDOG_STAGE_FRAGMENT))
		return gate_refuse(g, "Location or Component on members of %s: only a block of "
				   "varyings may have them, and no array of blocks",
				   gate_op_name(type->op));
	for (uint32_t i = 0; i < type->n_members; i++) {
		const uint64_t size = locations_of(g, type->members[i]);

		own = gate_member_find(g, type_id, i, SpvDecorationLocation);
		if (own)
			location = own->value;
		if (location == GATE_NOT_SET)
			return gate_refuse(g, "member %u of a block has no Location", i);
		if (!take_locations(g, location, size, MAX_LOCATIONS, output))
			return false;
		location += (uint32_t)size;
	}
	return true;
}

static bool check_location(struct gate *g, const struct gate_id *var, uint32_t type_id, bool output)
{
	const bool color = output && g->cmd->stage == SUNDOG_STAGE_FRAGMENT;
	const bool builtin =
		var->builtin != GATE_NOT_SET || gate_id(g, type_id)->builtin != GATE_NOT_SET;
	const uint32_t most = color ? SUNDOG_MAX_COLOR_ATTACHMENTS : MAX_LOCATIONS;
	uint64_t size = locations_of(g, type_id);

	/* The host keeps 32 bits of each component, whatever the type is. */
	if (has_small_numbers(g, type_id))
		return gate_refuse(
			g, "an Input or Output variable has components of less than 32 bits");
	/*
	 * A second source is a colour output. The host does not check an index of other variables.
	 */
	if (var->index != GATE_NOT_SET && (builtin || !color))
		return gate_refuse(g, "Index %u on a variable that is not a color output",
				   var->index);
	if (is_array_of_builtins(g, type_id))
		return gate_refuse(
			g, "an array of blocks with built-in members is not supported here");
	if (has_member_places(g, type_id))
		return check_member_locations(g, var, type_id, output);
	if (is_tess_level(var))
		return true;
	if (var->builtin == SpvBuiltInSampleMask)
		return size == 1 ||
		       gate_refuse(g, "SampleMask has %llu elements, only 1 is supported",
				   (unsigned long long)size);
	if (builtin)
		return check_builtin(g, type_id, output);
	if (var->location == GATE_NOT_SET || g->cmd->stage == SUNDOG_STAGE_COMPUTE)
		return gate_refuse(g, "an interface variable has no Location or BuiltIn, or a "
				   "Location in GLCompute");
	return take_locations(g, var->location, size, most, output) &&
	       (!color || check_index(g, var, size));
}

/*
 * Decorates the variable as Patch if all members of its block are: the host takes the whole block
 * for per-patch if one member is.
 */
static bool find_patch(struct gate *g, struct gate_id *var, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray)
		type = gate_id(g, type->a);
	if (type->op != SpvOpTypeStruct || !type->members_of_patch)
		return true;
	if (type->n_members > 64 || type->members_of_patch != UINT64_MAX >> (64 - type->n_members))
		return gate_refuse(g, "a block has members with and without Patch");
	var->patch = true;
	return true;
}

/*
 * Only the two tessellation shaders have per-patch variables. In other stages the host has no
 * storage for them.
 */
static bool check_patch(struct gate *g, const struct gate_id *var, uint32_t stage)
{
	return !var->patch || g->cmd->stage == stage ||
	       gate_refuse(g, "a variable with Patch is not supported in execution model %s",
			   gate_stage_name(g->cmd->stage));
}

static bool check_input(struct gate *g, struct gate_id *var, uint32_t type_id)
{
	if (!find_patch(g, var, type_id) || !check_patch(g, var, SUNDOG_STAGE_TESS_EVAL))
		return false;
	type_id = gate_stage_input(g, var, type_id);
	return type_id && check_location(g, var, type_id, false);
}

/* Returns true if the stage's work groups emit primitives or tasks, without vertices as input. */
static bool is_of_groups(const struct gate *g)
{
	return g->cmd->stage == SUNDOG_STAGE_TASK || g->cmd->stage == SUNDOG_STAGE_MESH;
}

static bool check_mesh_output(struct gate *g, const struct gate_id *var, uint32_t id,
			      uint32_t type_id, bool begins)
{
	type_id = gate_mesh_output(g, var, id, type_id, begins);
	g->output_locations = 0;
	return type_id && check_location(g, var, type_id, true) && gate_feedback(g, var, type_id) &&
	       gate_mesh_locations(g, var, type_id, g->output_locations);
}

static bool check_output(struct gate *g, struct gate_id *var, uint32_t id, uint32_t type_id,
			 bool begins)
{
	if (!check_stream(g, var) || !find_patch(g, var, type_id) ||
	    !check_patch(g, var, SUNDOG_STAGE_TESS_CTRL))
		return false;
	if (g->cmd->stage == SUNDOG_STAGE_FRAGMENT && gate_number_bits(g, type_id) == 64)
		return gate_refuse(g, "an output of a fragment shader has 64-bit components");
	if (is_of_groups(g))
		return check_mesh_output(g, var, id, type_id, begins);
	type_id = gate_stage_output(g, var, type_id);
	return type_id && check_location(g, var, type_id, true) && gate_feedback(g, var, type_id);
}

/* Descriptors */

static bool check_binding(struct gate *g, const struct gate_id *var, uint64_t count, uint32_t want)
{
	if (var->set != g->cmd->stage)
		return gate_refuse(g, "DescriptorSet %u in execution model %s, which has set %u",
				   var->set, gate_stage_name(g->cmd->stage), g->cmd->stage);
	for (uint32_t i = 0; i < g->cmd->n_bindings; i++) {
		const struct sundog_shader_binding *b = &g->cmd->bindings[i];

		if (b->binding == var->binding)
			return (b->type == want && count <= b->count) ||
			       gate_refuse(g, "binding %u: %llu descriptors of VkDescriptorType "
					   "%u; create_shader has %u of type %u", var->binding,
					   (unsigned long long)count, want, b->count, b->type);
	}
	return gate_refuse(g, "binding %u is not declared by create_shader", var->binding);
}

/* Returns the type of a descriptor, or of the elements of an array of descriptors. */
static const struct gate_id *descriptor_type(struct gate *g, uint32_t type_id, uint64_t *count)
{
	const struct gate_id *type = gate_id(g, type_id);

	*count = 1;
	if (type->op != SpvOpTypeArray)
		return type;
	*count = gate_id(g, type->b)->a;
	return gate_id(g, type->a);
}

static bool check_buffer(struct gate *g, struct gate_id *var, uint32_t type_id,
			 VkDescriptorType want)
{
	uint64_t count;
	const struct gate_id *type = descriptor_type(g, type_id, &count);

	if (type->buffer_block && want == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER) {
		want = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
		var->buffer_block = true;
	}
	if (type->op != SpvOpTypeStruct || type->block == var->buffer_block)
		return gate_refuse(g, "a descriptor of type %s is not supported",
				   gate_op_name(type->op));
	return g->layout ? gate_layout_declare(g, var, count, want, 0) :
			   check_binding(g, var, count, want);
}

/* Returns where the kind of a texture, texel buffer or storage image slot is recorded. */
static uint32_t *slot_of(struct gate *g, uint32_t binding, VkDescriptorType type)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		return &g->images[binding - SUNDOG_BINDING_IMAGE0];
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		return &g->storage_texels[binding - SUNDOG_BINDING_STORAGE_TEXELS0];
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
		return &g->texels[binding - SUNDOG_BINDING_TEXELS0];
	default:
		return &g->textures[binding - SUNDOG_BINDING_TEXTURE0];
	}
}

/* Slots have combined image samplers only. */
static bool check_sampler(struct gate *g, const struct gate_id *var, uint64_t count)
{
	return g->layout ? gate_layout_declare(g, var, count, VK_DESCRIPTOR_TYPE_SAMPLER, 0) :
			   gate_refuse(g, "OpTypeSampler needs a pipeline layout; here images and "
				       "samplers are combined");
}

/* A slot has one kind, because only textures of the declared kind may be bound to it. */
static bool check_texture(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	uint64_t count;
	const struct gate_id *type = descriptor_type(g, type_id, &count);
	const struct gate_id *image =
		type->op == SpvOpTypeSampledImage ? gate_id(g, type->a) : type;
	const bool texels =
		image->op == SpvOpTypeImage && texture_kind_type(image->a) == TEXTURE_BUFFER;
	VkDescriptorType want = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	uint32_t *slot;

	if (type->op == SpvOpTypeSampler)
		return check_sampler(g, var, count);
	if (image->storage)
		want = texels ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER :
				VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
	else if (texels)
		want = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	else if (image == type && g->layout)
		want = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
	/* Before SPIR-V 1.6, a texel buffer may be of type OpTypeSampledImage, too. */
	if (image->op != SpvOpTypeImage ||
	    (image == type && want == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER))
		return gate_refuse(g, "a descriptor of type %s is not supported",
				   gate_op_name(type->op));
	if (g->layout)
		return gate_layout_declare(g, var, count, want, image->a);
	if (gate_is_handle_table(g, var))
		return gate_handle_table(g, var, image, count);
	if (!check_binding(g, var, count, want))
		return false;
	/* interface_ok() allows such a descriptor only at these bindings. */
	slot = slot_of(g, var->binding, want);
	if (*slot)
		return gate_refuse(g, "binding %u has two variables", var->binding);
	*slot = image->a;
	return true;
}

/* Stores the numeric format of texels. Returns false if they are not 32-bit numbers. */
static bool number_of(const struct gate_id *texel, enum format_number *number)
{
	*number = texel->op == SpvOpTypeFloat ? FORMAT_FLOAT : texel->b ? FORMAT_SINT : FORMAT_UINT;
	return (texel->op == SpvOpTypeFloat || texel->op == SpvOpTypeInt) && texel->a == 32;
}

/* Records an image type as the kind of texture that it stands for. */
static bool on_image_type(struct gate *g, const uint32_t *in)
{
	static const VkImageViewType types[2][4] = {
		{ VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_3D,
		  VK_IMAGE_VIEW_TYPE_CUBE },
		{ VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		  VK_IMAGE_VIEW_TYPE_MAX_ENUM, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY },
	};
	const struct gate_id *texel = gate_id(g, in[2]);
	const uint32_t dimension = in[3], arrayed = in[5], multisampled = in[6], sampled = in[7],
		       format = in[8];
	const bool texels = dimension == SpvDimBuffer && !arrayed && !multisampled;
	struct gate_id *image = gate_id(g, in[1]);
	enum format_number number;

	if ((dimension > SpvDimCube && !texels) || arrayed > 1 ||
	    (arrayed && dimension == SpvDim3D) || (multisampled && dimension != SpvDim2D) ||
	    sampled < 1 || sampled > 2 || format > SpvImageFormatR8ui)
		return gate_refuse(g, "OpTypeImage with Dim %u, Arrayed %u, MS %u, Sampled %u, "
				   "Image Format %u is not supported", dimension, arrayed,
				   multisampled, sampled, format);
	if (!number_of(texel, &number))
		return gate_refuse(g,
				   "the Sampled Type of OpTypeImage is not a 32-bit number, but %s",
				   gate_op_name(texel->op));
	image->a = texture_kind(texels ? TEXTURE_BUFFER : types[arrayed][dimension], multisampled,
				number);
	image->storage = sampled == 2;
	return true;
}

/* LocalInvocationIndex is the only built-in whose stage and type spirv-val does not check. */
static bool check_invocation_index(struct gate *g, uint32_t type_id, uint32_t storage_class)
{
	const struct gate_id *type = gate_id(g, type_id);

	return (storage_class == SpvStorageClassInput && gate_has_groups(g) &&
		type->op == SpvOpTypeInt && type->a == 32) ||
	       gate_refuse(g, "LocalInvocationIndex in execution model %s, of %s, is not a 32-bit "
			   "Input of a workgroup", gate_stage_name(g->cmd->stage),
			   gate_op_name(type->op));
}

static bool on_variable(struct gate *g, const uint32_t *in, uint32_t words)
{
	struct gate_id *var = gate_id(g, in[2]);
	const uint32_t pointee = gate_id(g, in[1])->b;

	var->variable = in[2];
	if (var->builtin == SpvBuiltInLocalInvocationIndex &&
	    !check_invocation_index(g, pointee, in[3]))
		return false;
	switch (in[3]) {
	case SpvStorageClassFunction:
	case SpvStorageClassPrivate:
		g->variable_bytes += gate_stack_size(g, pointee);
		return g->variable_bytes <= MAX_VARIABLE_BYTES ||
		       gate_refuse(g, "Function and Private variables exceed %u bytes",
				   MAX_VARIABLE_BYTES);
	case SpvStorageClassInput:
		/* DeviceIndex is a scalar in every stage. */
		if (var->builtin == SpvBuiltInDeviceIndex)
			return true;
		if (var->builtin == SpvBuiltInPrimitiveId)
			g->geometry.primitive_id = in[2];
		if (is_of_groups(g))
			return gate_mesh_input(g, var);
		return check_input(g, var, pointee);
	case SpvStorageClassOutput:
		return check_output(g, var, in[2], pointee, words > 4);
	case SpvStorageClassUniformConstant:
		return check_texture(g, var, pointee);
	case SpvStorageClassUniform:
		return check_buffer(g, var, pointee, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
	case SpvStorageClassStorageBuffer:
		return check_buffer(g, var, pointee, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
	case SpvStorageClassWorkgroup:
		return gate_group_variable(g, pointee, in, words);
	case SpvStorageClassTaskPayloadWorkgroupEXT:
		return gate_mesh_payload(g, in[2], pointee, words);
	case SpvStorageClassPushConstant:
		return gate_push_constants(g, pointee);
	default:
		return gate_refuse(g, "storage class %s (%u) is not supported",
				   gate_class_name(in[3]), in[3]);
	}
}

static bool on_entry_point(struct gate *g, const uint32_t *in, uint32_t words)
{
	char name[8] = { 0 };

	if (words > 3)
		memcpy(name, in + 3, words > 4 ? 8 : 4);
	name[7] = 0;
	if (++g->entry_points > 1 || in[1] != gate_execution_model(g->cmd->stage) ||
	    strcmp(name, "main"))
		return gate_refuse(
			g, "the module needs exactly one entry point, main of execution model %s",
			gate_stage_name(g->cmd->stage));
	for (uint32_t i = 5; i < words; i++)
		gate_id(g, in[i])->listed = true;
	return true;
}

/* Returns true if a variable or the members of its block have a Location. */
static bool has_location(struct gate *g, uint32_t variable)
{
	return gate_id(g, variable)->location != GATE_NOT_SET ||
	       has_member_places(g, gate_pointee(g, variable));
}

/* The host interpolates only variables with a location, no clip or cull distances. */
static bool on_extended(struct gate *g, const uint32_t *in)
{
	switch (in[4]) {
	case GLSLstd450InterpolateAtCentroid:
	case GLSLstd450InterpolateAtOffset:
	case GLSLstd450InterpolateAtSample:
		return has_location(g, gate_id(g, in[5])->variable) ||
		       gate_refuse(g, "interpolation of a variable without a Location");
	default:
		return true;
	}
}

static bool on_clock(struct gate *g, const uint32_t *in)
{
	const struct gate_id *scope = gate_id(g, in[3]);
	const bool of_device =
		scope->a == SpvScopeDevice && (g->caps->features & SUNDOG_FEATURE_DEVICE_CLOCK);

	return (scope->op == SpvOpConstant && (scope->a == SpvScopeSubgroup || of_device)) ||
	       gate_refuse(g, "scope %s of OpReadClockKHR is not supported",
			   gate_scope_name(scope->a));
}

/*
 * Returns true if a value of the type must lead to a known variable: pointers but device addresses,
 * images, and arrays of these.
 */
static bool is_opaque(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray)
		type = gate_id(g, type->a);
	switch (type->op) {
	case SpvOpTypePointer:
		return type->a != SpvStorageClassPhysicalStorageBuffer;
	case SpvOpTypeImage:
	case SpvOpTypeSampler:
	case SpvOpTypeSampledImage:
		return true;
	default:
		return false;
	}
}

static bool on_instruction(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	if (!gate_pointer_ok(g, in, op, words))
		return false;
	switch (op) {
	case SpvOpEntryPoint:
		return on_entry_point(g, in, words);
	case SpvOpExecutionMode:
	case SpvOpExecutionModeId:
		return gate_stage_mode(g, in, words);
	case SpvOpDecorate:
		return on_decorate(g, in, words);
	case SpvOpMemberDecorate:
		return on_member_decorate(g, in, words);
	case SpvOpExtInst:
		return on_extended(g, in);
	case SpvOpEmitStreamVertex:
	case SpvOpEndStreamPrimitive:
		return gate_stage_stream(g, in);
	case SpvOpTypeImage:
		return on_image_type(g, in);
	case SpvOpUndef:
		return !is_opaque(g, in[1]) ||
		       gate_refuse(g, "OpUndef of a pointer, image or sampler is not supported");
	/* The host has these only for 32 bits. */
	case SpvOpUMulExtended:
	case SpvOpSMulExtended:
		return gate_number_bits(g, gate_id(g, in[3])->type) == 32 ||
		       gate_refuse(g, "%s of integers that are not 32 bits wide is not supported",
				   gate_op_name(op));
	case SpvOpCompositeConstruct:
		return !is_opaque(g, in[1]) ||
		       gate_refuse(g, "OpCompositeConstruct of images, samplers or pointers is not "
				   "supported");
	case SpvOpVariable:
		return on_variable(g, in, words);
	case SpvOpAccessChain:
	case SpvOpImageTexelPointer:
	case SpvOpLoad:
	case SpvOpImage:
		gate_storage_derive(g, in);
		return gate_mesh_access(g, in) && gate_handle_load(g, in) &&
		       gate_texture_numbers(g, in);
	case SpvOpControlBarrier:
		return gate_group_barrier(g, in);
	case SpvOpReadClockKHR:
		return on_clock(g, in);
	default:
		return gate_mesh_access(g, in) && gate_storage_access(g, in) &&
		       gate_texture_numbers(g, in);
	}
}

bool gate_reflect(struct gate *g)
{
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		if (!on_instruction(g, gate_look(g, at), g->code[at] & 0xffff, g->code[at] >> 16))
			return false;
	if (g->entry_points != 1)
		return gate_refuse(g, "no OpEntryPoint");
	return gate_stage_ok(g);
}
