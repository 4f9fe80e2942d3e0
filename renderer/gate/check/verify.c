// SPDX-License-Identifier: MIT
/*
 * The core verifier: asserts the properties of the result that the passes of the gate rely on. It
 * uses only the module, the table of instructions and what the gate reports of the module. It
 * shares no code with the passes, so it finds what a pass overlooks. A refusal by it is a defect of
 * the gate, and harmless. gate.c calls it after the passes that build the core form and at the end.
 *
 * Rules for the core form (core_form.c):
 *  1. Each instruction is in the table and in the core form.
 *  2. A pointer to a variable is only in operands for which the table has a role, and the role
 *     allows its storage class. No instruction writes a uniform block.
 *  3. A pointer to a variable is the variable, an access chain of it, or a texel pointer of either.
 *     An image is loaded from a variable.
 * 17. No value is undefined, except pointers that a pass makes: there is no other OpUndef, no
 *     undefined component of an OpVectorShuffle, no constant index past a vector, and variables of
 *     an invocation begin with zeros if they have at most 64 words and no device addresses.
 * 26. Loops, selections and functions have no hint, except DontUnroll.
 *
 * More rules for the module that the host gets:
 *  4. Each index of an access chain has at least 32 bits, and is a constant in range or clamped. In
 *     the array at the end of a block it is clamped to the length that the host returns.
 *  5. Storage buffers, images and tables of handles that are written are reported.
 *  6. Indices of primitives, numbers of vertices and primitives, and numbers of mesh work groups
 *     are clamped. A mesh shader sets all of its vertices, and no primitives without indices.
 *  7. A device address that is read or written has the base of the range, and an offset in it. The
 *     access is not larger than the guard behind the range, strides of matrices included.
 *  8. Numbers of samples and invocations are below their limits, and no shuffle is by a distance.
 *  9. Directions in cubes are clamped, and not all of a direction's components are near 0.
 * 10. A control shader reads no element of a built-in output array at an index that is not
 *     constant.
 * 11. A geometry shader emits a vertex only after a comparison with the number of ended strips, or
 *     for primitive UINT32_MAX, which no draw has.
 * 12. If indices are NonUniform, no two arrays of textures or images share an index.
 * 13. Control barriers have the scope of the work group, and are in stages with invocations that
 *     wait. The number of a vertex stream is a constant in range.
 * 14. Variables are at the bindings that the layout has in the host.
 * 15. A mesh shader writes only outputs, and task and mesh shaders access only shared memory, to
 *     which the function that they call first stores zeros (rule 23).
 * 16. A geometry shader contains an OpEmitVertex, which the host's code for it needs.
 * 18 to 22: the declarations, see verify_interface.c.
 * 23 and 24: functions that passes add, see verify_code.c.
 * 25. Operands and results of image instructions have 32 bits.
 * 27. A float that becomes an integer is clamped to floats that the integer type has.
 * 28. Vertex and tessellation shaders store zeros to Position in their first block.
 * 29. Loops have DontUnroll, except a few that contain no loop, in modules whose words and values
 *     at barriers may be multiplied by the turns that the host unrolls.
 */
#include "gate/check/verify.h"

#include <math.h>
#include <stdlib.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>
#include <vulkan/vulkan.h>

#include "gate/address_range.h"
#include "gate/check/member.h"
#include "gate/check/verify_module.h"
#include "gate/spirv_info.h"

#define MATRIX_BYTES 256u	/* at least those of a matrix or a vector without MatrixStride */
#define MAX_COLUMNS 4u			/* of a matrix, or rows */
#define TURNS 32u			/* that the host unrolls */
#define MAX_UNROLLED_LOOPS 96u
#define MAX_UNROLLED_WORDS (1u << 19)	/* of the result, which is longer than the module */
#define SUBGROUP 8u
#define MAX_SAVED (1u << 24)		/* words and values that invocations save at barriers */
#define MAX_ACCESS (1ull << 31)		/* bytes; less than the guard */
#define QUAD 4u				/* invocations of a quad, and samples */
/* Floats: 2^60, 2^-60 and 1. */
#define CUBE_LONGEST 0x5d800000u
#define CUBE_SHORTEST 0x21800000u
#define CUBE_ONE 0x3f800000u
#define MAX_ZEROS 64u			/* words of a variable that begins with zeros */
#define INVOCATION_BITS 8u		/* bits that SubgroupLocalInvocationId may have */
#define INVOCATION_MASK ((1u << INVOCATION_BITS) - 1)

static bool is_pointer(const struct verify *v, uint32_t id, uint32_t *storage_class)
{
	const uint32_t *type = type_of(v, id);

	*storage_class = op_of(type) == SpvOpTypePointer ? type[2] : 0;
	return op_of(type) == SpvOpTypePointer;
}

const uint32_t *verify_root(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	if (op_of(in) == SpvOpImage)
		in = made(v, in[3]);
	if (op_of(in) == SpvOpLoad)
		in = made(v, in[3]);
	if (op_of(in) == SpvOpImageTexelPointer)
		in = made(v, in[3]);
	if (op_of(in) == SpvOpAccessChain)
		in = made(v, in[3]);
	return op_of(in) == SpvOpVariable ? in : NULL;
}

/* Constants */

/* Returns true if an id is a constant below @n, or a vector of such constants. */
static bool constant_below(const struct verify *v, uint32_t id, uint64_t n)
{
	const uint32_t *in = made(v, id);
	uint32_t value;

	if (op_of(in) != SpvOpConstantComposite)
		return constant(v, id, &value) && value < n;
	for (uint32_t i = 3; i < *in >> 16; i++)
		if (!constant_below(v, in[i], n))
			return false;
	return true;
}

/* Returns true if a value is such a constant or clamped below @n. */
static bool is_below(const struct verify *v, uint32_t id, uint64_t n)
{
	const uint32_t *in = made(v, id);

	if (constant_below(v, id, n))
		return true;
	if (op_of(in) == SpvOpBitwiseAnd)
		return constant_below(v, in[3], n) || constant_below(v, in[4], n);
	if (op_of(in) != SpvOpExtInst)
		return false;
	if (in[4] == GLSLstd450UMin)
		return constant_below(v, in[5], n) || constant_below(v, in[6], n);
	/* The lower limit is the result if the value is below it. */
	return (in[4] == GLSLstd450UClamp || in[4] == GLSLstd450SClamp) &&
	       constant_below(v, in[6], n) && constant_below(v, in[7], n);
}

/* Returns the elements of a type that an index may select; 0: it has no length. */
static uint64_t elements(const struct verify *v, const uint32_t *type)
{
	uint32_t length;

	switch (op_of(type)) {
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		return type[3];
	case SpvOpTypeArray:
		return constant(v, type[3], &length) && length ? length : 1;
	default:
		return 0;
	}
}

/* 1 to 3: pointers */

