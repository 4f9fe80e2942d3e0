// SPDX-License-Identifier: MIT
/*
 * Checks task and mesh shaders for gate_reflect(), see gate.h: payloads, and the outputs of mesh
 * shaders.
 *
 * llvmpipe allocates the outputs of a mesh shader for the larger of the declared numbers of
 * vertices and primitives, and does not check where they are written. Indices are clamped to the
 * declared arrays, so these must not be longer. It reads as many elements as SetMeshOutputs says,
 * all of which clamp_mesh_outputs.c sets to zero first, so the arrays must not be shorter. It lays
 * out the outputs that are written, and treats those that are not per vertex as per primitive.
 */
#include "gate/check/mesh.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/group.h"
#include "gate/check/mode.h"
#include "gate/check/type.h"
#include "gate/spirv_info.h"
#include "gate/table.h"

#define MAX_MEMBERS 64u			/* of a struct, in a mask */

/* Returns the vertices of an output primitive; 0: @mode is another execution mode. */
static uint32_t primitive_vertices(uint32_t mode)
{
	switch (mode) {
	case SpvExecutionModeOutputPoints:
		return 1;
	case SpvExecutionModeOutputLinesEXT:
		return 2;
	case SpvExecutionModeOutputTrianglesEXT:
		return 3;
	default:
		return 0;
	}
}

bool gate_mesh_mode(struct gate *g, const uint32_t *in, uint32_t words)
{
	const uint32_t mode = in[2], value = words > 3 ? in[3] : 0;

	if (mode == SpvExecutionModeLocalSize || mode == SpvExecutionModeLocalSizeId)
		return gate_group_size(g, in, words);
	if (mode == SpvExecutionModeOutputVertices)
		return gate_mode_declare(g, &g->mesh.max_vertices, value, mode);
	if (mode == SpvExecutionModeOutputPrimitivesEXT)
		return gate_mode_declare(g, &g->mesh.max_primitives, value, mode);
	if (primitive_vertices(mode))
		return gate_mode_declare(g, &g->mesh.topology, mode, mode);
	return true;
}

/*
 * Allows the inputs that the host has in these stages. The host takes any other input for a
 * payload, as in older extensions.
 */
bool gate_mesh_input(struct gate *g, const struct gate_id *var)
{
	switch (var->builtin) {
	case SpvBuiltInNumWorkgroups:
	case SpvBuiltInWorkgroupId:
	case SpvBuiltInLocalInvocationId:
	case SpvBuiltInGlobalInvocationId:
	case SpvBuiltInLocalInvocationIndex:
	case SpvBuiltInDrawIndex:
	case SpvBuiltInDeviceIndex:
	case SpvBuiltInSubgroupSize:
	case SpvBuiltInSubgroupId:
	case SpvBuiltInNumSubgroups:
	case SpvBuiltInSubgroupLocalInvocationId:
	case SpvBuiltInSubgroupEqMask:
	case SpvBuiltInSubgroupGeMask:
	case SpvBuiltInSubgroupGtMask:
	case SpvBuiltInSubgroupLeMask:
	case SpvBuiltInSubgroupLtMask:
		return true;
	default:
		return gate_refuse(
			g, "execution model %s has no inputs but built-ins of workgroups and "
			"subgroups and DrawIndex",
			gate_stage_name(g->cmd->stage));
	}
}

static bool has_64_bits(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	for (uint32_t i = 0; type->op == SpvOpTypeStruct && i < type->n_members; i++)
		if (has_64_bits(g, type->members[i]))
			return true;
	if (type->op == SpvOpTypeArray)
		return has_64_bits(g, type->a);
	return gate_number_bits(g, type_id) == 64;
}

/*
 * Returns true if an output has numbers of 64 bits in an array, a matrix or a struct that is no
 * block or is nested. The host stores them at other locations than a fragment shader reads, and
 * behind the last output (emit_store_mesh_chan() counts elements as components). Scalars, vectors
 * and blocks of them, which Mesa splits, are stored correctly.
 */
