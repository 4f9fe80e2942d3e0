// SPDX-License-Identifier: MIT
/*
 * The part of the verifier that compares the declarations of the result with the packet, the
 * pipeline layout and the host's limits, and with what the gate reports of the module to draws.
 * gate_verify() calls it once, for the module that the host gets. The earlier checks saw the module
 * of the guest (reflect.c); these see what the passes made of it. Rules:
 *
 * 18. The packet or the layout has the binding of a descriptor, with its type and at least as many
 *     descriptors. Images are of the reported kind. Push constants end within the declared size.
 * 19. Execution modes are those that the gate has recorded, and within the host's limits.
 * 20. Inputs and outputs are within the host's locations and distances. Arrays of vertices and
 *     primitives have the length of the host's. Components have at least 32 bits. Members of blocks
 *     have their own locations, or that of the variable and those that follow.
 * 21. Captured outputs are inside the stride of their buffer, which is reported. Each block of an
 *     array has a buffer of its own. The host's table of outputs has room for all.
 * 22. Shared memory and payloads have the reported size. Built-ins and sizes that draws ask for are
 *     reported.
 */
#include <string.h>

#include <spirv/unified1/spirv.h>
#include <vulkan/vulkan.h>

#include "gate/check/member.h"
#include "gate/check/verify_module.h"
#include "gate/spirv_info.h"
#include "gate/table.h"
#include "gate/texture.h"

#define MAX_LOCATIONS 32u
#define LOCATION_BYTES 16u
#define TOO_FAR UINT32_MAX		/* no location */
#define MAX_DISTANCES 8u
#define MAX_CAPTURED 128u		/* outputs of transform feedback */
#define MAX_INVOCATIONS 32u		/* of a geometry shader */
#define VERTEX_BYTES 96u
#define BUILTIN_BYTES 32u
#define MESH_VERTEX_BYTES 32u
#define MESH_MORE 8u
#define TOO_MANY (1ull << 32)		/* at which sums saturate */

enum { INPUT, OUTPUT, N_DIRECTIONS };

/* Sums over the declarations. */
struct interface {
	struct verify *v;
	uint32_t entry_points;
	/* Execution modes; 0: not declared. */
	uint32_t vertices, primitives, invocations, input_vertices, output_vertices, size[3];
	bool isolines, points;
	uint32_t locations[2];		/* outputs: masks, of vertices and of primitives */
	uint64_t distances[N_DIRECTIONS];
	uint8_t components[MAX_LOCATIONS];	/* masks, of the outputs of a mesh shader */
	uint32_t output_builtins;
	bool second_source;
	uint32_t captured;		/* outputs of transform feedback, as the host counts them */
	uint64_t shared_bytes, payload_bytes;
};

static uint64_t saturate(uint64_t a, uint64_t n)
{
	return a && n > TOO_MANY / a ? TOO_MANY : a * n;
}

static bool stage_is(const struct interface *i, uint32_t stage)
{
	return i->v->g->cmd->stage == stage;
}

/* Types */

/* Returns the bits of the numbers in a type; 0: it has none, or is a struct. */
static uint32_t bits_of(const struct verify *v, const uint32_t *type)
{
	for (;;) {
		switch (op_of(type)) {
		case SpvOpTypeInt:
		case SpvOpTypeFloat:
			return type[2];
		case SpvOpTypeVector:
		case SpvOpTypeMatrix:
		case SpvOpTypeArray:
			type = made(v, type[2]);
			break;
		default:
			return 0;
		}
	}
}

struct extent {
	uint64_t size, align;
};

static uint64_t round_up(uint64_t size, uint64_t align)
{
	return (size + align - 1) / align * align;
}

/* Returns the size and the alignment of a type that has no explicit layout. */
static struct extent extent_of(const struct verify *v, const uint32_t *type)
{
	struct extent part, all = { 0, 1 };

	switch (op_of(type)) {
	case SpvOpTypeBool:
		return (struct extent){ 4, 4 };
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		return (struct extent){ type[2] / 8, type[2] / 8 };
	case SpvOpTypePointer:
		return (struct extent){ 8, 8 };
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		part = extent_of(v, made(v, type[2]));
		return (struct extent){ part.size * type[3], part.align };
	case SpvOpTypeArray:
		part = extent_of(v, made(v, type[2]));
		part.size = saturate(round_up(part.size, part.align), length_of(v, type));
		return part;
	case SpvOpTypeStruct:
		for (uint32_t i = 2; i < spirv_words(type) && all.size < TOO_MANY; i++) {
			part = extent_of(v, made(v, type[i]));
			all.size = round_up(all.size, part.align) + part.size;
			all.align = part.align > all.align ? part.align : all.align;
		}
		all.size = round_up(all.size, all.align);
		return all;
	default:
		return (struct extent){ TOO_MANY, 1 };
	}
}

/* Returns the bytes of a type without padding; elements of an array may have a stride. */
static uint64_t size_of(const struct verify *v, const uint32_t *type)
{
	uint64_t size = 0, stride;

	switch (op_of(type)) {
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		return size_of(v, made(v, type[2])) * type[3];
	case SpvOpTypeArray:
		size = size_of(v, made(v, type[2]));
		stride = v->ids[type[1]].array_stride;
		return saturate(stride > size ? stride : size, length_of(v, type));
	case SpvOpTypeStruct:
		for (uint32_t i = 2; i < spirv_words(type) && size < TOO_MANY; i++)
			size += size_of(v, made(v, type[i]));
		return size;
	default:
		return extent_of(v, type).size;
	}
}

/* 18: descriptors and push constants */

/* Stores the kind of an image type. Returns false if the gate has none. */
static bool kind_of(const struct verify *v, const uint32_t *image, uint32_t *kind)
{
	static const uint32_t views[2][4] = {
		{ VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_3D,
		  VK_IMAGE_VIEW_TYPE_CUBE },
		{ VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		  VK_IMAGE_VIEW_TYPE_MAX_ENUM, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY },
	};
	const uint32_t *texel = made(v, image[2]);
	const uint32_t dim = image[3], arrayed = image[5], ms = image[6];
	enum format_number number = FORMAT_FLOAT;

	if (op_of(texel) == SpvOpTypeInt)
		number = texel[3] ? FORMAT_SINT : FORMAT_UINT;
	if (bits_of(v, texel) != 32 || arrayed > 1 || ms > 1)
		return false;
	if (dim == SpvDimBuffer && !arrayed && !ms)
		*kind = texture_kind(TEXTURE_BUFFER, false, number);
	else if (dim <= SpvDimCube && views[arrayed][dim] != VK_IMAGE_VIEW_TYPE_MAX_ENUM &&
		 (!ms || dim == SpvDim2D))
		*kind = texture_kind(views[arrayed][dim], ms, number);
	else
		return false;
	return true;
}