static bool is_uniform_block(const struct verify *v, const uint32_t *variable)
{
	const uint32_t *type = made(v, made(v, variable[1])[3]);

	while (op_of(type) == SpvOpTypeArray || op_of(type) == SpvOpTypeRuntimeArray)
		type = made(v, type[2]);
	return !v->buffer_block[type[1]];
}

static bool check_made_pointer(const struct verify *v, const uint32_t *in, const uint32_t *base)
{
	switch (op_of(in)) {
	case SpvOpVariable:
		return true;
	case SpvOpAccessChain:
		return op_of(base) == SpvOpVariable;
	case SpvOpImageTexelPointer:
		return op_of(base) == SpvOpVariable || (op_of(base) == SpvOpAccessChain &&
							op_of(made(v, base[3])) == SpvOpVariable);
	default:
		return false;
	}
}

/* Returns true if a type is an image, a sampler, or an array of these. */
static bool is_image(const struct verify *v, uint32_t id)
{
	const uint32_t *type = made(v, id);

	while (op_of(type) == SpvOpTypeArray || op_of(type) == SpvOpTypeRuntimeArray)
		type = made(v, type[2]);
	return op_of(type) == SpvOpTypeImage || op_of(type) == SpvOpTypeSampler ||
	       op_of(type) == SpvOpTypeSampledImage;
}

/* An OpLoad may load one image, not a whole array. */
static bool check_made_image(const struct verify *v, const uint32_t *in)
{
	const uint32_t *variable = verify_root(v, in[2]);

	switch (op_of(in)) {
	case SpvOpLoad:
		return op_of(made(v, in[1])) != SpvOpTypeArray && variable &&
		       variable[3] == SpvStorageClassUniformConstant;
	case SpvOpSampledImage:
	case SpvOpImage:
		return true;
	default:
		return false;
	}
}

/* 5: writes are reported */

static bool is_reported(const struct verify *v, const uint32_t *variable, bool atomic)
{
	const struct gate *g = v->g;
	const uint32_t id = variable[2], class = variable[3], binding = v->binding[id];
	const struct gate_id *came = gate_id(v->g, id);

	if (class == SpvStorageClassStorageBuffer || class == SpvStorageClassUniform)
		return g->ssbo_writes;
	if (class != SpvStorageClassUniformConstant)
		return true;
	for (uint32_t i = 0; g->layout && i < g->n_descriptors; i++)
		if (g->descriptors[i].set == came->set &&
		    g->descriptors[i].binding == came->binding)
			return !atomic || g->descriptors[i].atomic;
	if (g->layout)
		return false;
	if (v->set[id] == SUNDOG_HANDLE_SET)
		return g->writes_handles;
	if (binding - SUNDOG_BINDING_IMAGE0 < SUNDOG_MAX_IMAGES)
		return (g->images_written & (atomic ? g->images_atomic : UINT32_MAX)) >>
			       (binding - SUNDOG_BINDING_IMAGE0) &
		       1;
	if (binding - SUNDOG_BINDING_STORAGE_TEXELS0 < SUNDOG_MAX_IMAGES)
		return (g->storage_texels_written &
			(atomic ? g->storage_texels_atomic : UINT32_MAX)) >>
			       (binding - SUNDOG_BINDING_STORAGE_TEXELS0) &
		       1;
	return false;
}

/* 7: device addresses */

/*
 * Returns true if a pointer is BASE | (x & MASK), or the first member of a wrapper struct at such
 * an address.
 */
static bool is_masked_address(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id), *number, *masked;
	uint32_t zero;

	if (op_of(in) == SpvOpAccessChain) {
		const uint32_t *wrapper = made(v, type_of(v, in[3])[3]);

		if (op_of(wrapper) != SpvOpTypeStruct || *wrapper >> 16 != 3 ||
		    v->moved[wrapper[1]] || *in >> 16 > 6)
			return false;
		for (uint32_t i = 4; i < *in >> 16; i++)
			if (!constant(v, in[i], &zero) || zero)
				return false;
		in = made(v, in[3]);
	}
	if (op_of(in) != SpvOpConvertUToPtr)
		return false;
	number = made(v, in[3]);
	if (op_of(number) != SpvOpBitwiseOr)
		return false;
	masked = made(v, number[3]);
	in = made(v, number[4]);
	if (op_of(masked) != SpvOpBitwiseAnd || op_of(in) != SpvOpConstant || *in >> 16 != 5 ||
	    ((uint64_t)in[4] << 32 | in[3]) != MAPPING_DEVICE)
		return false;
	in = made(v, masked[4]);
	return op_of(in) == SpvOpConstant && *in >> 16 == 5 &&
	       ((uint64_t)in[4] << 32 | in[3]) < 1ull << SUNDOG_ADDRESS_BITS;
}

/*
 * Returns the bytes from the begin of a type to its end in a buffer; MAPPING_GUARD if it is larger
 * or has no layout.
 */
static uint64_t reach_of(struct verify *v, const uint32_t *type)
{
	uint64_t reach = MAPPING_GUARD, *known = &v->reach[type[1]];
	const struct gate_member *offset, *stride;

	if (*known)
		return *known;
	switch (op_of(type)) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		reach = type[2] / 8;
		break;
	case SpvOpTypePointer:
		reach = sizeof(uint64_t);
		break;
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		reach = MATRIX_BYTES;
		break;
	case SpvOpTypeArray:
		reach = reach_of(v, made(v, type[2]));
		if (v->ids[type[1]].array_stride > reach)
			reach = v->ids[type[1]].array_stride;
		reach = gate_times(reach, elements(v, type));
		break;
	case SpvOpTypeStruct:
		reach = 0;
		for (uint32_t i = 0; i + 2 < spirv_words(type); i++) {
			uint64_t part = reach_of(v, made(v, type[2 + i]));

			offset = gate_member_find(v->g, type[1], i, SpvDecorationOffset);
			stride = gate_member_find(v->g, type[1], i, SpvDecorationMatrixStride);
			part += stride ? MAX_COLUMNS * (uint64_t)stride->value : 0;
			reach = gate_larger(reach, offset ? offset->value + part : MAPPING_GUARD);
		}
	}
	*known = reach < MAPPING_GUARD ? reach : MAPPING_GUARD;
	return *known;
}

static bool check_address(struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	if (!is_masked_address(v, id))
		return gate_refuse(v->g, "the device address is not masked into the range");
	/* A wrapper has the stride of its matrix. */
	if (op_of(in) == SpvOpAccessChain)
		id = in[3];
	return reach_of(v, made(v, type_of(v, id)[3])) <= MAX_ACCESS ||
	       gate_refuse(v->g, "the access at a device address is larger than the guard");
}

/* 8 to 11 */

static bool check_number(const struct verify *v, uint32_t id, const struct gate_role *role)
{
	const uint64_t n = role->sample ? QUAD : v->g->caps->subgroup_size;

	return (!role->sample && !role->invocation) || is_below(v, id, n ? n : 1) ||
	       gate_refuse(v->g, "the %s number is not clamped below %llu", role->name,
			   (unsigned long long)(n ? n : 1));
}

