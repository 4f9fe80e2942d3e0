// SPDX-License-Identifier: MIT
/*
 * Pass "scan" of the gate, see gate.h. The module may be anything: operands may be missing, and ids
 * may be used before they are defined. spirv-val finds that later. This pass refuses modules that
 * would cost the validator or the host driver too much, and enumerants that they accept but the
 * gate does not support.
 */
#include "gate/check/scan.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/check/allow.h"
#include "gate/spirv_info.h"
#include "gate/table.h"

#define MAX_TYPE_NODES 4096u
/* Uniform blocks of 64 KiB for all slots have nearly as many. */
#define MAX_TYPE_PARTS (1u << 18)
#define MAX_TYPE_DEPTH 16u
#define MAX_WALKED 17u			/* elements of an array, see below */
#define TOO_MANY_PARTS (MAX_EXPANDED + 1)
#define MAX_CALL_DEPTH 256u
#define MAX_BLOCKS 64u			/* in an array that may be a value */
#define MAX_EXPANDED (1u << 20)		/* words and parts of values, calls expanded */
#define MAX_SUM (1ull << 40)		/* at which sums over calls saturate */
/* Of all functions: the optimizer expands the calls of each. */
#define MAX_ALL_EXPANDED (16u * MAX_EXPANDED)
#define MAX_ENTRY_WORDS (1u << 14)
#define MAX_LABELS (1u << 15)		/* the validator takes time for each pair of labels */
#define MAX_FUNCTIONS 4096u		/* and of functions */
#define CLAMP_COST 9u			/* words of the code that clamps an index */
#define EMIT_COST 256u			/* the host's code stores all outputs of four vertices */
#define ACCESS_COST 32u	/* the host accesses shared memory once for each invocation */

/*
 * Types share their parts, so a few words can describe a tree of any size, even one of empty
 * structs. Nodes are the types that a walk over a type meets, with arrays counted once. Parts are
 * the composites, vectors and scalars in a value, with arrays counted by their length. The
 * validator walks over the first 16 bytes of an array, so over 17 elements at most.
 *
 * A type may have too many parts if it has no values: in a storage buffer, of which shaders read an
 * element at a time.
 */