/*
 * Stores the VkDescriptorType of a variable, and its kind if it is of images. @type is its pointee
 * without an array. Returns false if there is no such descriptor.
 */
static bool find_descriptor(const struct verify *v, const uint32_t *variable, const uint32_t *type,
			    uint32_t *descriptor, uint32_t *kind)
{
	const uint32_t *image = type;

	*kind = 0;
	switch (op_of(type)) {
	case SpvOpTypeStruct:
		*descriptor = variable[3] == SpvStorageClassStorageBuffer ||
					      v->buffer_block[type[1]] ?
				      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER :
				      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
		return variable[3] != SpvStorageClassUniformConstant;
	case SpvOpTypeSampler:
		*descriptor = VK_DESCRIPTOR_TYPE_SAMPLER;
		return variable[3] == SpvStorageClassUniformConstant;
	case SpvOpTypeSampledImage:
		image = made(v, type[2]);
		*descriptor = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
		break;
	case SpvOpTypeImage:
		*descriptor = image[7] == 2 ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE :
					      VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
		break;
	default:
		return false;
	}
	if (image[3] == SpvDimBuffer)
		*descriptor = image[7] == 2 ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER :
					      VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	return variable[3] == SpvStorageClassUniformConstant && kind_of(v, image, kind);
}

/* Returns true if a binding of @type may be declared as @as. */
static bool binding_is(uint32_t type, uint32_t as)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
		return as == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
		return as == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
		return as == type || as == VK_DESCRIPTOR_TYPE_SAMPLER ||
		       as == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
	case SUNDOG_MUTABLE_TYPE:
		return as <= VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	default:
		return as == type;
	}
}

/*
 * Returns the binding of the layout that the host has at a set and a binding, and stores the set of
 * the layout; NULL: none.
 */
static const struct sundog_set_binding *find_binding(const struct gate_layout *layout,
						     uint32_t set, uint32_t binding, uint32_t *s)
{
	uint32_t n_dynamic = 0;

	for (*s = 0; *s < layout->n_sets; ++*s)
		for (uint32_t i = 0; i < layout->sets[*s].n_bindings; i++) {
			const struct sundog_set_binding *b = &layout->sets[*s].bindings[i];
			const bool dynamic =
				layout->dynamic_set &&
				(b->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
				 b->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC);

			if (dynamic ? set == layout->dynamic_set && binding == n_dynamic :
				      set == *s && binding == i)
				return b;
			n_dynamic += dynamic;
		}
	return NULL;
}

/* Returns true if draws compare the descriptor with the same type and kind. */
static bool is_described(const struct gate *g, uint32_t set, const struct sundog_set_binding *b,
			 uint32_t type, uint32_t kind)
{
	for (uint32_t i = 0; i < g->n_descriptors; i++) {
		const struct gate_descriptor *d = &g->descriptors[i];

		if (d->set == set && d->binding == b->binding)
			return (!kind || d->kind == kind) &&
			       (b->type == SUNDOG_MUTABLE_TYPE ? d->type == type :
				binding_is(b->type, d->type));
	}
	return false;
}

static bool check_layout(const struct verify *v, const uint32_t *variable, uint32_t type,
			 uint32_t count, uint32_t kind)
{
	const uint32_t id = variable[2];
	uint32_t set;
	const struct sundog_set_binding *b =
		find_binding(v->g->layout, v->set[id], v->binding[id], &set);

	return (b && binding_is(b->type, type) && count <= b->count &&
		is_described(v->g, set, b, type, kind)) ||
	       gate_refuse(v->g, "%u descriptors of VkDescriptorType %u at the host's set %u, "
			   "binding %u: the pipeline layout or the report has others", count, type,
			   v->set[id], v->binding[id]);
}

static bool check_table(const struct verify *v, uint32_t binding, uint32_t type, uint32_t count,
			uint32_t kind)
{
	const struct gate *g = v->g;
	const bool sampled = type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ||
			     type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
			     type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	const enum sundog_handle_class class = handle_binding_class(binding);

	for (uint32_t i = 0; i < g->n_tables; i++)
		if (g->tables[i] == binding)
			return count <= SUNDOG_MAX_HANDLES && kind &&
			       sampled == (class == SUNDOG_HANDLE_CLASS_SAMPLED) &&
			       texture_kind_binding(kind, class) == binding;
	return false;
}

/* Returns the kind that the gate reports of a slot of images. */
static uint32_t reported_kind(const struct gate *g, uint32_t binding)
{
	if (binding - SUNDOG_BINDING_TEXTURE0 < SUNDOG_MAX_TEXTURES)
		return g->textures[binding - SUNDOG_BINDING_TEXTURE0];
	if (binding - SUNDOG_BINDING_TEXELS0 < SUNDOG_MAX_TEXEL_BUFFERS)
		return g->texels[binding - SUNDOG_BINDING_TEXELS0];
	if (binding - SUNDOG_BINDING_IMAGE0 < SUNDOG_MAX_IMAGES)
		return g->images[binding - SUNDOG_BINDING_IMAGE0];
	if (binding - SUNDOG_BINDING_STORAGE_TEXELS0 < SUNDOG_MAX_IMAGES)
		return g->storage_texels[binding - SUNDOG_BINDING_STORAGE_TEXELS0];
	return 0;
}

static bool check_slot(const struct verify *v, const uint32_t *variable, uint32_t type,
		       uint32_t count, uint32_t kind)
{
	const struct sundog_cmd_create_shader *cmd = v->g->cmd;
	const uint32_t set = v->set[variable[2]], binding = v->binding[variable[2]];

	if (kind && set == SUNDOG_HANDLE_SET)
		return check_table(v, binding, type, count, kind) ||
		       gate_refuse(v->g, "the handle table at binding %u is of another kind, too "
				   "long, or not reported", binding);
	for (uint32_t i = 0; set == cmd->stage && i < cmd->n_bindings; i++)
		if (cmd->bindings[i].binding == binding && cmd->bindings[i].type == type &&
		    count <= cmd->bindings[i].count && kind == reported_kind(v->g, binding))
			return true;
	return gate_refuse(v->g, "%u descriptors of VkDescriptorType %u at set %u, binding %u: "
			   "create_shader or the report has others", count, type, set, binding);
}