static bool is_cube(const struct verify *v, uint32_t sampled_image)
{
	const uint32_t *type = type_of(v, sampled_image);

	return op_of(type) == SpvOpTypeSampledImage && made(v, type[2])[3] == SpvDimCube;
}

/* Returns true if an id is a constant with these bits, or a vector of such constants. */
static bool has_bits(const struct verify *v, uint32_t id, uint32_t bits)
{
	const uint32_t *in = made(v, id);

	if (op_of(in) == SpvOpConstant)
		return *in >> 16 == 4 && in[3] == bits;
	if (op_of(in) != SpvOpConstantComposite)
		return false;
	for (uint32_t i = 3; i < *in >> 16; i++)
		if (!has_bits(v, in[i], bits))
			return false;
	return true;
}

static bool is_part(const struct verify *v, uint32_t id, uint32_t vector, uint32_t number)
{
	const uint32_t *in = made(v, id);

	return op_of(in) == SpvOpCompositeExtract && *in >> 16 == 5 && in[3] == vector &&
	       in[4] == number;
}

/* Returns true if an id is max(|z|, max(|x|, |y|)) of a vector. */
static bool is_largest_part(const struct verify *v, uint32_t id, uint32_t vector)
{
	const uint32_t *in = made(v, id), *rest, *absolute;

	if (!is_extended(in, GLSLstd450FMax))
		return false;
	rest = made(v, in[6]);
	absolute = made(v, made(v, in[5])[3]);
	return is_extended(rest, GLSLstd450FMax) && is_extended(absolute, GLSLstd450FAbs) &&
	       absolute[5] == vector && is_part(v, in[5], absolute[2], 2) &&
	       is_part(v, rest[5], absolute[2], 0) && is_part(v, rest[6], absolute[2], 1);
}

/*
 * Looks for the code of clamp_cube_directions.c: each component is at most 2^60, and the third
 * component is 1 if all three are less than 2^-60.
 */
static bool check_direction(const struct verify *v, const uint32_t *in)
{
	const uint32_t *direction = made(v, in[4]), *third, *clamped, *is_short;

	if (!is_cube(v, in[3]))
		return true;
	if (op_of(direction) == SpvOpCompositeInsert && *direction >> 16 == 6 &&
	    direction[5] == 2) {
		third = made(v, direction[3]);
		clamped = made(v, direction[4]);
		is_short = made(v, op_of(third) == SpvOpSelect ? third[3] : 0);
		if (op_of(is_short) == SpvOpFOrdLessThan &&
		    is_largest_part(v, is_short[3], direction[4]) &&
		    has_bits(v, is_short[4], CUBE_SHORTEST) && has_bits(v, third[4], CUBE_ONE) &&
		    is_part(v, third[5], direction[4], 2) &&
		    is_extended(clamped, GLSLstd450NClamp) &&
		    has_bits(v, clamped[6], CUBE_LONGEST | 1u << 31) &&
		    has_bits(v, clamped[7], CUBE_LONGEST))
			return true;
	}
	return gate_refuse(v->g, "the direction into a cube image is not clamped");
}

/* Returns the type that an index selects in a type. */
static const uint32_t *inside(const struct verify *v, const uint32_t *type, uint32_t index)
{
	uint32_t member;

	if (op_of(type) != SpvOpTypeStruct)
		return made(v, type[2]);
	return constant(v, index, &member) && member < (*type >> 16) - 2 ?
		       made(v, type[2 + member]) : verify_nothing;
}

/* The first index of PointSize, a variable of its own, is the vertex. */
static bool check_read_output(const struct verify *v, const uint32_t *in)
{
	const uint32_t *chain = made(v, in[3]), *variable = verify_root(v, in[3]), *type, *part;
	bool builtin, vertex;
	uint32_t value;

	if (op_of(chain) != SpvOpAccessChain || !variable || variable[3] != SpvStorageClassOutput)
		return true;
	type = made(v, made(v, variable[1])[3]);
	builtin = v->builtin[variable[2]];
	vertex = v->ids[variable[2]].has & HAS_BUILTIN &&
		 v->ids[variable[2]].builtin == SpvBuiltInPointSize;
	for (uint32_t i = 4; i < *chain >> 16; i++) {
		builtin |= op_of(type) == SpvOpTypeStruct && v->builtin[type[1]];
		part = inside(v, type, chain[i]);
		if (builtin && !(vertex && i == 4) && op_of(type) == SpvOpTypeArray &&
		    op_of(part) == SpvOpTypeFloat && !constant(v, chain[i], &value))
			return gate_refuse(v->g, "OpLoad of an element of a built-in array at an "
					   "index that is not constant");
		type = part;
	}
	return true;
}

/*
 * Vertex streams have only points, and these need no limit of strips. The host uses the number of a
 * stream as an index.
 */
static bool check_stream(const struct verify *v, const uint32_t *in)
{
	return (v->g->geometry.strip_vertices == 1 &&
		constant_below(v, in[1], SUNDOG_MAX_STREAMS)) ||
	       gate_refuse(v->g, "a vertex stream without OutputPoints, or its number is not a "
			   "constant below %u", SUNDOG_MAX_STREAMS);
}

/* Returns true if an id is the number of the primitive. The host counts them from 0. */
static bool is_primitive_id(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id);

	return op_of(in) == SpvOpLoad && in[3] < v->n_ids &&
	       op_of(made(v, in[3])) == SpvOpVariable &&
	       made(v, in[3])[3] == SpvStorageClassInput && v->ids[in[3]].has & HAS_BUILTIN &&
	       v->ids[in[3]].builtin == SpvBuiltInPrimitiveId;
}

/*
 * OpEmitVertex must be the first instruction of a block that a condition guards: in a function of
 * the gate's, a comparison of a loaded number with a limit; anywhere, a comparison of the number of
 * the primitive with UINT32_MAX, which no primitive has.
 */
static bool check_emit(const struct verify *v)
{
	const uint32_t *label = v->before[0], *branch = v->before[1], *condition;
	uint32_t value;

	if (op_of(label) == SpvOpLabel && op_of(branch) == SpvOpBranchConditional &&
	    branch[2] == label[1]) {
		condition = made(v, branch[1]);
		if (op_of(condition) == SpvOpULessThan && v->function != v->g->entry &&
		    op_of(made(v, condition[3])) == SpvOpLoad &&
		    constant_below(v, condition[4], v->g->geometry.max_vertices + 1ull))
			return true;
		if (op_of(condition) == SpvOpIEqual && constant(v, condition[4], &value) &&
		    value == UINT32_MAX && is_primitive_id(v, condition[3]))
			return true;
	}
	return gate_refuse(v->g,
			   "OpEmitVertex without a comparison with the number of ended strips");
}