static uint32_t at_least_one(uint32_t n)
{
	return n ? n : 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The sums over a composite type. */
struct container {
	uint64_t nodes, parts, walk;
	uint32_t depth;
};

/* Adds @length elements of a type. Cannot overflow: below 2^16 times 2^32 times MAX_TYPE_PARTS. */
static void add_element(struct gate *g, uint32_t element, uint32_t length, struct container *c)
{
	const struct gate_id *type = gate_id(g, element);

	c->nodes += at_least_one(type->nodes);
	c->parts += (uint64_t)length * at_least_one(type->parts);
	c->walk += least(length, MAX_WALKED) * at_least_one(type->walk);
	if (c->depth < type->depth + 1)
		c->depth = type->depth + 1;
}

/*
 * Returns true if the elements of an array are bound buffers: no value may have so many, see
 * makes_buffers().
 */
static bool are_buffers(struct gate *g, uint32_t type_id, uint32_t length)
{
	const struct gate_id *type = gate_id(g, type_id);

	return g->layout && type->op == SpvOpTypeStruct && (type->block || type->buffer_block) &&
	       length > MAX_BLOCKS;
}

/*
 * Returns true if an array is of descriptors, which are only variables: see gate_handle_load() and
 * is_opaque() for images.
 */
static bool are_descriptors(struct gate *g, uint32_t type_id, uint32_t length)
{
	const uint32_t op = gate_id(g, type_id)->op;

	return op == SpvOpTypeImage || op == SpvOpTypeSampler || op == SpvOpTypeSampledImage ||
	       are_buffers(g, type_id, length);
}

/*
 * A computed length counts as 1 here. Its value is known when the module is scanned again after
 * gate_fold_spec_constants().
 */
static bool is_length(const struct gate_id *id)
{
	return id->op == SpvOpConstant || id->op == SpvOpSpecConstant ||
	       id->op == SpvOpSpecConstantOp;
}

static bool scan_container(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	struct container c = { .nodes = 1, .parts = 1, .walk = 1, .depth = 1 };
	struct gate_id *type = gate_id(g, in[1]);
	const struct gate_id *length;

	if (op == SpvOpTypeStruct) {
		type->members = in + 2;
		type->n_members = words - 2;
		for (uint32_t i = 2; i < words; i++)
			add_element(g, in[i], 1, &c);
	} else if (op == SpvOpTypeArray && words > 3) {
		length = gate_id(g, in[3]);
		if (!is_length(length))
			return gate_refuse(g, "the length of OpTypeArray is not a constant");
		add_element(g, in[2], are_descriptors(g, in[2], length->a) ? 1 : length->a, &c);
	} else if (op == SpvOpTypeRuntimeArray && words > 2) {
		add_element(g, in[2], 1, &c);
	} else if (words > 3) {
		add_element(g, in[2], in[3], &c);
	}
	if (c.nodes > MAX_TYPE_NODES)
		return gate_refuse(
			g, "a type has more than %u nested types, with one element of each array",
			MAX_TYPE_NODES);
	if (c.walk > MAX_TYPE_PARTS)
		return gate_refuse(g, "a type has more than %u nested types, with up to %u "
				   "elements of each array", MAX_TYPE_PARTS, MAX_WALKED);
	if (c.depth > MAX_TYPE_DEPTH)
		return gate_refuse(g, "a type has more than %u levels", MAX_TYPE_DEPTH);
	type->nodes = c.nodes;
	type->parts = c.parts > MAX_TYPE_PARTS ? TOO_MANY_PARTS : c.parts;
	type->walk = c.walk;
	type->depth = c.depth;
	return true;
}

static bool has_too_many_parts(struct gate *g, uint32_t type_id)
{
	return gate_id(g, type_id)->parts > MAX_TYPE_PARTS;
}

/* A type with too many parts for a value may only be in a buffer. */
static bool pointee_ok(struct gate *g, uint32_t class, uint32_t type_id)
{
	return !has_too_many_parts(g, type_id) || class == SpvStorageClassStorageBuffer ||
	       class == SpvStorageClassUniform || class == SpvStorageClassPhysicalStorageBuffer ||
	       gate_refuse(
		       g,
		       "a pointer of storage class %s leads to a type of more than %u constituents",
		       gate_class_name(class), MAX_TYPE_PARTS);
}

/* Returns true if a variable of class Uniform is a storage buffer, as before SPIR-V 1.3. */
static bool is_old_buffer(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	return type->buffer_block ||
	       (type->op == SpvOpTypeArray && gate_id(g, type->a)->buffer_block);
}

/* Instructions */

static bool scan_decoration(struct gate *g, uint32_t decoration, bool has_value, uint32_t value)
{
	if (!gate_decoration_allowed(g, decoration))
		return gate_refuse(g, "decoration %s (%u) is not supported",
				   gate_decoration_name(decoration), decoration);
	g->buffer_blocks |= decoration == SpvDecorationBufferBlock;
	g->non_uniform |= decoration == SpvDecorationNonUniform;
	if (decoration == SpvDecorationBuiltIn && has_value && !gate_builtin_allowed(value))
		return gate_refuse(g, "built-in %s (%u) is not supported", gate_builtin_name(value),
				   value);
	return true;
}

static bool name_is(const uint32_t *in, uint32_t words, const char *name)
{
	const size_t size = strlen(name) + 1;

	return words == (size + 3) / 4 && !memcmp(in, name, size);
}

/* The name may lack its terminator and have any characters; gate_refuse() replaces these. */
static bool refuse_name(struct gate *g, const char *what, const uint32_t *in, uint32_t words)
{
	return gate_refuse(g, "%s %.*s is not supported", what, (int)(4 * words), (const char *)in);
}

/*
 * Instructions and capabilities of an extension have allow-lists of their own. NV's derivatives
 * have the numbers of KHR's.
 */
static bool extension_allowed(const uint32_t *in, uint32_t words)
{
	static const char *const names[] = {
		"SPV_EXT_demote_to_helper_invocation",
		"SPV_EXT_descriptor_indexing",
		"SPV_EXT_mesh_shader",
		"SPV_EXT_physical_storage_buffer",
		"SPV_EXT_shader_atomic_float16_add",
		"SPV_EXT_shader_atomic_float_add",
		"SPV_EXT_shader_atomic_float_min_max",
		"SPV_EXT_shader_stencil_export",
		"SPV_EXT_shader_viewport_index_layer",
		"SPV_KHR_16bit_storage",
		"SPV_KHR_8bit_storage",
		"SPV_KHR_compute_shader_derivatives",
		"SPV_KHR_device_group",
		"SPV_KHR_float_controls",
		"SPV_KHR_float_controls2",
		"SPV_KHR_integer_dot_product",
		"SPV_KHR_maximal_reconvergence",
		"SPV_KHR_multiview",
		"SPV_KHR_physical_storage_buffer",
		"SPV_KHR_post_depth_coverage",
		"SPV_KHR_shader_ballot",
		"SPV_KHR_shader_clock",
		"SPV_KHR_shader_draw_parameters",
		"SPV_KHR_storage_buffer_storage_class",
		"SPV_KHR_subgroup_rotate",
		"SPV_KHR_subgroup_vote",
		"SPV_KHR_terminate_invocation",
		"SPV_KHR_variable_pointers",
		"SPV_KHR_vulkan_memory_model",
		"SPV_NV_compute_shader_derivatives",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (name_is(in, words, names[i]))
			return true;
	return false;
}

static bool width_allowed(const struct gate *g, uint32_t op, uint32_t width)
{
	switch (width) {
	case 8:
		return op == SpvOpTypeInt && (g->caps->features & SUNDOG_FEATURE_SMALL_NUMBERS);
	case 16:
		return g->caps->features & SUNDOG_FEATURE_SMALL_NUMBERS;
	case 32:
		return true;
	case 64:
		return g->caps->features &
		       (op == SpvOpTypeInt ? SUNDOG_FEATURE_INT64 : SUNDOG_FEATURE_FLOAT64);
	default:
		return false;
	}
}

/* Returns true if the operands of an execution mode are ids. */
static bool has_ids(uint32_t mode)
{
	return mode == SpvExecutionModeLocalSizeId || mode == SpvExecutionModeFPFastMathDefault;
}

/* Checks one instruction and records its properties. */
static bool scan_instruction(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	struct gate_id *id = words > 1 ? gate_id(g, in[1]) : NULL;
	const uint32_t a = words > 2 ? in[2] : 0, b = words > 3 ? in[3] : 0;

	switch (op) {
	case SpvOpCapability:
		g->pointers |= words > 1 && (in[1] == SpvCapabilityVariablePointers ||
					     in[1] == SpvCapabilityVariablePointersStorageBuffer);
		return words < 2 || gate_capability_allowed(g, in[1]) ||
		       gate_refuse(g, "capability %s (%u) is not supported",
				   gate_capability_name(in[1]), in[1]);
	case SpvOpExtension:
		return extension_allowed(in + 1, words - 1) ||
		       refuse_name(g, "extension", in + 1, words - 1);
	case SpvOpExtInstImport:
		return words < 3 || name_is(in + 2, words - 2, "GLSL.std.450") ||
		       refuse_name(g, "extended instruction set", in + 2, words - 2);
	case SpvOpExecutionMode:
	case SpvOpExecutionModeId:
		return (gate_mode_allowed(g, a) && (op == SpvOpExecutionModeId) == has_ids(a)) ||
		       gate_refuse(g, "execution mode %s (%u) is not supported", gate_mode_name(a),
				   a);
	case SpvOpDecorate:
		if (id) {
			id->block |= a == SpvDecorationBlock;
			id->buffer_block |= a == SpvDecorationBufferBlock;
		}
		return scan_decoration(g, a, words > 3, b);
	case SpvOpMemberDecorate:
		return scan_decoration(g, b, words > 4, words > 4 ? in[4] : 0);
	case SpvOpEntryPoint:
		/* Calls are expanded from one entry point, and inlined into all. */
		if (g->entry)
			return gate_refuse(g, "more than one OpEntryPoint");
		/* Passes append to its interface, and an instruction has at most 65,535 words. */
		if (words > MAX_ENTRY_WORDS)
			return gate_refuse(g, "OpEntryPoint has %u words, the limit is %u", words,
					   MAX_ENTRY_WORDS);
		g->entry = a;
		return true;
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		if (!width_allowed(g, op, a))
			return gate_refuse(g, "%s of %u bits is not supported", gate_op_name(op),
					   a);
		break;
	case SpvOpTypeMatrix:
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
	case SpvOpTypeStruct:
		if (id && !scan_container(g, in, op, words))
			return false;
		break;
	case SpvOpSpecConstantTrue:
	case SpvOpSpecConstantFalse:
	case SpvOpSpecConstantComposite:
		g->flatten = true;
		return true;
	case SpvOpSpecConstantOp:
		g->flatten = true;
		id = gate_id(g, a);
		id->op = op;
		id->a = 1;
		return gate_instruction(b) ||
		       gate_refuse(g, "OpSpecConstantOp with %s (opcode %u) is not supported",
				   gate_op_name(b), b);
	case SpvOpSpecConstant:
		g->flatten = true;
		/* fall through */
	case SpvOpConstant:
		id = gate_id(g, a);
		id->op = op;
		/* Values saturate, since no limit is above 2^32. */
		id->a = words > 4 && in[4] ? UINT32_MAX : b;
		return true;
	case SpvOpConstantNull:
		gate_id(g, a)->op = op;
		return true;
	case SpvOpConstantComposite:
		id = gate_id(g, a);
		id->op = op;
		id->members = in + 3;
		id->n_members = words > 3 ? words - 3 : 0;
		return true;
	case SpvOpFunctionCall:
		g->flatten = true;
		return true;
	case SpvOpTypePointer:
		if (!pointee_ok(g, a, b))
			return false;
		break;
	case SpvOpTypeBool:
	case SpvOpTypeVector:
	case SpvOpTypeImage:
	case SpvOpTypeSampler:
	case SpvOpTypeSampledImage:
		break;
	default:
		return true;
	}
	/* Instructions that get here define a type. */
	if (id) {
		id->op = op;
		id->a = a;
		id->b = b;
	}
	return true;
}

/*
 * Returns the cost of a value. Before share_variables.c only the validator and the optimizer read
 * the module, which walk over types. After it, the host splits each value into its parts: variables
 * for constants are gone then, of which programs store a whole table each time that they read an
 * element.
 */
static uint32_t parts_of(struct gate *g, uint32_t type)
{
	return at_least_one(g->shared ? gate_id(g, type)->parts : gate_id(g, type)->walk);
}

/*
 * A storage buffer with too many parts costs 1: it is one variable, and has no value. An array of
 * uniform blocks with too many parts costs one of them.
 */
static uint64_t variable_cost(struct gate *g, const struct gate_id *pointer)
{
	const struct gate_id *type = gate_id(g, pointer->b);
	const bool uniform = pointer->a == SpvStorageClassUniform;

	if (!has_too_many_parts(g, pointer->b))
		return parts_of(g, pointer->b);
	if (uniform && !is_old_buffer(g, pointer->b))
		return parts_of(g, type->op == SpvOpTypeArray ? type->a : pointer->b);
	return 1;
}

/*
 * Returns the cost of an instruction for its readers: its words, and the parts of the value that it
 * makes or stores.
 */
static uint64_t cost_of(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	uint64_t cost = words;

	if (spirv_has_type(op) && words > 2) {
		gate_id(g, in[2])->type = in[1];
		cost += parts_of(g, in[1]);
	}
	if (op == SpvOpStore && words > 2)
		cost += parts_of(g, gate_id(g, in[2])->type);
	if (op == SpvOpVariable && words > 3)
		cost += variable_cost(g, gate_id(g, in[1]));
	return cost;
}

/* Returns true if a pointer leads to memory that invocations share. */
static bool is_shared(struct gate *g, uint32_t pointer)
{
	const uint32_t class = gate_id(g, gate_id(g, pointer)->type)->a;

	return class == SpvStorageClassStorageBuffer || class == SpvStorageClassWorkgroup ||
	       class == SpvStorageClassPhysicalStorageBuffer ||
	       class == SpvStorageClassTaskPayloadWorkgroupEXT ||
	       (class == SpvStorageClassOutput && g->cmd->stage == SUNDOG_STAGE_MESH) ||
	       (class == SpvStorageClassUniform && g->buffer_blocks);
}

/*
 * Returns the words that clamp the indices which are not constant. core_form.c repeats the indices
 * of a chain that is the base of another.
 */
static uint64_t chain_cost(struct gate *g, const uint32_t *in)
{
	uint64_t cost = 0;

	for (uint32_t i = 4; i < *in >> 16; i++)
		cost += gate_id(g, in[i])->op == SpvOpConstant ? 0 : CLAMP_COST;
	return cost;
}

/* Returns true if an instruction accesses an image, or the host has code for each invocation. */
static bool is_long(uint32_t op)
{
	switch (op) {
	case SpvOpImageTexelPointer:
	case SpvOpImageRead:
	case SpvOpImageSparseRead:
	case SpvOpImageWrite:
	case SpvOpSDot:
	case SpvOpUDot:
	case SpvOpSUDot:
	case SpvOpSDotAccSat:
	case SpvOpUDotAccSat:
	case SpvOpSUDotAccSat:
		return true;
	default:
		return false;
	}
}

/*
 * Returns the cost beyond the words: the host's code for these instructions is longer than they
 * are.
 */
static uint64_t access_cost(struct gate *g, const uint32_t *in, uint32_t op)
{
	uint32_t written, read;
	uint64_t cost = 0;

	if (op == SpvOpEmitVertex || op == SpvOpEmitStreamVertex)
		return EMIT_COST;
	if (op == SpvOpAccessChain)
		return chain_cost(g, in);
	if (gate_atomic(in) || is_long(op))
		return ACCESS_COST;
	if ((op >= SpvOpGroupNonUniformElect && op <= SpvOpGroupNonUniformQuadSwap) ||
	    op == SpvOpGroupNonUniformRotateKHR)
		return *in >> 16 > 1 ? ACCESS_COST * (uint64_t)parts_of(g, in[1]) : 0;
	written = gate_written(in);
	read = gate_read(in);
	if (written && is_shared(g, in[written]))
		cost += ACCESS_COST * (uint64_t)parts_of(g, gate_pointee(g, in[written]));
	if (read && is_shared(g, in[read]))
		cost += ACCESS_COST * (uint64_t)parts_of(g, gate_pointee(g, in[read]));
	return cost;
}

/* Returns true if the result of an instruction is an array of buffers. */
static bool makes_buffers(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	const struct gate_id *type;

	if (!spirv_has_type(op) || words < 3)
		return false;
	type = gate_id(g, in[1]);
	return type->op == SpvOpTypeArray && are_buffers(g, type->a, gate_id(g, type->b)->a);
}

static bool too_large(struct gate *g)
{
	return gate_refuse(g, "more than %u words and value constituents, with calls inlined",
			   MAX_EXPANDED);
}

/* Computes the cost of function @f with all its calls. Saturates. */
static bool expand(struct gate *g, uint32_t f, unsigned int depth)
{
	struct gate_id *function = gate_id(g, f);
	uint64_t expanded = 1;

	if (function->expanded || !function->body)
		return true;
	if (depth > MAX_CALL_DEPTH)
		return gate_refuse(g, "calls are nested more than %u levels deep, or recursive",
				   MAX_CALL_DEPTH);
	for (uint32_t at = function->body, op; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), words = *in >> 16;

		op = *in & 0xffff;
		if (op == SpvOpFunctionEnd || (op == SpvOpFunction && at != function->body))
			break;
		expanded += cost_of(g, in, op, words) + access_cost(g, in, op);
		if (op == SpvOpFunctionCall && words > 3) {
			if (!expand(g, in[3], depth + 1))
				return false;
			expanded = least(MAX_SUM, expanded + gate_id(g, in[3])->expanded);
		}
	}
	function->expanded = expanded;
	g->all_expanded = least(MAX_SUM, g->all_expanded + expanded);
	return true;
}

bool gate_scan_calls(struct gate *g)
{
	g->at = 0;
	if (gate_id(g, g->entry)->expanded > MAX_EXPANDED)
		return too_large(g);
	return g->all_expanded <= MAX_ALL_EXPANDED ||
	       gate_refuse(g, "more than %u words and value constituents of all functions, with "
			   "calls inlined", MAX_ALL_EXPANDED);
}

/* Returns true if an instruction may take memory of each invocation of the host. */
static bool is_live(const uint32_t *in, uint32_t words, bool in_function)
{
	return in_function || (spirv_op(in) == SpvOpVariable && words > 3 &&
			       in[3] == SpvStorageClassPrivate);
}

bool gate_scan(struct gate *g)
{
	uint32_t labels = 0, functions = 0;
	uint64_t cost = 0, access = 0, live = 0;

	g->flatten = g->pointers = g->buffer_blocks = g->non_uniform = false;
	g->entry = 0;
	g->all_expanded = 0;
	for (uint32_t at = 5, words; at < g->words; at += words) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff;
		uint64_t one;

		words = *in >> 16;
		if (!words || words > g->words - at)
			return gate_refuse(g, "the word count of the instruction at word %u is 0 "
					   "or exceeds the module", at);
		if (!gate_instruction(op))
			return gate_refuse(g, "%s (opcode %u) is not supported", gate_op_name(op),
					   op);
		if (!scan_instruction(g, in, op, words))
			return false;
		if (makes_buffers(g, in, op, words))
			return gate_refuse(g, "the result is an array of more than %u blocks",
					   MAX_BLOCKS);
		if (op == SpvOpFunction && words > 2)
			gate_id(g, in[2])->body = at;
		labels += op == SpvOpLabel;
		functions += op == SpvOpFunction;
		if (labels > MAX_LABELS || functions > MAX_FUNCTIONS)
			return gate_refuse(g, "more than %u OpLabel or %u OpFunction", MAX_LABELS,
					   MAX_FUNCTIONS);
		one = cost_of(g, in, op, words);
		cost += one;
		live += is_live(in, words, functions) ? one : 0;
		access += access_cost(g, in, op);
		if (cost + access > MAX_EXPANDED)
			return too_large(g);
	}
	/* The core form has one function, see core_form.c. */
	g->flatten |= functions > 1;
	g->cost = live;
	if (g->flatten && g->flat)
		return gate_refuse(g, "calls or specialization constants remain after inlining");
	return expand(g, g->entry, 0);
}