static bool check_descriptor(const struct verify *v, const uint32_t *variable)
{
	const uint32_t *all = pointee_of(v, variable), *type = element_of(v, all);
	const uint32_t count = op_of(all) == SpvOpTypeArray ? length_of(v, all) : 1;
	const uint32_t need = HAS_SET | HAS_BINDING;
	uint32_t descriptor, kind;

	if ((v->ids[variable[2]].has & need) != need || op_of(all) == SpvOpTypeRuntimeArray ||
	    !find_descriptor(v, variable, type, &descriptor, &kind))
		return gate_refuse(v->g, "variable %u of storage class %s is no descriptor with a "
				   "set, a binding and a length", variable[2],
				   gate_class_name(variable[3]));
	return v->g->layout ? check_layout(v, variable, descriptor, count, kind) :
			      check_slot(v, variable, descriptor, count, kind);
}

/* The layout of the matrices in a member. */
struct matrices {
	uint32_t stride;
	bool by_rows;
};

/* Returns the bytes from the first to the last of a type in a block. */
static uint64_t reach_of(const struct verify *v, const uint32_t *type, const struct matrices *m)
{
	uint64_t element, stride;
	uint32_t rows;

	switch (op_of(type)) {
	case SpvOpTypeMatrix:
		rows = made(v, type[2])[3];
		element = bits_of(v, type) / 8 * (uint64_t)(m->by_rows ? type[3] : rows);
		return element + (uint64_t)m->stride * ((m->by_rows ? rows : type[3]) - 1);
	case SpvOpTypeArray:
		element = reach_of(v, made(v, type[2]), m);
		stride = v->ids[type[1]].array_stride;
		return element + saturate(stride > element ? stride : element,
					  length_of(v, type) - 1ull);
	default:
		return size_of(v, type);
	}
}

static bool check_push_constants(const struct verify *v, const uint32_t *variable)
{
	const uint32_t *type = pointee_of(v, variable);
	uint64_t end = 0;

	for (uint32_t i = 0; op_of(type) == SpvOpTypeStruct && i + 2 < spirv_words(type); i++) {
		const struct gate_member *at = gate_member_find(v->g, type[1], i,
								SpvDecorationOffset);
		const struct gate_member *stride = gate_member_find(v->g, type[1], i,
								    SpvDecorationMatrixStride);
		const struct matrices m = {
			.stride = stride ? stride->value : 0,
			.by_rows = gate_member_find(v->g, type[1], i, SpvDecorationRowMajor),
		};

		if (at && at->value + reach_of(v, made(v, type[2 + i]), &m) > end)
			end = at->value + reach_of(v, made(v, type[2 + i]), &m);
	}
	return (op_of(type) == SpvOpTypeStruct && end <= v->g->cmd->push_size) ||
	       gate_refuse(v->g, "push constants of %llu bytes, %u are declared",
			   (unsigned long long)end, v->g->cmd->push_size);
}

/* 19: execution modes */

static void look_at_size(struct interface *i, const uint32_t *in)
{
	for (uint32_t k = 0; k < 3 && 3 + k < spirv_words(in); k++)
		if (in[2] == SpvExecutionModeLocalSize)
			i->size[k] = in[3 + k];
		else if (!constant(i->v, in[3 + k], &i->size[k]))
			i->size[k] = 0;
}

static void look_at_mode(struct interface *i, const uint32_t *in)
{
	const uint32_t value = spirv_words(in) > 3 ? in[3] : 0;

	switch (in[2]) {
	case SpvExecutionModeOutputVertices:
		i->vertices = value;
		break;
	case SpvExecutionModeOutputPrimitivesEXT:
		i->primitives = value;
		break;
	case SpvExecutionModeInvocations:
		i->invocations = value;
		break;
	case SpvExecutionModeInputPoints:
		i->input_vertices = 1;
		break;
	case SpvExecutionModeInputLines:
		i->input_vertices = 2;
		break;
	case SpvExecutionModeTriangles:
		i->input_vertices = 3;
		break;
	case SpvExecutionModeInputLinesAdjacency:
		i->input_vertices = 4;
		break;
	case SpvExecutionModeInputTrianglesAdjacency:
		i->input_vertices = 6;
		break;
	case SpvExecutionModeOutputPoints:
		i->output_vertices = 1;
		break;
	case SpvExecutionModeOutputLineStrip:
	case SpvExecutionModeOutputLinesEXT:
		i->output_vertices = 2;
		break;
	case SpvExecutionModeOutputTriangleStrip:
	case SpvExecutionModeOutputTrianglesEXT:
		i->output_vertices = 3;
		break;
	case SpvExecutionModeIsolines:
		i->isolines = true;
		break;
	case SpvExecutionModePointMode:
		i->points = true;
		break;
	case SpvExecutionModeLocalSize:
	case SpvExecutionModeLocalSizeId:
		look_at_size(i, in);
	}
}

static bool geometry_ok(const struct interface *i)
{
	const struct gate_geometry *geometry = &i->v->g->geometry;

	return i->input_vertices && i->input_vertices == geometry->input_vertices &&
	       i->output_vertices && i->output_vertices == geometry->strip_vertices &&
	       i->vertices && i->vertices == geometry->max_vertices &&
	       i->vertices <= SUNDOG_MAX_GEOMETRY_VERTICES && i->invocations <= MAX_INVOCATIONS;
}

static bool tess_ok(const struct interface *i)
{
	const struct gate *g = i->v->g;
	const uint32_t emitted = i->points ? 1 : i->isolines ? 2 : 3;
	const uint32_t reported = g->tess.points ? 1 :
				  g->tess.domain == SpvExecutionModeIsolines ? 2 : 3;

	return i->vertices == g->tess.vertices && i->vertices <= g->caps->max_patch_vertices &&
	       (stage_is(i, SUNDOG_STAGE_TESS_CTRL) ? i->vertices : emitted == reported);
}