/* 12 to 16 */

/*
 * Looks for index ^ (SubgroupLocalInvocationId & mask), where mask has none of the bits of the
 * number. Each array has a mask of its own.
 */
static bool is_of_array(struct verify *v, uint32_t index, uint32_t array)
{
	const uint32_t *in = made(v, index), *zero;
	uint32_t mask;

	if (op_of(in) == SpvOpExtInst)
		in = made(v, in[5]);
	zero = made(v, in[op_of(in) == SpvOpBitwiseXor ? 4 : 0]);
	if (op_of(zero) != SpvOpBitwiseAnd || op_of(made(v, zero[3])) != SpvOpLoad ||
	    !v->invocation || made(v, zero[3])[3] != v->invocation ||
	    !constant(v, zero[4], &mask) || mask & INVOCATION_MASK)
		return false;
	mask >>= INVOCATION_BITS;
	if (!mask || mask >= v->n_ids || (v->arrays[mask] && v->arrays[mask] != array))
		return false;
	v->arrays[mask] = array;
	return true;
}

static bool check_element(struct verify *v, const uint32_t *in)
{
	const uint32_t *variable = made(v, in[3]);
	uint32_t value;

	if (!v->non_uniform || op_of(variable) != SpvOpVariable ||
	    variable[3] != SpvStorageClassUniformConstant || *in >> 16 < 5 ||
	    constant(v, in[4], &value))
		return true;
	v->shares |= !is_of_array(v, in[4], variable[2]);
	if (v->shares && v->array && v->array != variable[2])
		return gate_refuse(v->g, "a NonUniform index is shared by two arrays of images");
	v->array = variable[2];
	return true;
}

static bool check_barrier(const struct verify *v, const uint32_t *in)
{
	const uint32_t stage = v->g->cmd->stage;

	return ((stage == SUNDOG_STAGE_COMPUTE || stage == SUNDOG_STAGE_TESS_CTRL ||
		 stage == SUNDOG_STAGE_TASK || stage == SUNDOG_STAGE_MESH) &&
		is_constant(v, in[1], SpvScopeWorkgroup)) ||
	       gate_refuse(v->g, "the execution scope of OpControlBarrier is not Workgroup, or "
			   "the stage has none");
}

static bool is_dynamic(uint32_t type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

/* The host has bindings without gaps, and those with dynamic offsets in a set of their own. */
static bool check_binding(const struct verify *v, const uint32_t *variable)
{
	const struct gate_layout *layout = v->g->layout;
	const struct gate_id *came = gate_id(v->g, variable[2]);
	uint32_t n_dynamic = 0;

	if (!layout || came->set == GATE_NOT_SET || came->binding == GATE_NOT_SET)
		return true;
	for (uint32_t s = 0; s < layout->n_sets; s++)
		for (uint32_t i = 0; i < layout->sets[s].n_bindings; i++) {
			const bool dynamic =
				layout->dynamic_set && is_dynamic(layout->sets[s].bindings[i].type);

			if (s == came->set && layout->sets[s].bindings[i].binding == came->binding)
				return (v->set[variable[2]] ==
						(dynamic ? layout->dynamic_set : s) &&
					v->binding[variable[2]] == (dynamic ? n_dynamic : i)) ||
				       gate_refuse(v->g, "DescriptorSet or Binding of a variable "
						   "is not the host's");
			n_dynamic += dynamic;
		}
	return gate_refuse(v->g, "the pipeline layout has no binding %u in set %u", came->binding,
			   came->set);
}

/*
 * Outputs of a mesh shader are written only by the first function, or after that function has
 * stored zeros to them.
 */
static bool check_output(const struct verify *v, const uint32_t *in)
{
	const uint32_t *variable = verify_root(v, in[1]);

	return v->g->cmd->stage != SUNDOG_STAGE_MESH || v->at_begin || !variable ||
	       variable[3] != SpvStorageClassOutput || verify_is_zeroed(v, made(v, in[1])) ||
	       gate_refuse(v->g,
			   "OpStore to an Output variable that the first function does not zero");
}

/* The same for shared memory, all of which is zeroed. The host does not do it in these stages. */
static bool check_shared(struct verify *v, const uint32_t *variable)
{
	const uint32_t stage = v->g->cmd->stage, id = variable[2];

	if ((stage != SUNDOG_STAGE_TASK && stage != SUNDOG_STAGE_MESH) || v->at_begin ||
	    variable[3] != SpvStorageClassWorkgroup)
		return true;
	if (!v->zeroed[id])
		v->zeroed[id] = verify_is_zeroed(v, variable);
	return v->zeroed[id] ||
	       gate_refuse(v->g, "Workgroup variable %u is not zeroed by the first function", id);
}

/* Checks an operand that has a role: a pointer, an image, or a number. */
static bool check_role(struct verify *v, const uint32_t *in, uint32_t id,
		       const struct gate_role *role)
{
	struct gate *g = v->g;
	const uint32_t *variable = verify_root(v, id);
	uint32_t class;

	if (v->host && (!check_number(v, id, role) || (role->direction && !check_direction(v, in))))
		return false;
	if (is_pointer(v, id, &class)) {
		if (class == SpvStorageClassPhysicalStorageBuffer && role->passes)
			return true;
		if (!(role->classes & gate_class_bit(class)) || role->passes)
			return gate_refuse(g,
					   "an operand of role %s is a pointer of storage class %s",
					   role->name, gate_class_name(class));
		if (class == SpvStorageClassPhysicalStorageBuffer)
			return !v->host || !(role->reads || role->writes) || check_address(v, id);
		if (!variable)
			return gate_refuse(g,
					   "an operand of role %s is a pointer without a variable",
					   role->name);
		if (role->writes && class == SpvStorageClassUniform &&
		    is_uniform_block(v, variable))
			return gate_refuse(g, "a Uniform block without BufferBlock is written");
	}
	if (v->host && variable && !check_shared(v, variable))
		return false;
	if (!v->host || !role->writes)
		return true;
	if (!variable && op_of(in) == SpvOpImageWrite)
		return gate_refuse(g,
				   "OpImageWrite to an image that is not loaded from a variable");
	return !variable || is_reported(v, variable, role->atomic) ||
	       gate_refuse(g, "the write to variable %u is not reported", variable[2]);
}

static bool check_operands(struct verify *v, const uint32_t *in)
{
	struct spirv_operands o;
	uint32_t class;

	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));) {
		const struct gate_role *role = gate_role(letter);

		if (role && !check_role(v, in, in[o.word], role))
			return false;
		if (letter == 'I' && is_pointer(v, in[o.word], &class) &&
		    class != SpvStorageClassPhysicalStorageBuffer)
			return gate_refuse(
				v->g, "an operand without a role is a pointer of storage class %s",
				gate_class_name(class));
	}
	return o.word >= *in >> 16 ||
	       gate_refuse(v->g, "word %u of the instruction is not in the instruction table",
			   o.word);
}