static bool has_inner_64_bits(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	if (type->op == SpvOpTypeStruct && !type->block && has_64_bits(g, type_id))
		return true;
	for (uint32_t i = 0; type->op == SpvOpTypeStruct && i < type->n_members; i++)
		if (gate_id(g, type->members[i])->op == SpvOpTypeStruct ?
			    has_64_bits(g, type->members[i]) :
			    has_inner_64_bits(g, type->members[i]))
			return true;
	return (type->op == SpvOpTypeArray || type->op == SpvOpTypeMatrix) &&
	       has_64_bits(g, type_id);
}

/* Strips arrays: the host looks for PerPrimitive in the element type. */
static const struct gate_id *without_arrays(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray)
		type = gate_id(g, type->a);
	return type;
}

/*
 * Returns true if an output is per primitive. Members of a struct must agree, see members_agree().
 */
static bool is_of_primitives(const struct gate_id *var, const struct gate_id *type)
{
	return var->per_primitive || (type->op == SpvOpTypeStruct && type->members_per_primitive);
}

static bool members_agree(const struct gate_id *type)
{
	const uint64_t all =
		type->n_members < MAX_MEMBERS ? (1ull << type->n_members) - 1 : UINT64_MAX;

	return type->op != SpvOpTypeStruct ||
	       (type->n_members <= MAX_MEMBERS &&
		(!type->members_per_primitive || type->members_per_primitive == all));
}

bool gate_mesh_is_index_builtin(uint32_t builtin)
{
	return builtin == SpvBuiltInPrimitivePointIndicesEXT ||
	       builtin == SpvBuiltInPrimitiveLineIndicesEXT ||
	       builtin == SpvBuiltInPrimitiveTriangleIndicesEXT;
}

bool gate_mesh_is_per_primitive(uint32_t builtin)
{
	switch (builtin) {
	case SpvBuiltInPrimitiveId:
	case SpvBuiltInLayer:
	case SpvBuiltInViewportIndex:
	case SpvBuiltInCullPrimitiveEXT:
		return true;
	default:
		return gate_mesh_is_index_builtin(builtin);
	}
}

/*
 * Returns false for a per-vertex built-in that is decorated PerPrimitive. The host counts distances
 * in two ways: one for each number if they are per primitive, and one for four numbers when it
 * subtracts them from all outputs that are written.
 */
static bool primitives_have_this(const struct gate_id *var, const struct gate_id *type)
{
	if (var->builtin != GATE_NOT_SET && !gate_mesh_is_per_primitive(var->builtin))
		return !var->per_primitive;
	return type->op != SpvOpTypeStruct || !type->members_per_vertex ||
	       (!var->per_primitive && !(type->members_per_vertex & type->members_per_primitive));
}

/*
 * Checks that indices have as many components as the host reads: it does not check what was
 * written.
 */
static bool check_indices(struct gate *g, uint32_t id, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	const uint32_t n = primitive_vertices(g->mesh.topology);
	const bool fits =
		n == 1 ? type->op == SpvOpTypeInt : type->op == SpvOpTypeVector && type->b == n;

	if (!fits || gate_number_bits(g, type_id) != 32 || g->mesh.indices)
		return gate_refuse(g, "primitive indices must be one variable with elements of %u "
				   "32-bit integers", n);
	g->mesh.indices = id;
	return true;
}