static bool group_ok(const struct interface *i)
{
	const struct gate *g = i->v->g;
	uint64_t all = 1;

	for (uint32_t k = 0; k < 3; k++) {
		if (!i->size[k] || i->size[k] != g->group.size[k] ||
		    i->size[k] > g->caps->max_group_size[k])
			return false;
		all *= i->size[k];
	}
	return all <= g->caps->max_group_invocations && all == g->group.invocations;
}

/* Indices are one variable, and its elements have as many numbers as a primitive has vertices. */
static bool indices_ok(const struct interface *i)
{
	const struct verify *v = i->v;
	const uint32_t *variable = made(v, v->g->mesh.indices), *type;

	if (!v->g->mesh.indices)
		return true;
	if (op_of(variable) != SpvOpVariable)
		return false;
	type = element_of(v, pointee_of(v, variable));
	return bits_of(v, type) == 32 &&
	       (i->output_vertices == 1 ? op_of(type) == SpvOpTypeInt :
		op_of(type) == SpvOpTypeVector && type[3] == i->output_vertices);
}

static bool mesh_ok(const struct interface *i)
{
	const struct gate_mesh *mesh = &i->v->g->mesh;

	return i->vertices && i->vertices == mesh->max_vertices && i->primitives &&
	       i->primitives == mesh->max_primitives && i->output_vertices &&
	       i->vertices <= SUNDOG_MAX_MESH_VERTICES &&
	       i->primitives <= SUNDOG_MAX_MESH_PRIMITIVES && group_ok(i) && indices_ok(i);
}

static bool modes_ok(const struct interface *i)
{
	switch (i->v->g->cmd->stage) {
	case SUNDOG_STAGE_GEOMETRY:
		return geometry_ok(i);
	case SUNDOG_STAGE_TESS_CTRL:
	case SUNDOG_STAGE_TESS_EVAL:
		return tess_ok(i);
	case SUNDOG_STAGE_COMPUTE:
	case SUNDOG_STAGE_TASK:
		return group_ok(i);
	case SUNDOG_STAGE_MESH:
		return mesh_ok(i);
	default:
		return true;
	}
}

static bool check_entry_point(struct interface *i, const uint32_t *in)
{
	const struct gate *g = i->v->g;

	return (!i->entry_points++ && in[1] == gate_execution_model(g->cmd->stage) &&
		in[2] == g->entry && spirv_words(in) > 4 && !memcmp(in + 3, "main\0\0\0", 8)) ||
	       gate_refuse(i->v->g, "not one entry point, main of execution model %s",
			   gate_stage_name(g->cmd->stage));
}

/* The constant decorated WorkgroupSize has precedence over the mode. */
static bool check_size(const struct interface *i, const uint32_t *in)
{
	const struct verify_id *id = &i->v->ids[in[2]];

	if (!(id->has & HAS_BUILTIN) || id->builtin != SpvBuiltInWorkgroupSize)
		return true;
	return (spirv_words(in) == 6 && is_constant(i->v, in[3], i->size[0]) &&
		is_constant(i->v, in[4], i->size[1]) && is_constant(i->v, in[5], i->size[2])) ||
	       gate_refuse(i->v->g, "WorkgroupSize is not the local size");
}

/* 20: inputs and outputs */

/* Returns the locations that a type takes. Saturates. */
static uint64_t locations_of(const struct verify *v, const uint32_t *type)
{
	uint64_t n = 0;

	switch (op_of(type)) {
	case SpvOpTypeVector:
		return size_of(v, type) > LOCATION_BYTES ? 2 : 1;
	case SpvOpTypeMatrix:
		return locations_of(v, made(v, type[2])) * type[3];
	case SpvOpTypeArray:
		return saturate(locations_of(v, made(v, type[2])), length_of(v, type));
	case SpvOpTypeStruct:
		for (uint32_t i = 2; i < spirv_words(type) && n < TOO_MANY; i++)
			n += locations_of(v, made(v, type[i]));
		return n;
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
	case SpvOpTypeBool:
		return 1;
	default:
		return TOO_MANY;
	}
}

/* Returns true if a type has a number of less than 32 bits. */
static bool has_small_numbers(const struct verify *v, const uint32_t *type)
{
	const uint32_t bits = bits_of(v, type);

	while (op_of(type) == SpvOpTypeArray)
		type = made(v, type[2]);
	for (uint32_t i = 2; op_of(type) == SpvOpTypeStruct && i < spirv_words(type); i++)
		if (has_small_numbers(v, made(v, type[i])))
			return true;
	return bits && bits < 32;
}

/* Returns the built-in of a variable or of a member; UINT32_MAX: none. */
static uint32_t builtin_of(const struct verify *v, uint32_t id)
{
	return v->ids[id].has & HAS_BUILTIN ? v->ids[id].builtin : UINT32_MAX;
}

static bool is_index_builtin(uint32_t builtin)
{
	return builtin == SpvBuiltInPrimitivePointIndicesEXT ||
	       builtin == SpvBuiltInPrimitiveLineIndicesEXT ||
	       builtin == SpvBuiltInPrimitiveTriangleIndicesEXT;
}

/* Returns true for built-ins that are no array of vertices in any stage. */
static bool is_scalar(uint32_t builtin)
{
	switch (builtin) {
	case SpvBuiltInDeviceIndex:
	case SpvBuiltInPrimitiveId:
	case SpvBuiltInInvocationId:
	case SpvBuiltInViewIndex:
	case SpvBuiltInPatchVertices:
	case SpvBuiltInTessCoord:
	case SpvBuiltInTessLevelOuter:
	case SpvBuiltInTessLevelInner:
	case SpvBuiltInSubgroupLocalInvocationId:
		return true;
	default:
		return false;
	}
}

static bool of_primitives(const struct verify *v, const uint32_t *variable, const uint32_t *element)
{
	while (op_of(element) == SpvOpTypeArray)
		element = made(v, element[2]);
	return v->ids[variable[2]].has & HAS_PER_PRIMITIVE ||
	       is_index_builtin(builtin_of(v, variable[2])) ||
	       (op_of(element) == SpvOpTypeStruct &&
		v->ids[element[1]].has & HAS_PER_PRIMITIVE_MEMBERS);
}