/* 4: indices */

/* Returns true if an id is a constant whose sign bit is clear. */
static bool is_positive(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id), words = *in >> 16;

	return op_of(in) == SpvOpConstant && words <= 5 && in[words - 1] <= INT32_MAX;
}

/*
 * Returns true if a value is the length of an array in the block @variable, plus or minus one or
 * itself: SPIRV-Tools writes the length minus one, restore_oob.c changes that to the others.
 */
static bool is_near_length(const struct verify *v, uint32_t id, const uint32_t *variable)
{
	const uint32_t *in = made(v, id), *length;

	switch (op_of(in)) {
	case SpvOpIAdd:
	case SpvOpISub:
		if (!is_constant(v, in[4], 1))
			return false;
		break;
	case SpvOpBitwiseOr:
		if (in[4] != in[3])
			return false;
		break;
	default:
		return false;
	}
	length = made(v, in[3]);
	if (op_of(length) == SpvOpUConvert)
		length = made(v, length[3]);
	return op_of(length) == SpvOpArrayLength && verify_root(v, length[3]) == variable;
}

/*
 * Returns true if the index of an array without a length was clamped to the length that the host
 * returns, or one more (restore_oob.c), or is a constant. The host compares the access with the
 * size of the buffer.
 */
static bool is_clamped(const struct verify *v, uint32_t id, const uint32_t *variable)
{
	const uint32_t *in = made(v, id), *most;
	uint32_t value;

	if (!is_extended(in, GLSLstd450UClamp))
		return false;
	if (in[7] == in[5])
		return constant(v, in[5], &value);
	most = made(v, in[7]);
	return is_extended(most, GLSLstd450UMin) &&
	       ((is_positive(v, most[5]) && is_near_length(v, most[6], variable)) ||
		(is_positive(v, most[6]) && is_near_length(v, most[5], variable)));
}

static bool check_indices(const struct verify *v, const uint32_t *in)
{
	const uint32_t *type = made(v, type_of(v, in[3])[3]);
	bool in_block = false;
	uint32_t member;

	for (uint32_t i = 4; i < *in >> 16; i++) {
		const uint32_t *index = type_of(v, in[i]);
		const uint64_t n = elements(v, type);

		/* The host extends narrow indices as signed numbers. */
		if (op_of(index) != SpvOpTypeInt || index[2] < 32)
			return gate_refuse(
				v->g,
				"index %u of OpAccessChain is not an integer of at least 32 bits",
				i - 4);
		if (op_of(type) == SpvOpTypeStruct) {
			if (!constant(v, in[i], &member) || member >= (*type >> 16) - 2)
				return gate_refuse(
					v->g, "index %u of OpAccessChain is not a member number",
					i - 4);
			type = made(v, type[2 + member]);
			in_block = true;
			continue;
		}
		/* The host has no length of an array of descriptors. */
		if (n ? !is_below(v, in[i], n) :
			!in_block || !is_clamped(v, in[i], made(v, in[3])))
			return gate_refuse(v->g, "index %u of OpAccessChain is not clamped", i - 4);
		type = made(v, type[2]);
		in_block = false;
	}
	return true;
}

/* 6: meshes */

static bool check_index_store(const struct verify *v, const uint32_t *in)
{
	const uint32_t *variable = verify_root(v, in[1]);

	return !variable || variable[2] != v->g->mesh.indices ||
	       is_below(v, in[2], v->g->mesh.max_vertices) ||
	       gate_refuse(v->g, "a primitive index is not clamped below OutputVertices");
}

/*
 * The number of vertices is the declared one, so that each index names a vertex. That of primitives
 * is at most the declared one, times 0 or 1, and 0 if the shader writes no indices: the host would
 * take another output for them.
 */
static bool check_outputs(const struct verify *v, const uint32_t *in)
{
	const uint32_t *indices = made(v, v->g->mesh.indices);
	const bool has_indices =
		op_of(indices) == SpvOpVariable && verify_is_zeroed(v, indices);
	const uint64_t primitives = has_indices ? v->g->mesh.max_primitives + 1ull : 1;
	const uint32_t *product = made(v, in[2]);

	if (!is_constant(v, in[1], v->g->mesh.max_vertices))
		return gate_refuse(
			v->g,
			"the vertex count of OpSetMeshOutputsEXT is not OutputVertices");
	return constant_below(v, in[2], primitives) ||
	       (op_of(product) == SpvOpIMul && is_below(v, product[3], primitives) &&
		is_below(v, product[4], 2)) ||
	       gate_refuse(v->g, "the primitive count of OpSetMeshOutputsEXT is not clamped to "
			   "OutputPrimitivesEXT");
}

/* Returns true if a value is the number @x, or the product of @x and @y unless that is 0. */
static bool is_product(const struct verify *v, uint32_t id, uint32_t x, uint32_t y)
{
	const uint32_t *in = made(v, id);

	return y ? op_of(in) == SpvOpIMul && in[3] == x && in[4] == y : id == x;
}

/*
 * Returns true if a number of groups is UMin(n, TOTAL / UMax(others, 1)), where n is clamped and
 * others is the product of the numbers before it: @x, and @y unless that is 0.
 */
static bool is_beside(const struct verify *v, uint32_t id, uint32_t x, uint32_t y)
{
	const uint32_t *in = made(v, id), *quotient, *divisor;

	if (!is_extended(in, GLSLstd450UMin) ||
	    !is_below(v, in[5], SUNDOG_MAX_MESH_GROUPS + 1ull))
		return false;
	quotient = made(v, in[6]);
	if (op_of(quotient) != SpvOpUDiv ||
	    !constant_below(v, quotient[3], SUNDOG_MAX_MESH_TOTAL_GROUPS + 1ull))
		return false;
	divisor = made(v, quotient[4]);
	return is_extended(divisor, GLSLstd450UMax) &&
	       is_product(v, divisor[5], x, y) && is_constant(v, divisor[6], 1);
}

static bool check_groups(const struct verify *v, const uint32_t *in)
{
	return (is_below(v, in[1], SUNDOG_MAX_MESH_GROUPS + 1ull) &&
		is_beside(v, in[2], in[1], 0) && is_beside(v, in[3], in[1], in[2])) ||
	       gate_refuse(v->g, "a group count of OpEmitMeshTasksEXT is not clamped");
}

/* 25: numbers of images */

/*
 * Returns true if a type is no number, vector of numbers or structure of them, or these have 32
 * bits.
 */
static bool has_32_bits(const struct verify *v, const uint32_t *type)
{
	if (op_of(type) == SpvOpTypeStruct) {
		for (uint32_t i = 2; i < *type >> 16; i++)
			if (!has_32_bits(v, made(v, type[i])))
				return false;
		return true;
	}
	while (op_of(type) == SpvOpTypeVector || op_of(type) == SpvOpTypeArray)
		type = made(v, type[2]);
	return (op_of(type) != SpvOpTypeInt && op_of(type) != SpvOpTypeFloat) || type[2] == 32;
}