uint32_t gate_mesh_output(struct gate *g, const struct gate_id *var, uint32_t id, uint32_t type_id,
			  bool begins)
{
	const struct gate_id *type = gate_id(g, type_id), *element;
	uint32_t n;

	if (g->cmd->stage != SUNDOG_STAGE_MESH || begins) {
		gate_refuse(g, "Output variables need execution model MeshEXT and no initializer; "
			    "the model is %s", gate_stage_name(g->cmd->stage));
		return 0;
	}
	element = without_arrays(g, type->a);
	n = gate_mesh_is_index_builtin(var->builtin) || is_of_primitives(var, element) ?
		    g->mesh.max_primitives : g->mesh.max_vertices;
	if (type->op != SpvOpTypeArray || !n || gate_id(g, type->b)->a != n) {
		gate_refuse(g, "an Output variable is not an array of %u elements, one per output "
			    "vertex or primitive", n);
		return 0;
	}
	if (!members_agree(element)) {
		gate_refuse(g, "an Output variable has per-vertex and PerPrimitiveEXT members");
		return 0;
	}
	if (has_inner_64_bits(g, type->a)) {
		gate_refuse(g, "an Output variable has 64-bit components in an array, a matrix or "
			    "a nested struct; only scalars, vectors and blocks of them may have "
			    "64 bits");
		return 0;
	}
	if (!primitives_have_this(var, element)) {
		gate_refuse(g, "a per-vertex built-in is decorated with PerPrimitiveEXT");
		return 0;
	}
	if (gate_mesh_is_index_builtin(var->builtin) && !check_indices(g, id, type->a))
		return 0;
	return type->a;
}

/* A location is per vertex or per primitive, because the host counts it once. */
bool gate_mesh_locations(struct gate *g, const struct gate_id *var, uint32_t type_id,
			 uint32_t locations)
{
	uint32_t *of = g->mesh.locations;

	of[is_of_primitives(var, without_arrays(g, type_id))] |= locations;
	return !(of[0] & of[1]) ||
	       gate_refuse(g, "Location %u has both per-vertex and PerPrimitiveEXT outputs",
			   (uint32_t)__builtin_ctz(of[0] & of[1]));
}

/* Payloads */

struct extent {
	uint64_t size, align;
};

static uint64_t round_up(uint64_t size, uint64_t align)
{
	return (size + align - 1) / align * align;
}

/* Returns the size and alignment that the host gives a type without explicit layout. */
static struct extent extent_of(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	struct extent part, all = { 0, 1 };

	switch (type->op) {
	case SpvOpTypeBool:
		return (struct extent){ 4, 4 };
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		return (struct extent){ type->a / 8, type->a / 8 };
	case SpvOpTypePointer:	/* a device address */
		return (struct extent){ 8, 8 };
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		part = extent_of(g, type->a);
		return (struct extent){ part.size * type->b, part.align };
	case SpvOpTypeArray:
		part = extent_of(g, type->a);
		return (struct extent){ gate_times(round_up(part.size, part.align),
						   gate_id(g, type->b)->a),
					part.align };
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members && all.size < GATE_TOO_LARGE; i++) {
			part = extent_of(g, type->members[i]);
			all.size = round_up(all.size, part.align) + part.size;
			all.align = part.align > all.align ? part.align : all.align;
		}
		return (struct extent){ round_up(all.size, all.align), all.align };
	default:
		return (struct extent){ GATE_TOO_LARGE, 1 };
	}
}

bool gate_mesh_payload(struct gate *g, uint32_t id, uint32_t type_id, uint32_t words)
{
	const struct extent extent = extent_of(g, type_id);

	if (g->mesh.payload || words > 4)
		return gate_refuse(
			g, "TaskPayloadWorkgroupEXT has more than one variable, or an initializer");
	if (!extent.size || extent.size > SUNDOG_MAX_TASK_PAYLOAD)
		return gate_refuse(g, "the task payload has %llu bytes; it must have 1 to %u",
				   (unsigned long long)extent.size, SUNDOG_MAX_TASK_PAYLOAD);
	g->mesh.payload = id;
	g->mesh.payload_bytes = extent.size;
	return true;
}

/* Instructions */

static bool is_output(struct gate *g, uint32_t pointer)
{
	return gate_id(g, gate_id(g, pointer)->type)->a == SpvStorageClassOutput;
}