/* Returns true if a variable or the members of its block have Patch. */
static bool is_of_patch(const struct verify *v, const uint32_t *variable, const uint32_t *type)
{
	while (op_of(type) == SpvOpTypeArray)
		type = made(v, type[2]);
	return v->ids[variable[2]].has & HAS_PATCH ||
	       (op_of(type) == SpvOpTypeStruct && v->ids[type[1]].has & HAS_PATCH_MEMBERS);
}

/*
 * Returns the type of a variable without the array of vertices or primitives that the stage has
 * around it; NULL: that has another length than the host's.
 */
static const uint32_t *one_of(const struct interface *i, const uint32_t *in, const uint32_t *type,
			      bool output)
{
	const struct verify *v = i->v;
	const struct gate *g = v->g;
	const bool patch = is_of_patch(v, in, type) || is_scalar(builtin_of(v, in[2]));
	const uint32_t n = op_of(type) == SpvOpTypeArray ? length_of(v, type) : 0;
	bool fits;

	switch (g->cmd->stage) {
	case SUNDOG_STAGE_GEOMETRY:
		if (output || patch)
			return type;
		fits = n == i->input_vertices;
		break;
	case SUNDOG_STAGE_TESS_CTRL:
	case SUNDOG_STAGE_TESS_EVAL:
		if (patch || (output && stage_is(i, SUNDOG_STAGE_TESS_EVAL)))
			return type;
		fits = n <= g->caps->max_patch_vertices;
		break;
	case SUNDOG_STAGE_MESH:
		if (!output)
			return type;
		fits = n == (of_primitives(v, in, element_of(v, type)) ? i->primitives :
								     i->vertices);
		break;
	default:
		return type;
	}
	return n && fits ? made(v, type[2]) : NULL;
}

/* Counts a built-in: @builtin of a variable or a member of @type. */
static bool check_builtin(struct interface *i, uint32_t builtin, const uint32_t *type, bool output)
{
	const bool array = op_of(type) == SpvOpTypeArray;

	i->output_builtins += output;
	/* The host takes the vertices of an array of numbers for its elements. */
	if (!array && (builtin == SpvBuiltInClipDistance || builtin == SpvBuiltInCullDistance))
		return gate_refuse(i->v->g, "ClipDistance or CullDistance is not an array");
	if (builtin == SpvBuiltInTessLevelOuter || builtin == SpvBuiltInTessLevelInner ||
	    !array)
		return true;
	if (builtin == SpvBuiltInSampleMask)
		return length_of(i->v, type) == 1 ||
		       gate_refuse(i->v->g, "SampleMask has %u elements", length_of(i->v, type));
	i->distances[output] += length_of(i->v, type);
	return i->distances[output] <= MAX_DISTANCES ||
	       gate_refuse(i->v->g, "ClipDistance and CullDistance have more than %u elements",
			   MAX_DISTANCES);
}

static bool check_builtins(struct interface *i, const uint32_t *in, const uint32_t *type,
			   bool output)
{
	if (op_of(type) != SpvOpTypeStruct)
		return check_builtin(i, builtin_of(i->v, in[2]), type, output);
	for (uint32_t k = 0; k + 2 < spirv_words(type); k++) {
		const struct gate_member *builtin =
			gate_member_find(i->v->g, type[1], k, SpvDecorationBuiltIn);

		if (!check_builtin(i, builtin ? builtin->value : UINT32_MAX,
				   made(i->v, type[2 + k]), output))
			return false;
	}
	return true;
}

/* Returns true if a type has a number of 64 bits. */
static bool has_long_numbers(const struct verify *v, const uint32_t *type)
{
	while (op_of(type) == SpvOpTypeArray)
		type = made(v, type[2]);
	for (uint32_t i = 2; op_of(type) == SpvOpTypeStruct && i < spirv_words(type); i++)
		if (has_long_numbers(v, made(v, type[i])))
			return true;
	return bits_of(v, type) == 64;
}

/* Returns true if only scalars, vectors and their block have numbers of 64 bits. */
static bool long_numbers_ok(const struct verify *v, const uint32_t *type)
{
	if (op_of(type) == SpvOpTypeStruct && !(v->ids[type[1]].has & HAS_BLOCK) &&
	    has_long_numbers(v, type))
		return false;
	for (uint32_t i = 2; op_of(type) == SpvOpTypeStruct && i < spirv_words(type); i++) {
		const uint32_t *member = made(v, type[i]), op = op_of(member);

		if (op != SpvOpTypeInt && op != SpvOpTypeFloat && op != SpvOpTypeVector &&
		    has_long_numbers(v, member))
			return false;
	}
	return (op_of(type) != SpvOpTypeArray && op_of(type) != SpvOpTypeMatrix) ||
	       !has_long_numbers(v, type);
}

/* Adds some of the four components that a location has. */
static void add_mask(struct interface *i, uint32_t mask, uint32_t location)
{
	if (location < MAX_LOCATIONS)
		i->components[location] |= mask & 15;
}

/*
 * Adds the components of an output from a location on, and returns the location after it. A number
 * of 64 bits has two.
 */
static uint32_t add_components(struct interface *i, const uint32_t *type, uint32_t location,
			       uint32_t component)
{
	const uint32_t op = op_of(type), begin = location;
	const uint32_t n = op == SpvOpTypeArray ? length_of(i->v, type) : type[3];

	if (op == SpvOpTypeArray || op == SpvOpTypeMatrix) {
		for (uint32_t k = 0; k < n && location < MAX_LOCATIONS; k++) {
			location = add_components(i, made(i->v, type[2]), location, component);
			if (location == begin)
				break;
		}
	} else if (op == SpvOpTypeStruct) {
		for (uint32_t k = 2; k < spirv_words(type); k++)
			location = add_components(i, made(i->v, type[k]), location, component);
	} else {
		const uint32_t mask = (1u << (op == SpvOpTypeVector ? n : 1) *
						     (bits_of(i->v, type) == 64 ? 2 : 1)) - 1;

		add_mask(i, mask << component, location++);
		if (mask > 15)
			add_mask(i, mask >> 4, location++);
	}
	return location;
}