static bool check_image_numbers(const struct verify *v, const uint32_t *in)
{
	const uint32_t op = op_of(in);
	struct spirv_operands o;

	if ((op < SpvOpImageSampleImplicitLod || op > SpvOpImageQuerySamples) &&
	    (op < SpvOpImageSparseSampleImplicitLod || op > SpvOpImageSparseTexelsResident) &&
	    op != SpvOpImageSparseRead && op != SpvOpImageTexelPointer)
		return true;
	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));)
		if ((letter == 'T' && !has_32_bits(v, made(v, in[o.word]))) ||
		    ((letter == 'I' || gate_role(letter)) &&
		     !has_32_bits(v, type_of(v, in[o.word]))))
			return gate_refuse(
				v->g, "word %u of an image instruction is not of 32 bits", o.word);
	return true;
}

/* 26: hints */

static bool check_hints(const struct verify *v, const uint32_t *in)
{
	uint32_t hints;

	switch (op_of(in)) {
	case SpvOpSelectionMerge:
		hints = in[2];
		break;
	case SpvOpLoopMerge:
		hints = in[3] & ~(uint32_t)SpvLoopControlDontUnrollMask;
		break;
	case SpvOpFunction:
		hints = in[3];
		break;
	default:
		return true;
	}
	return !hints ||
	       gate_refuse(v->g, "%s has the hints %#x", gate_op_name(op_of(in)), hints);
}

/* 29: loops that may be unrolled */

/* Returns true if an id is a label in the words from @first to @end. */
static bool is_label_in(const struct verify *v, uint32_t id, size_t first, size_t end)
{
	return v->at[id] >= first && v->at[id] < end;
}

/*
 * Returns true if all blocks of the loop with the OpLoopMerge at @at are behind its header and
 * before its merge block, and none of them begins a loop.
 */
static bool has_no_loop(const struct verify *v, size_t at)
{
	const uint32_t *code = v->g->code;
	const size_t end = made(v, code[at + 1]) - code;
	const size_t header = v->label;

	if (op_of(made(v, code[at + 1])) != SpvOpLabel || end <= at)
		return false;
	for (size_t word = header; word < end; word += spirv_words(code + word)) {
		const uint32_t *in = code + word;

		if (word != at && op_of(in) == SpvOpLoopMerge)
			return false;
		for (uint32_t i = 1; gate_ends_block(op_of(in)) && i < spirv_words(in); i++)
			if (in[i] != code[at + 1] && op_of(made(v, in[i])) == SpvOpLabel &&
			    !is_label_in(v, in[i], header, end))
				return false;
	}
	return true;
}

static bool check_unrolled(struct verify *v, const uint32_t *in)
{
	const struct gate_group *group = &v->g->group;
	const uint64_t saved = (group->invocations + SUBGROUP - 1) / SUBGROUP * v->g->cost;

	if (op_of(in) == SpvOpLabel)
		v->label = in - v->g->code;
	if (op_of(in) != SpvOpLoopMerge || in[3])
		return true;
	return (++v->unrolled <= MAX_UNROLLED_LOOPS && v->g->words <= MAX_UNROLLED_WORDS &&
		(!group->barriers || saved * TURNS <= MAX_SAVED) &&
		has_no_loop(v, in - v->g->code)) ||
	       gate_refuse(v->g, "a loop may be unrolled and contains another one, or the module "
			   "is too large");
}

/* 27: floats that become integers */

/*
 * Stores the value of a constant float. Returns false for another id, infinities and NaN.
 */
static bool float_value(const struct verify *v, uint32_t id, double *value)
{
	const uint32_t *in = made(v, id), *type = type_of(v, id);
	uint32_t bits, exponent_bits, exponent;
	uint64_t word, fraction;

	if (op_of(in) != SpvOpConstant || op_of(type) != SpvOpTypeFloat)
		return false;
	bits = type[2];
	exponent_bits = bits == 16 ? 5 : bits == 32 ? 8 : 11;
	word = in[3] | (bits == 64 ? (uint64_t)in[4] << 32 : 0);
	fraction = word & ((1ull << (bits - 1 - exponent_bits)) - 1);
	exponent = word >> (bits - 1 - exponent_bits) & ((1u << exponent_bits) - 1);
	if (exponent == (1u << exponent_bits) - 1)
		return false;
	/* Limits are whole numbers, so those below 1 are 0. */
	*value = !exponent ? 0 :
			     ldexp(1 + ldexp((double)fraction, -(int)(bits - 1 - exponent_bits)),
				   (int)exponent - (1 << (exponent_bits - 1)) + 1);
	if (word >> (bits - 1) & 1)
		*value = -*value;
	return exponent || !fraction;
}

/* Returns true if a constant, or each component of it, is from @low to below @end. */
static bool is_within(const struct verify *v, uint32_t id, double low, double end)
{
	const uint32_t *in = made(v, id);
	double value;

	if (op_of(in) != SpvOpConstantComposite)
		return float_value(v, id, &value) && value >= low && value < end;
	for (uint32_t i = 3; i < spirv_words(in); i++)
		if (!is_within(v, in[i], low, end))
			return false;
	return spirv_words(in) > 3;
}

static bool check_conversion(const struct verify *v, const uint32_t *in)
{
	const bool is_signed = op_of(in) == SpvOpConvertFToS;
	const uint32_t *clamped, *type;
	double end;

	if (op_of(in) != SpvOpConvertFToU && !is_signed)
		return true;
	clamped = made(v, in[3]);
	type = made(v, in[1]);
	if (op_of(type) == SpvOpTypeVector)
		type = made(v, type[2]);
	end = ldexp(1, (int)type[2] - is_signed);
	return (is_extended(clamped, GLSLstd450NClamp) &&
		is_within(v, clamped[6], is_signed ? -end : 0, end) &&
		is_within(v, clamped[7], is_signed ? -end : 0, end)) ||
	       gate_refuse(v->g, "the operand of %s is not clamped", gate_op_name(op_of(in)));
}

/* 28: positions */

static bool needs_position(const struct verify *v)
{
	const uint32_t stage = v->g->cmd->stage;

	return stage == SUNDOG_STAGE_VERTEX || stage == SUNDOG_STAGE_TESS_CTRL ||
	       stage == SUNDOG_STAGE_TESS_EVAL;
}

/*
 * Returns true if an index into @array is InvocationId, which may be clamped to the elements of the
 * array; of one vertex, 0.
 */