/* Indices are stored one primitive at a time, or one component. */
static bool check_store(struct gate *g, uint32_t pointer, uint32_t value)
{
	const uint32_t variable = gate_id(g, pointer)->variable;
	const uint32_t op = gate_id(g, gate_id(g, value)->type)->op;

	return !variable || variable != g->mesh.indices || op == SpvOpTypeInt ||
	       op == SpvOpTypeVector ||
	       gate_refuse(g, "OpStore writes more than one element of the primitive indices");
}

/*
 * Refuses an access to a component of a vector output. The host would read the whole vector to
 * write a part, and has no code for that read: its result is not even a value.
 */
static bool check_chain(struct gate *g, const uint32_t *in)
{
	const struct gate_id *type = gate_id(g, gate_id(g, gate_id(g, in[3])->type)->b);

	if (gate_id(g, in[1])->a != SpvStorageClassOutput)
		return true;
	for (uint32_t i = 4; i < *in >> 16; i++) {
		if (type->op == SpvOpTypeVector)
			return gate_refuse(
				g,
				"OpAccessChain selects a vector component of an Output variable");
		if (type->op == SpvOpTypeStruct && gate_id(g, in[i])->a < type->n_members)
			type = gate_id(g, type->members[gate_id(g, in[i])->a]);
		else
			type = gate_id(g, type->a);
	}
	return true;
}

bool gate_mesh_access(struct gate *g, const uint32_t *in)
{
	if (g->cmd->stage != SUNDOG_STAGE_MESH)
		return true;
	switch (*in & 0xffff) {
	case SpvOpAccessChain:
		return check_chain(g, in);
	case SpvOpLoad:
		return !is_output(g, in[3]) ||
		       gate_refuse(
			       g,
			       "OpLoad from an Output variable of a mesh shader is not supported");
	case SpvOpStore:
		return check_store(g, in[1], in[2]);
	default:
		return true;
	}
}

static bool mesh_ok(struct gate *g)
{
	const struct gate_mesh *m = &g->mesh;

	if (!m->max_vertices || !m->max_primitives || !m->topology)
		return gate_refuse(
			g,
			"OutputVertices, OutputPrimitivesEXT or the output primitive is missing");
	if (m->max_vertices > SUNDOG_MAX_MESH_VERTICES ||
	    m->max_primitives > SUNDOG_MAX_MESH_PRIMITIVES)
		return gate_refuse(
			g, "OutputVertices %u, OutputPrimitivesEXT %u: the limits are %u and %u",
			m->max_vertices, m->max_primitives, SUNDOG_MAX_MESH_VERTICES,
			SUNDOG_MAX_MESH_PRIMITIVES);
	/* clamp_mesh_outputs.c adds a barrier, and the host another. */
	g->group.barriers = true;
	return true;
}

/* Returns true if an instruction of a function has the payload as an operand. */
static bool uses_payload(const struct gate *g)
{
	bool in_function = false;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		struct spirv_operands o;

		in_function |= (*in & 0xffff) == SpvOpFunction;
		gate_operands_begin(&o, in);
		for (char letter; in_function && (letter = spirv_operands_next(&o));)
			if ((letter == 'I' || gate_role(letter)) && in[o.word] == g->mesh.payload)
				return true;
	}
	return false;
}

bool gate_mesh_ok(struct gate *g)
{
	/* The host does not allocate a payload that is not in the interface of the entry point. */
	if (g->cmd->stage == SUNDOG_STAGE_TASK && g->mesh.payload &&
	    !gate_id(g, g->mesh.payload)->listed)
		g->mesh.payload_bytes = 0;
	/* The payload of another task shader, or none, does for a mesh shader that uses none. */
	if (g->cmd->stage == SUNDOG_STAGE_MESH && g->mesh.payload && !uses_payload(g))
		g->mesh.payload_bytes = 0;
	/* clamp_mesh_outputs.c adds a barrier after the zeros in shared memory. */
	if (g->cmd->stage == SUNDOG_STAGE_TASK && g->group.shared_bytes)
		g->group.barriers = true;
	return (g->cmd->stage != SUNDOG_STAGE_MESH || mesh_ok(g)) && gate_group_ok(g);
}