/* Counts a part of a variable that has its own location. */
static bool count_locations(struct interface *i, const uint32_t *in, const uint32_t *type,
			    const uint32_t *part, uint32_t location, uint32_t component,
			    bool output)
{
	const uint64_t n = locations_of(i->v, part);

	if (location >= MAX_LOCATIONS || n > MAX_LOCATIONS - location || component > 3)
		return gate_refuse(i->v->g, "%llu locations from %u on: the limit is %u",
				   (unsigned long long)n, location, MAX_LOCATIONS);
	if (stage_is(i, SUNDOG_STAGE_MESH) && verify_is_listed(i->v, in[2]))
		add_components(i, part, location, component);
	if (output)
		i->locations[of_primitives(i->v, in, type)] |=
			(uint32_t)(((1ull << n) - 1) << location);
	return true;
}

/*
 * Members of a block have their own locations, or the one after the previous member. The host
 * ignores the locations of members of other structs, and of arrays of blocks.
 */
static bool check_member_locations(struct interface *i, const uint32_t *in, const uint32_t *type,
				   bool output)
{
	const struct verify *v = i->v;
	uint32_t location = v->ids[in[2]].has & HAS_LOCATION ? v->ids[in[2]].location : TOO_FAR;

	if (op_of(type) != SpvOpTypeStruct || !(v->ids[type[1]].has & HAS_BLOCK) ||
	    (output && stage_is(i, SUNDOG_STAGE_FRAGMENT)))
		return gate_refuse(v->g, "locations of members of a type that is no block");
	for (uint32_t k = 0; k + 2 < spirv_words(type); k++) {
		const uint32_t *part = made(v, type[2 + k]);
		const struct gate_member *own =
			gate_member_find(v->g, type[1], k, SpvDecorationLocation);
		const struct gate_member *component =
			gate_member_find(v->g, type[1], k, SpvDecorationComponent);

		location = own ? own->value : location;
		if (!count_locations(i, in, type, part, location, component ? component->value : 0,
				     output))
			return false;
		location += (uint32_t)locations_of(v, part);
	}
	return true;
}

/* Returns true if members of a block have places of their own, in arrays or not. */
static bool has_member_places(const struct verify *v, const uint32_t *type)
{
	while (op_of(type) == SpvOpTypeArray)
		type = made(v, type[2]);
	return op_of(type) == SpvOpTypeStruct && v->ids[type[1]].has & HAS_MEMBER_PLACES;
}

static bool check_locations(struct interface *i, const uint32_t *in, const uint32_t *type,
			    bool output)
{
	const struct verify_id *id = &i->v->ids[in[2]];
	const bool color = output && stage_is(i, SUNDOG_STAGE_FRAGMENT);
	const uint32_t most = color ? SUNDOG_MAX_COLOR_ATTACHMENTS : MAX_LOCATIONS;
	const uint64_t n = locations_of(i->v, type);

	if (!(id->has & HAS_LOCATION) || id->location >= most || n > most - id->location)
		return gate_refuse(i->v->g, "%llu locations from %u on: the limit is %u",
				   (unsigned long long)n, id->location, most);
	if (id->has & HAS_INDEX &&
	    (!color || id->index > 1 || (id->index && (id->location || n > 1))))
		return gate_refuse(i->v->g, "Index %u at Location %u", id->index, id->location);
	i->second_source |= id->has & HAS_INDEX && id->index;
	if (stage_is(i, SUNDOG_STAGE_MESH) && verify_is_listed(i->v, in[2]))
		add_components(i, type, id->location, id->component & 3);
	if (output)
		i->locations[of_primitives(i->v, in, type)] |=
			(uint32_t)(((1ull << n) - 1) << id->location);
	return true;
}

/* Returns true if the host has no storage for per-patch variables of this stage. */
static bool has_no_patch(const struct interface *i, bool output)
{
	return !stage_is(i, output ? SUNDOG_STAGE_TESS_CTRL : SUNDOG_STAGE_TESS_EVAL);
}

static bool check_feedback(struct interface *i, const uint32_t *in, const uint32_t *type);

static bool check_variable(struct interface *i, const uint32_t *in, bool output)
{
	const struct verify *v = i->v;
	const struct verify_id *id = &v->ids[in[2]];
	const uint32_t *type = one_of(i, in, pointee_of(v, in), output);

	if (!type)
		return gate_refuse(v->g, "a variable is no array of the vertices or primitives "
				   "that the host has");
	if (is_of_patch(v, in, type) && has_no_patch(i, output))
		return gate_refuse(v->g, "a variable with Patch in execution model %s",
				   gate_stage_name(v->g->cmd->stage));
	if (has_small_numbers(v, type) || (output && stage_is(i, SUNDOG_STAGE_FRAGMENT) &&
					   bits_of(v, type) == 64))
		return gate_refuse(v->g, "components of an interface variable that are not 32 bits "
				   "wide");
	if (output && stage_is(i, SUNDOG_STAGE_MESH) && !long_numbers_ok(v, type))
		return gate_refuse(v->g, "64-bit components in an array, a matrix or a nested "
				   "struct of a mesh shader");
	if (id->has & HAS_STREAM && id->stream &&
	    (!stage_is(i, SUNDOG_STAGE_GEOMETRY) || id->stream >= SUNDOG_MAX_STREAMS ||
	     i->output_vertices != 1))
		return gate_refuse(v->g, "Stream %u without points", id->stream);
	if (output && !check_feedback(i, in, type))
		return false;
	if (has_member_places(v, type))
		return check_member_locations(i, in, type, output);
	if (id->has & HAS_BUILTIN || v->builtin[type[1]])
		return check_builtins(i, in, type, output);
	return check_locations(i, in, type, output);
}

/* The host takes other inputs of these stages for a payload. */
static bool check_group_input(const struct interface *i, const uint32_t *in)
{
	switch (builtin_of(i->v, in[2])) {
	case SpvBuiltInNumWorkgroups:
	case SpvBuiltInWorkgroupId:
	case SpvBuiltInLocalInvocationId:
	case SpvBuiltInGlobalInvocationId:
	case SpvBuiltInLocalInvocationIndex:
	case SpvBuiltInDrawIndex:
	case SpvBuiltInDeviceIndex:
	case SpvBuiltInSubgroupLocalInvocationId:	/* of split_nonuniform.c, too */
	case SpvBuiltInSubgroupSize:
	case SpvBuiltInSubgroupId:
	case SpvBuiltInNumSubgroups:
	case SpvBuiltInSubgroupEqMask:
	case SpvBuiltInSubgroupGeMask:
	case SpvBuiltInSubgroupGtMask:
	case SpvBuiltInSubgroupLeMask:
	case SpvBuiltInSubgroupLtMask:
		return true;
	default:
		return gate_refuse(i->v->g, "an input that execution model %s does not have",
				   gate_stage_name(i->v->g->cmd->stage));
	}
}