static bool is_own_vertex(const struct verify *v, const uint32_t *array, uint32_t index)
{
	const uint32_t *in = made(v, index);
	const uint32_t last = length_of(v, array) - 1;

	if (!last)
		return true;
	if (is_extended(in, GLSLstd450UMin) && !is_constant(v, in[6], last))
		return false;
	if ((is_extended(in, GLSLstd450UClamp) || is_extended(in, GLSLstd450SClamp)) &&
	    (!is_constant(v, in[6], 0) || !is_constant(v, in[7], last)))
		return false;
	if (is_extended(in, GLSLstd450UMin) || is_extended(in, GLSLstd450UClamp) ||
	    is_extended(in, GLSLstd450SClamp))
		in = made(v, in[5]);
	return op_of(in) == SpvOpLoad && in[3] < v->n_ids &&
	       op_of(made(v, in[3])) == SpvOpVariable && v->ids[in[3]].has & HAS_BUILTIN &&
	       v->ids[in[3]].builtin == SpvBuiltInInvocationId;
}

/* Returns true if a pointer leads to Position; in a control shader, to that of the own vertex. */
static bool is_position(const struct verify *v, uint32_t id)
{
	const uint32_t *in = made(v, id), *variable = verify_root(v, id), *type;
	const struct gate_member *builtin;
	uint32_t at = 4, member;

	if (!variable || variable[3] != SpvStorageClassOutput)
		return false;
	type = made(v, made(v, variable[1])[3]);
	if (v->g->cmd->stage == SUNDOG_STAGE_TESS_CTRL) {
		if (op_of(in) != SpvOpAccessChain || op_of(type) != SpvOpTypeArray ||
		    spirv_words(in) < 5 || !is_own_vertex(v, type, in[at++]))
			return false;
		type = made(v, type[2]);
	}
	if (op_of(type) != SpvOpTypeStruct)
		return (op_of(in) == SpvOpVariable || at == spirv_words(in)) &&
		       v->ids[variable[2]].has & HAS_BUILTIN &&
		       v->ids[variable[2]].builtin == SpvBuiltInPosition;
	if (op_of(in) != SpvOpAccessChain || at + 1 != spirv_words(in) ||
	    !constant(v, in[at], &member))
		return false;
	builtin = gate_member_find(v->g, type[1], member, SpvDecorationBuiltIn);
	return builtin && builtin->value == SpvBuiltInPosition;
}

/* Follows the first block of the entry point, and notes a store of zeros to Position there. */
static void look_for_position(struct verify *v, const uint32_t *in)
{
	const uint32_t op = op_of(in);

	if (op == SpvOpFunction)
		v->first_block = in[2] == v->g->entry;
	else if (op == SpvOpStore && v->first_block)
		v->position |= op_of(made(v, in[2])) == SpvOpConstantNull && is_position(v, in[1]);
	else if (gate_ends_block(op))
		v->first_block = false;
}

/* The module */

/* Returns true if a type contains a pointer. */
static bool has_pointers(const struct verify *v, uint32_t type)
{
	const uint32_t *in = made(v, type);

	switch (op_of(in)) {
	case SpvOpTypePointer:
		return true;
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
		return has_pointers(v, in[2]);
	case SpvOpTypeStruct:
		for (uint32_t i = 2; i < *in >> 16; i++)
			if (has_pointers(v, in[i]))
				return true;
		return false;
	default:
		return false;
	}
}

/* Returns the 32-bit words of a type, at most MAX_ZEROS + 1. */
static uint32_t words_of(const struct verify *v, const uint32_t *type)
{
	uint64_t words = 1;

	switch (op_of(type)) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		return type[2] > 32 ? 2 : 1;
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		words = words_of(v, made(v, type[2])) * (uint64_t)type[3];
		break;
	case SpvOpTypeArray:
		words = words_of(v, made(v, type[2])) * elements(v, type);
		break;
	case SpvOpTypeStruct:
		words = 0;
		for (uint32_t i = 2; i < spirv_words(type) && words <= MAX_ZEROS; i++)
			words += words_of(v, made(v, type[i]));
	}
	return words > MAX_ZEROS ? MAX_ZEROS + 1 : (uint32_t)words;
}

/* 17: undefined values */
static bool check_defined(const struct verify *v, const uint32_t *in)
{
	struct spirv_operands o;
	uint32_t index, value;

	switch (op_of(in)) {
	case SpvOpUndef:
		return has_pointers(v, in[1]) ||
		       gate_refuse(v->g, "OpUndef of a type without pointers");
	case SpvOpVariable:
		return (in[3] != SpvStorageClassFunction && in[3] != SpvStorageClassPrivate) ||
		       spirv_words(in) > 4 || has_pointers(v, made(v, in[1])[3]) ||
		       words_of(v, pointee_of(v, in)) > MAX_ZEROS ||
		       gate_refuse(v->g, "variable %u begins undefined", in[2]);
	case SpvOpVectorShuffle:
		gate_operands_begin(&o, in);
		for (char letter; (letter = spirv_operands_next(&o));)
			if (letter == 'L' && in[o.word] == UINT32_MAX)
				return gate_refuse(v->g, "an undefined component");
		return true;
	case SpvOpVectorExtractDynamic:
	case SpvOpVectorInsertDynamic:
		index = in[op_of(in) == SpvOpVectorExtractDynamic ? 4 : 5];
		return !constant(v, index, &value) || value < elements(v, type_of(v, in[3])) ||
		       gate_refuse(v->g, "component %u of a vector", value);
	default:
		return true;
	}
}

static bool check(struct verify *v, const uint32_t *in)
{
	const uint32_t op = op_of(in);
	const struct gate_instruction *instruction = gate_instruction(op), *extended = NULL;
	uint32_t class;

	if (op == SpvOpExtInst)
		extended = gate_extended(in[4]);
	if (!instruction || !instruction->core ||
	    (op == SpvOpExtInst && (!extended || !extended->core)))
		return gate_refuse(v->g, "%s is not in the core form",
				   extended ? extended->name : gate_op_name(op));
	v->in_function |= op == SpvOpFunction;
	if (op == SpvOpFunction)
		v->function = in[2];
	if (op == SpvOpFunction)
		v->at_begin = v->begin && in[2] == v->begin;
	v->emits |= op == SpvOpEmitVertex;
	if (!check_defined(v, in) || !check_hints(v, in))
		return false;
	if (!v->in_function)
		return op != SpvOpVariable || !v->host || check_binding(v, in);
	if (spirv_has_type(op) && is_pointer(v, in[2], &class) &&
	    class != SpvStorageClassPhysicalStorageBuffer &&
	    !check_made_pointer(v, in, made(v, in[3])))
		return gate_refuse(v->g,
				   "%s makes a pointer of storage class %s without a variable",
				   gate_op_name(op), gate_class_name(class));
	if (!check_operands(v, in))
		return false;
	if (!v->host)
		return true;
	if (spirv_has_type(op) && is_image(v, in[1]) && !check_made_image(v, in))
		return gate_refuse(v->g, "an image or sampler is not loaded from a variable");
	if (!check_image_numbers(v, in) || !check_conversion(v, in))
		return false;
	look_for_position(v, in);
	if (!check_unrolled(v, in))
		return false;
	switch (op) {
	case SpvOpAccessChain:
		return check_indices(v, in) && check_element(v, in);
	case SpvOpControlBarrier:
		return check_barrier(v, in);
	case SpvOpGroupNonUniformShuffleUp:
	case SpvOpGroupNonUniformShuffleDown:
		return gate_refuse(v->g, "%s is not lowered to OpGroupNonUniformRotateKHR",
				   gate_op_name(op));
	case SpvOpLoad:
		return v->g->cmd->stage != SUNDOG_STAGE_TESS_CTRL || check_read_output(v, in);
	case SpvOpEmitVertex:
		return check_emit(v);
	case SpvOpEmitStreamVertex:
	case SpvOpEndStreamPrimitive:
		return check_stream(v, in);
	case SpvOpStore:
		return check_index_store(v, in) && check_output(v, in);
	case SpvOpSetMeshOutputsEXT:
		return check_outputs(v, in);
	case SpvOpEmitMeshTasksEXT:
		return check_groups(v, in);
	default:
		return true;
	}
}