/* 21: transform feedback */

/*
 * Moves @at, an offset in a vertex of a feedback buffer, over a captured type in the steps of the
 * host, and counts the host's outputs. Returns false if that ends beyond the stride or the host's
 * table, or if a part cannot be captured.
 */
static bool capture(struct interface *i, const uint32_t *type, uint64_t *at, uint32_t stride)
{
	const struct verify *v = i->v;
	const uint32_t op = op_of(type), before = i->captured;
	const uint32_t n = op == SpvOpTypeArray ? length_of(v, type) : type[3];

	if (has_long_numbers(v, type))
		*at = round_up(*at, 8);
	switch (op) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
	case SpvOpTypeVector:
		*at += size_of(v, type);
		i->captured += size_of(v, type) > LOCATION_BYTES ? 2 : 1;
		return *at <= stride && i->captured <= MAX_CAPTURED;
	case SpvOpTypeMatrix:
	case SpvOpTypeArray:
		for (uint32_t k = 0; k < n; k++)
			if (!capture(i, made(v, type[2]), at, stride))
				return false;
			else if (i->captured == before)
				break;
		return n;
	case SpvOpTypeStruct:
		for (uint32_t k = 2; k < spirv_words(type); k++)
			if (!capture(i, made(v, type[k]), at, stride))
				return false;
		return true;
	default:
		return false;
	}
}

static bool check_captured(struct interface *i, const uint32_t *type, uint32_t buffer,
			   uint32_t stride, uint32_t offset)
{
	uint64_t at = offset;

	if (!stride || stride > SUNDOG_MAX_FEEDBACK_STRIDE ||
	    buffer >= SUNDOG_MAX_FEEDBACK_BUFFERS ||
	    stride != i->v->g->feedback_strides[buffer] || stage_is(i, SUNDOG_STAGE_FRAGMENT) ||
	    stage_is(i, SUNDOG_STAGE_TESS_CTRL) || stage_is(i, SUNDOG_STAGE_MESH))
		return gate_refuse(i->v->g, "XfbBuffer %u with XfbStride %u is not the reported "
				   "one", buffer, stride);
	return (offset % 4 == 0 && capture(i, type, &at, stride)) ||
	       gate_refuse(i->v->g, "transform feedback at Offset %u exceeds XfbStride %u, or %u "
			   "outputs", offset, stride, MAX_CAPTURED);
}

/* Stores the value of a decoration of member @k of a struct. Returns false if it has none. */
static bool member_has(const struct verify *v, const uint32_t *block, uint32_t k,
		       uint32_t decoration, uint32_t *value)
{
	const struct gate_member *own = gate_member_find(v->g, block[1], k, decoration);

	*value = own ? own->value : 0;
	return own;
}

/*
 * Checks the members of @n blocks. A decoration of the variable counts for all members, and before
 * theirs; of an array of blocks, only the variable has a buffer and only the members have offsets.
 */
static bool check_members(struct interface *i, const struct verify_id *id, const uint32_t *block,
			  bool is_array, uint64_t n)
{
	for (uint32_t k = 0; k + 2 < spirv_words(block); k++) {
		uint32_t buffer, stride, offset;
		bool has_buffer = member_has(i->v, block, k, SpvDecorationXfbBuffer, &buffer);
		bool has_offset = member_has(i->v, block, k, SpvDecorationOffset, &offset);

		member_has(i->v, block, k, SpvDecorationXfbStride, &stride);
		if (id->has & HAS_XFB_STRIDE || is_array)
			stride = id->xfb_stride;
		if (id->has & HAS_XFB_BUFFER || is_array) {
			buffer = id->xfb_buffer;
			has_buffer = id->has & HAS_XFB_BUFFER;
		}
		if (id->has & HAS_OFFSET && !is_array) {
			offset = id->offset;
			has_offset = true;
		}
		for (uint64_t b = 0; has_buffer && has_offset && b < n; b++, buffer++)
			if (!check_captured(i, made(i->v, block[2 + k]), buffer, stride, offset))
				return false;
	}
	return true;
}

static bool check_feedback(struct interface *i, const uint32_t *in, const uint32_t *type)
{
	const struct verify *v = i->v;
	const struct verify_id *id = &v->ids[in[2]];
	const uint32_t *block = type;
	uint64_t n = 1;

	/* The host takes it for that of the variable. */
	if (v->ids[type[1]].has & HAS_OFFSET)
		return gate_refuse(v->g, "Offset on a type");
	for (; op_of(block) == SpvOpTypeArray; block = made(v, block[2]))
		n = saturate(n, length_of(v, block));
	if (op_of(block) == SpvOpTypeStruct && v->ids[block[1]].has & HAS_BLOCK)
		return check_members(i, id, block, block != type, n);
	return !(id->has & HAS_XFB_BUFFER) || !(id->has & HAS_OFFSET) ||
	       check_captured(i, type, id->xfb_buffer, id->xfb_stride, id->offset);
}

/* 22: sizes, and what is reported */

static bool check_shared(struct interface *i, const uint32_t *in)
{
	const struct verify *v = i->v;

	i->shared_bytes += size_of(v, pointee_of(v, in));
	return (i->shared_bytes <= v->g->caps->max_shared_memory &&
		(spirv_words(in) == 4 || op_of(made(v, in[4])) == SpvOpConstantNull)) ||
	       gate_refuse(v->g, "%llu bytes of Workgroup variables, or an initializer that is "
			   "not null", (unsigned long long)i->shared_bytes);
}

static bool check_payload(struct interface *i, const uint32_t *in)
{
	const struct verify *v = i->v;
	const bool first = !i->payload_bytes;

	i->payload_bytes = extent_of(v, pointee_of(v, in)).size;
	return (first && spirv_words(in) == 4 && i->payload_bytes <= SUNDOG_MAX_TASK_PAYLOAD &&
		in[2] == v->g->mesh.payload) ||
	       gate_refuse(v->g, "a task payload of %llu bytes",
			   (unsigned long long)i->payload_bytes);
}

static bool on_variable(struct interface *i, const uint32_t *in)
{
	const bool of_groups = stage_is(i, SUNDOG_STAGE_TASK) || stage_is(i, SUNDOG_STAGE_MESH);

	switch (in[3]) {
	case SpvStorageClassUniformConstant:
	case SpvStorageClassUniform:
	case SpvStorageClassStorageBuffer:
		return check_descriptor(i->v, in);
	case SpvStorageClassPushConstant:
		return check_push_constants(i->v, in);
	case SpvStorageClassInput:
		if (of_groups)
			return check_group_input(i, in);
		return builtin_of(i->v, in[2]) == SpvBuiltInDeviceIndex ||
		       check_variable(i, in, false);
	case SpvStorageClassOutput:
		return check_variable(i, in, true);
	case SpvStorageClassWorkgroup:
		return check_shared(i, in);
	case SpvStorageClassTaskPayloadWorkgroupEXT:
		return check_payload(i, in);
	case SpvStorageClassPrivate:
		return true;
	default:
		return gate_refuse(i->v->g, "a variable of storage class %s",
				   gate_class_name(in[3]));
	}
}

/* Returns the bytes that the host takes for a vertex. */
static uint64_t vertex_bytes(const struct interface *i)
{
	return VERTEX_BYTES + BUILTIN_BYTES * (uint64_t)i->output_builtins +
	       LOCATION_BYTES * (uint64_t)__builtin_popcount(i->locations[0]);
}

/*
 * Returns the bytes of the outputs with a location of a work group. The host allocates for eight
 * vertices and primitives more than are declared, and for each that of eight.
 */
static uint64_t mesh_bytes(const struct interface *i)
{
	const uint64_t vertex = MESH_VERTEX_BYTES +
				LOCATION_BYTES * (uint64_t)__builtin_popcount(i->locations[0]);
	const uint64_t primitive = LOCATION_BYTES * (uint64_t)__builtin_popcount(i->locations[1]);

	return MESH_MORE * (vertex * (i->vertices + MESH_MORE) +
			    primitive * (i->primitives + MESH_MORE));
}

/* Returns true if no operand in a function is the payload's id. */
static bool payload_is_unused(const struct gate *g)
{
	bool body = false;

	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at)) {
		const uint32_t *in = g->code + at;
		struct spirv_operands o;

		body = body || op_of(in) == SpvOpFunction;
		gate_operands_begin(&o, in);
		for (char letter; body && (letter = spirv_operands_next(&o));)
			if ((letter == 'I' || gate_role(letter)) && in[o.word] == g->mesh.payload)
				return false;
	}
	return true;
}

static bool sizes_ok(const struct interface *i)
{
	const struct gate *g = i->v->g;
	const bool unlisted = !g->mesh.payload_bytes &&
			      (stage_is(i, SUNDOG_STAGE_TASK) || payload_is_unused(g));

	if (stage_is(i, SUNDOG_STAGE_GEOMETRY) &&
	    g->primitive_bytes < vertex_bytes(i) * (i->vertices + 1ull) *
					 (i->invocations ? i->invocations : 1))
		return false;
	if (stage_is(i, SUNDOG_STAGE_TESS_EVAL) && g->vertex_bytes < vertex_bytes(i))
		return false;
	if (stage_is(i, SUNDOG_STAGE_MESH) &&
	    (g->mesh.group_bytes < mesh_bytes(i) || i->locations[0] & i->locations[1] ||
	     g->mesh.distances > i->distances[OUTPUT]))
		return false;
	return unlisted || g->mesh.payload_bytes == i->payload_bytes;
}

/* Built-ins that a pass adds have ids beyond those that the gate has recorded. */
static bool is_reported_builtin(const struct interface *i, uint32_t builtin, uint32_t id)
{
	const struct gate *g = i->v->g;

	switch (builtin) {
	case SpvBuiltInLayer:
		return g->layer;
	case SpvBuiltInDrawIndex:
		return g->draw_index;
	case SpvBuiltInFrontFacing:
		return g->front_facing;
	case SpvBuiltInPrimitiveId:
		return g->primitive_id || id >= g->n_ids;
	default:
		return true;
	}
}

static bool check_builtin_report(const struct interface *i, uint32_t builtin, uint32_t id)
{
	return is_reported_builtin(i, builtin, id) ||
	       gate_refuse(i->v->g, "built-in %s is not reported", gate_builtin_name(builtin));
}

/* A fragment shader may read all components of a location that has an output. */
static bool components_ok(const struct interface *i)
{
	for (uint32_t k = 0; k < MAX_LOCATIONS; k++)
		if (i->components[k] && i->components[k] != 15)
			return false;
	return true;
}

static bool report_ok(const struct interface *i)
{
	const struct gate *g = i->v->g;

	return (!g->second_source || i->second_source) &&
	       (!stage_is(i, SUNDOG_STAGE_FRAGMENT) ||
		g->builtin_elements[INPUT] == i->distances[INPUT]);
}

static bool on_instruction(struct interface *i, const uint32_t *in)
{
	switch (op_of(in)) {
	case SpvOpEntryPoint:
		return check_entry_point(i, in);
	case SpvOpExecutionMode:
	case SpvOpExecutionModeId:
		look_at_mode(i, in);
		return true;
	case SpvOpDecorate:
		return in[2] != SpvDecorationBuiltIn || check_builtin_report(i, in[3], in[1]);
	case SpvOpMemberDecorate:
		return in[3] != SpvDecorationBuiltIn || check_builtin_report(i, in[4], in[1]);
	case SpvOpConstantComposite:
		return check_size(i, in);
	case SpvOpVariable:
		return on_variable(i, in);
	default:
		return true;
	}
}

bool verify_interface(struct verify *v)
{
	struct interface i = { .v = v };
	struct gate *g = v->g;

	for (size_t at = SPIRV_HEADER_WORDS;
	     at < g->words && op_of(g->code + at) != SpvOpFunction;
	     at += spirv_words(g->code + at))
		if (!on_instruction(&i, gate_look(g, at)))
			return false;
	g->at = 0;
	if (!modes_ok(&i))
		return gate_refuse(g, "execution modes are not the recorded ones, or exceed the "
				   "limits of the host");
	if (!sizes_ok(&i))
		return gate_refuse(g, "outputs or the task payload are larger than reported");
	if (!components_ok(&i))
		return gate_refuse(g, "a location of a mesh shader lacks components");
	return report_ok(&i) ||
	       gate_refuse(g, "Position, distances or the second source are not as reported");
}