static void look_at_decoration(struct verify *v, const uint32_t *in)
{
	struct verify_id *id = &v->ids[in[1]];
	const uint32_t value = spirv_words(in) > 3 ? in[3] : 0;

	switch (in[2]) {
	case SpvDecorationDescriptorSet:
		v->set[in[1]] = value;
		id->has |= HAS_SET;
		break;
	case SpvDecorationBinding:
		v->binding[in[1]] = value;
		id->has |= HAS_BINDING;
		break;
	case SpvDecorationLocation:
		id->location = value;
		id->has |= HAS_LOCATION;
		break;
	case SpvDecorationComponent:
		id->component = value;
		break;
	case SpvDecorationIndex:
		id->index = value;
		id->has |= HAS_INDEX;
		break;
	case SpvDecorationBuiltIn:
		id->builtin = value;
		id->has |= HAS_BUILTIN;
		v->builtin[in[1]] = true;
		if (value == SpvBuiltInSubgroupLocalInvocationId)
			v->invocation = in[1];
		break;
	case SpvDecorationOffset:
		id->offset = value;
		id->has |= HAS_OFFSET;
		break;
	case SpvDecorationStream:
		id->stream = value;
		id->has |= HAS_STREAM;
		break;
	case SpvDecorationXfbBuffer:
		id->xfb_buffer = value;
		id->has |= HAS_XFB_BUFFER;
		break;
	case SpvDecorationXfbStride:
		id->xfb_stride = value;
		id->has |= HAS_XFB_STRIDE;
		break;
	case SpvDecorationArrayStride:
		id->array_stride = value;
		break;
	case SpvDecorationPatch:
		id->has |= HAS_PATCH;
		break;
	case SpvDecorationPerPrimitiveEXT:
		id->has |= HAS_PER_PRIMITIVE;
		break;
	case SpvDecorationBlock:
		id->has |= HAS_BLOCK;
		break;
	case SpvDecorationBufferBlock:
		v->buffer_block[in[1]] = true;
		break;
	case SpvDecorationNonUniform:
		v->non_uniform = true;
	}
}

static void look_at_member(struct verify *v, const uint32_t *in)
{
	struct verify_id *id = &v->ids[in[1]];

	switch (in[3]) {
	case SpvDecorationOffset:
		v->moved[in[1]] |= !in[2] && in[4];
		break;
	case SpvDecorationBuiltIn:
		v->builtin[in[1]] = true;
		break;
	case SpvDecorationLocation:
	case SpvDecorationComponent:
		id->has |= HAS_MEMBER_PLACES;
		break;
	case SpvDecorationPatch:
		id->has |= HAS_PATCH_MEMBERS;
		break;
	case SpvDecorationPerPrimitiveEXT:
		id->has |= HAS_PER_PRIMITIVE_MEMBERS;
	}
}

/* The interface of the entry point is the list of ids at its end. */
static void look_at_entry_point(struct verify *v, const uint32_t *in)
{
	struct spirv_operands o;

	gate_operands_begin(&o, in);
	for (char letter; (letter = spirv_operands_next(&o));)
		if (letter == 'I' && in[o.word] < v->n_ids)
			v->ids[in[o.word]].has |= HAS_LISTED;
}

static void look(struct verify *v)
{
	const struct gate *g = v->g;

	for (size_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, id = spirv_result(in);

		if (id && id < v->n_ids)
			v->at[id] = at;
		if (op_of(in) == SpvOpEntryPoint)
			look_at_entry_point(v, in);
		if (op_of(in) == SpvOpDecorate && in[1] < v->n_ids)
			look_at_decoration(v, in);
		if (op_of(in) == SpvOpMemberDecorate && in[1] < v->n_ids)
			look_at_member(v, in);
	}
}

bool gate_verify(struct gate *g, bool host)
{
	struct verify v = { .g = g,
			    .host = host,
			    .n_ids = g->code[3],
			    .before = { verify_nothing, verify_nothing } };
	bool ok;

	v.at = calloc(v.n_ids, sizeof(*v.at));
	v.buffer_block = calloc(v.n_ids, sizeof(*v.buffer_block));
	v.moved = calloc(v.n_ids, sizeof(*v.moved));
	v.arrays = calloc(v.n_ids, sizeof(*v.arrays));
	v.zeroed = calloc(v.n_ids, sizeof(*v.zeroed));
	v.builtin = calloc(v.n_ids, sizeof(*v.builtin));
	v.binding = calloc(v.n_ids, sizeof(*v.binding));
	v.set = calloc(v.n_ids, sizeof(*v.set));
	v.ids = calloc(v.n_ids, sizeof(*v.ids));
	v.reach = calloc(v.n_ids, sizeof(*v.reach));
	ok = (v.at && v.buffer_block && v.moved && v.arrays && v.zeroed && v.builtin && v.binding &&
	      v.set && v.ids && v.reach) ||
	     gate_refuse(g, "out of memory");
	if (ok)
		look(&v);
	if (ok && host)
		ok = gate_list_members(g) && verify_interface(&v) && verify_code(&v);
	for (size_t at = 5; ok && at < g->words; at += g->code[at] >> 16) {
		ok = check(&v, gate_look(g, at));
		v.before[1] = v.before[0];
		v.before[0] = g->code + at;
	}
	if (ok && host && needs_position(&v) && !v.position)
		ok = gate_refuse(g, "no store of zeros to Position in the first block");
	if (ok && host && g->cmd->stage == SUNDOG_STAGE_GEOMETRY && !v.emits)
		ok = gate_refuse(g, "a geometry shader without OpEmitVertex");
	free(v.at);
	free(v.buffer_block);
	free(v.moved);
	free(v.arrays);
	free(v.zeroed);
	free(v.builtin);
	free(v.binding);
	free(v.set);
	free(v.ids);
	free(v.zeros);
	free(v.reach);
	return ok;
}
