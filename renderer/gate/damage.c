// SPDX-License-Identifier: MIT
/*
 * Damage to the module that the gate's passes leave, see mutants.h: each kind breaks one property
 * that the verifier asserts of declarations (verify_interface.c) or of functions that passes add
 * (verify_code.c). The module need not stay valid, because only the verifier reads it afterwards.
 */
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/module.h"
#include "gate/mutants.h"
#include "gate/table.h"

#define MANY 4096u			/* above each limit of locations, modes and lengths */

static uint32_t *find(struct gate *g, uint32_t id)
{
	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->owned + at))
		if (spirv_result(g->owned + at) == id)
			return g->owned + at;
	return NULL;
}

static uint32_t *find_op(struct gate *g, uint32_t id, uint32_t op)
{
	uint32_t *in = find(g, id);

	return in && spirv_op(in) == op ? in : NULL;
}

static void cut(struct gate *g, uint32_t *in)
{
	const size_t words = spirv_words(in), at = (size_t)(in - g->owned);

	memmove(in, in + words, (g->words - at - words) * sizeof(*in));
	g->words -= words;
}

/* Returns the type of the variable @in. */
static uint32_t *pointee(struct gate *g, const uint32_t *in)
{
	const uint32_t *pointer = find(g, in[1]);

	return pointer ? find(g, pointer[3]) : NULL;
}

static bool is_variable(const uint32_t *in, uint32_t class)
{
	return spirv_op(in) == SpvOpVariable && in[3] == class;
}

static bool is_descriptor(const uint32_t *in)
{
	return is_variable(in, SpvStorageClassUniformConstant) ||
	       is_variable(in, SpvStorageClassUniform) ||
	       is_variable(in, SpvStorageClassStorageBuffer);
}

static bool is_decoration(const uint32_t *in, uint32_t decoration)
{
	return spirv_op(in) == SpvOpDecorate && in[2] == decoration;
}

static bool is_mode(const uint32_t *in, uint32_t mode)
{
	return spirv_op(in) == SpvOpExecutionMode && in[2] == mode;
}

/* Returns the decoration of an id; NULL: none. */
static uint32_t *decoration_of(struct gate *g, uint32_t id, uint32_t decoration)
{
	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->owned + at))
		if (is_decoration(g->owned + at, decoration) && g->owned[at + 1] == id)
			return g->owned + at;
	return NULL;
}

/* Makes an array type longer. */
static bool lengthen(struct gate *g, const uint32_t *type)
{
	uint32_t *length = type && spirv_op(type) == SpvOpTypeArray ?
				   find_op(g, type[3], SpvOpConstant) : NULL;

	if (length)
		length[3] += MANY;
	return length;
}

/* Declarations. These return true if they damage the instruction. */

static bool other_set(struct gate *g, uint32_t *in)
{
	if (g->layout || !is_decoration(in, SpvDecorationDescriptorSet))
		return false;
	in[3]++;
	return true;
}

static bool other_binding(struct gate *g, uint32_t *in)
{
	(void)g;
	if (!is_decoration(in, SpvDecorationBinding))
		return false;
	in[3] += MANY;
	return true;
}

static bool more_descriptors(struct gate *g, uint32_t *in)
{
	return is_descriptor(in) && lengthen(g, pointee(g, in));
}

static bool other_descriptor(struct gate *g, uint32_t *in)
{
	uint32_t *type = is_variable(in, SpvStorageClassUniformConstant) ? pointee(g, in) : NULL;

	if (type && spirv_op(type) == SpvOpTypeArray)
		type = find(g, type[2]);
	if (!type || spirv_op(type) != SpvOpTypeImage)
		return false;
	type[7] = 3 - type[7];
	return true;
}

static bool other_dimension(struct gate *g, uint32_t *in)
{
	(void)g;
	if (spirv_op(in) != SpvOpTypeImage || in[3] != SpvDim2D || in[5] || in[6])
		return false;
	in[3] = SpvDim1D;
	return true;
}

static bool other_texels(struct gate *g, uint32_t *in)
{
	uint32_t *texel = spirv_op(in) == SpvOpTypeImage ? find_op(g, in[2], SpvOpTypeInt) : NULL;

	if (texel)
		texel[3] = !texel[3];
	return texel;
}

static bool other_block(struct gate *g, uint32_t *in)
{
	uint32_t *block = is_variable(in, SpvStorageClassUniform) ? pointee(g, in) : NULL;

	if (block && spirv_op(block) == SpvOpTypeArray)
		block = find(g, block[2]);
	block = block ? decoration_of(g, block[1], SpvDecorationBlock) : NULL;
	if (block)
		block[2] = SpvDecorationBufferBlock;
	return block;
}

static bool far_push_constant(struct gate *g, uint32_t *in)
{
	const uint32_t *block = is_variable(in, SpvStorageClassPushConstant) ? pointee(g, in) :
									       NULL;

	for (size_t at = SPIRV_HEADER_WORDS; block && at < g->words;
	     at += spirv_words(g->owned + at)) {
		uint32_t *member = g->owned + at;

		if (spirv_op(member) != SpvOpMemberDecorate || member[1] != block[1] ||
		    member[3] != SpvDecorationOffset)
			continue;
		member[4] = g->cmd->push_size;
		return true;
	}
	return false;
}

static bool far_location(struct gate *g, uint32_t *in)
{
	(void)g;
	if (!is_decoration(in, SpvDecorationLocation))
		return false;
	in[3] += 32;
	return true;
}

/* Only in the stages that have them around their variables. */
static bool more_vertices(struct gate *g, uint32_t *in)
{
	const uint32_t stage = g->cmd->stage;

	return ((is_variable(in, SpvStorageClassInput) &&
		 (stage == SUNDOG_STAGE_GEOMETRY || stage == SUNDOG_STAGE_TESS_CTRL ||
		  stage == SUNDOG_STAGE_TESS_EVAL)) ||
		(is_variable(in, SpvStorageClassOutput) &&
		 (stage == SUNDOG_STAGE_TESS_CTRL || stage == SUNDOG_STAGE_MESH))) &&
	       !decoration_of(g, in[2], SpvDecorationPatch) && lengthen(g, pointee(g, in));
}

static bool more_distances(struct gate *g, uint32_t *in)
{
	uint32_t *type;

	if (spirv_op(in) != SpvOpMemberDecorate || in[3] != SpvDecorationBuiltIn ||
	    (in[4] != SpvBuiltInClipDistance && in[4] != SpvBuiltInCullDistance))
		return false;
	type = find_op(g, in[1], SpvOpTypeStruct);
	return type && lengthen(g, find(g, type[2 + in[2]]));
}

static bool small_numbers(struct gate *g, uint32_t *in)
{
	uint32_t *type = is_variable(in, SpvStorageClassInput) ||
					 is_variable(in, SpvStorageClassOutput) ?
				 pointee(g, in) : NULL;

	while (type && (spirv_op(type) == SpvOpTypeArray || spirv_op(type) == SpvOpTypeVector))
		type = find(g, type[2]);
	if (!type || spirv_op(type) != SpvOpTypeFloat)
		return false;
	type[2] = 16;
	return true;
}

static bool small_texels(struct gate *g, uint32_t *in)
{
	uint32_t *type = NULL;

	switch (spirv_op(in)) {
	case SpvOpImageFetch:
	case SpvOpImageRead:
	case SpvOpImageSampleExplicitLod:
	case SpvOpImageSampleImplicitLod:
		type = find_op(g, in[1], SpvOpTypeVector);
		break;
	case SpvOpImageSparseFetch:
	case SpvOpImageSparseRead:
	case SpvOpImageSparseSampleExplicitLod:
	case SpvOpImageSparseSampleImplicitLod:
		type = find_op(g, in[1], SpvOpTypeStruct);
		type = type && spirv_words(type) > 3 ? find_op(g, type[3], SpvOpTypeVector) : NULL;
		break;
	}
	type = type ? find(g, type[2]) : NULL;
	if (type)
		type[2] = 64;
	return type;
}

static bool far_capture(struct gate *g, uint32_t *in)
{
	if (g->cmd->stage == SUNDOG_STAGE_FRAGMENT || !is_decoration(in, SpvDecorationOffset))
		return false;
	in[3] += MANY;
	return true;
}

/* Returns true if a struct is the type of a captured output, or of the elements of one. */
static bool is_captured(struct gate *g, uint32_t type)
{
	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->owned + at)) {
		const uint32_t *variable = g->owned + at, *of;

		if (!is_variable(variable, SpvStorageClassOutput) ||
		    !decoration_of(g, variable[2], SpvDecorationXfbBuffer))
			continue;
		of = pointee(g, variable);
		while (of && spirv_op(of) == SpvOpTypeArray)
			of = find(g, of[2]);
		if (of && of[1] == type)
			return true;
	}
	return false;
}

static bool far_member(struct gate *g, uint32_t *in)
{
	if (spirv_op(in) != SpvOpMemberDecorate || in[3] != SpvDecorationOffset ||
	    !is_captured(g, in[1]))
		return false;
	in[4] += MANY;
	return true;
}

static bool offset_of_type(struct gate *g, uint32_t *in)
{
	const uint32_t *variable = is_decoration(in, SpvDecorationOffset) ?
					   find_op(g, in[1], SpvOpVariable) : NULL;
	const uint32_t *type = variable ? pointee(g, variable) : NULL;

	if (!type || g->cmd->stage == SUNDOG_STAGE_FRAGMENT)
		return false;
	in[1] = type[1];
	return true;
}

static bool short_stride(struct gate *g, uint32_t *in)
{
	(void)g;
	if (!is_decoration(in, SpvDecorationXfbStride))
		return false;
	in[3] -= 4;
	return true;
}

static bool other_buffer(struct gate *g, uint32_t *in)
{
	(void)g;
	if (!is_decoration(in, SpvDecorationXfbBuffer))
		return false;
	in[3] ^= 3;
	return true;
}

static bool more_output(struct gate *g, uint32_t *in)
{
	(void)g;
	if (!is_mode(in, SpvExecutionModeOutputVertices) &&
	    !is_mode(in, SpvExecutionModeOutputPrimitivesEXT))
		return false;
	in[3]++;
	return true;
}

static bool more_invocations(struct gate *g, uint32_t *in)
{
	(void)g;
	if (!is_mode(in, SpvExecutionModeInvocations))
		return false;
	in[3] += MANY;
	return true;
}

static bool larger_group(struct gate *g, uint32_t *in)
{
	(void)g;
	if (!is_mode(in, SpvExecutionModeLocalSize))
		return false;
	in[3]++;
	return true;
}

static bool other_primitive(struct gate *g, uint32_t *in)
{
	(void)g;
	if (spirv_op(in) != SpvOpExecutionMode)
		return false;
	switch (in[2]) {
	case SpvExecutionModeInputPoints:
	case SpvExecutionModeInputLines:
		in[2] = SpvExecutionModeInputTrianglesAdjacency;
		return true;
	case SpvExecutionModeOutputTriangleStrip:
		in[2] = SpvExecutionModeOutputLineStrip;
		return true;
	case SpvExecutionModeOutputTrianglesEXT:
		in[2] = SpvExecutionModeOutputLinesEXT;
		return true;
	case SpvExecutionModePointMode:
		in[2] = SpvExecutionModeVertexOrderCw;
		return true;
	default:
		return false;
	}
}

static bool other_model(struct gate *g, uint32_t *in)
{
	(void)g;
	if (spirv_op(in) != SpvOpEntryPoint)
		return false;
	in[1] = in[1] == SpvExecutionModelVertex ? SpvExecutionModelGLCompute :
						   SpvExecutionModelVertex;
	return true;
}

static bool more_shared(struct gate *g, uint32_t *in)
{
	uint32_t *type = is_variable(in, SpvStorageClassWorkgroup) ? pointee(g, in) : NULL;

	return lengthen(g, type) && lengthen(g, type) && lengthen(g, type);
}

static bool larger_payload(struct gate *g, uint32_t *in)
{
	uint32_t *type = is_variable(in, SpvStorageClassTaskPayloadWorkgroupEXT) ? pointee(g, in) :
										   NULL;
	uint32_t word = 2;

	/* A struct: its first array. */
	while (type && spirv_op(type) == SpvOpTypeStruct && word < spirv_words(type))
		if (lengthen(g, find(g, type[word++])))
			return true;
	return lengthen(g, type);
}

/* The report to draws, at the instruction that it is about. */

static bool unreported_builtin(struct gate *g, uint32_t *in)
{
	bool *reported = NULL;
	const uint32_t builtin = is_decoration(in, SpvDecorationBuiltIn) ? in[3] :
				 spirv_op(in) == SpvOpMemberDecorate &&
						 in[3] == SpvDecorationBuiltIn ? in[4] : UINT32_MAX;

	switch (builtin) {
	case SpvBuiltInLayer:
		reported = &g->layer;
		break;
	case SpvBuiltInDrawIndex:
		reported = &g->draw_index;
		break;
	case SpvBuiltInFrontFacing:
		reported = &g->front_facing;
		break;
	case SpvBuiltInPrimitiveId:
		reported = &g->primitive_id;
	}
	if (!reported || !*reported)
		return false;
	*reported = false;
	return true;
}

/* Reports an output that the host's code does not store, so the host would add a slot for it. */
static bool absent_primitive_id(struct gate *g, uint32_t *in)
{
	if (spirv_op(in) != SpvOpEntryPoint || g->cmd->stage != SUNDOG_STAGE_MESH ||
	    g->mesh.primitive_id)
		return false;
	g->mesh.primitive_id = true;
	return true;
}

static bool unreported_size(struct gate *g, uint32_t *in)
{
	if (spirv_op(in) != SpvOpEntryPoint || g->cmd->stage == SUNDOG_STAGE_TASK ||
	    !(g->primitive_bytes | g->vertex_bytes | g->mesh.group_bytes))
		return false;
	g->primitive_bytes /= 2;
	g->vertex_bytes /= 2;
	g->mesh.group_bytes /= 16;
	return true;
}

static bool unreported_kind(struct gate *g, uint32_t *in)
{
	if (spirv_op(in) != SpvOpEntryPoint)
		return false;
	for (uint32_t i = 0; i < g->n_descriptors; i++)
		if (g->descriptors[i].kind) {
			g->descriptors[i].kind ^= 1u << 16;
			return true;
		}
	for (uint32_t i = 0; i < SUNDOG_MAX_TEXTURES; i++)
		if (g->textures[i]) {
			g->textures[i] ^= 1u << 16;
			return true;
		}
	return false;
}

/* Undefined values */

static bool no_initializer(struct gate *g, uint32_t *in)
{
	if ((!is_variable(in, SpvStorageClassFunction) &&
	     !is_variable(in, SpvStorageClassPrivate)) ||
	    spirv_words(in) != 5)
		return false;
	memmove(in + 4, in + 5, (g->words - (size_t)(in + 5 - g->owned)) * sizeof(*in));
	g->words--;
	*in -= 1 << SpvWordCountShift;
	return true;
}

static bool undefined_component(struct gate *g, uint32_t *in)
{
	(void)g;
	if (spirv_op(in) != SpvOpVectorShuffle)
		return false;
	in[spirv_words(in) - 1] = UINT32_MAX;
	return true;
}

/* Index 3 of a vector of fewer components, or a larger one. */
static bool far_component(struct gate *g, uint32_t *in)
{
	uint32_t *index = spirv_op(in) == SpvOpVectorExtractDynamic ?
				  find_op(g, in[4], SpvOpConstant) : NULL;

	if (!index || spirv_words(index) != 4)
		return false;
	index[3] = MANY;
	return true;
}

/* Accesses */

static bool is_address(struct gate *g, uint32_t id)
{
	const uint32_t *in = find_op(g, id, SpvOpConvertUToPtr), *type = in ? find(g, in[1]) : NULL;

	return type && type[2] == SpvStorageClassPhysicalStorageBuffer;
}

/* The pointee becomes a struct that ends behind the guard. */
static bool long_access(struct gate *g, uint32_t *in)
{
	const uint32_t word = gate_read(in) ? gate_read(in) : gate_written(in);

	for (size_t at = SPIRV_HEADER_WORDS; word && is_address(g, in[word]) && at < g->words;
	     at += spirv_words(g->owned + at)) {
		uint32_t *member = g->owned + at;

		if (spirv_op(member) != SpvOpMemberDecorate || member[3] != SpvDecorationOffset)
			continue;
		member[4] = UINT32_MAX;
		find(g, find(g, in[word])[1])[3] = member[1];
		return true;
	}
	return false;
}

/* Makes the columns of a matrix at an address, which has a struct around it, lie far apart. */
static bool long_stride(struct gate *g, uint32_t *in)
{
	const uint32_t word = gate_read(in) ? gate_read(in) : gate_written(in);
	const uint32_t *chain = word ? find_op(g, in[word], SpvOpAccessChain) : NULL;
	const uint32_t *wrapper = chain ? find_op(g, chain[3], SpvOpConvertUToPtr) : NULL;

	wrapper = wrapper ? pointee(g, wrapper) : NULL;
	for (size_t at = SPIRV_HEADER_WORDS; wrapper && at < g->words;
	     at += spirv_words(g->owned + at)) {
		uint32_t *member = g->owned + at;

		if (spirv_op(member) != SpvOpMemberDecorate || member[1] != wrapper[1] ||
		    member[3] != SpvDecorationMatrixStride)
			continue;
		member[4] = 1u << 29;
		return true;
	}
	return false;
}

static bool unroll(struct gate *g, uint32_t *in)
{
	(void)g;
	if (spirv_op(in) != SpvOpLoopMerge)
		return false;
	in[3] |= SpvLoopControlUnrollMask;
	return true;
}

/* A loop around another one may be unrolled. */
static bool unroll_outer(struct gate *g, uint32_t *in)
{
	const uint32_t *merge = spirv_op(in) == SpvOpLoopMerge ? find(g, in[1]) : NULL;

	for (const uint32_t *next = in + spirv_words(in); merge && next < merge;
	     next += spirv_words(next)) {
		if (spirv_op(next) != SpvOpLoopMerge)
			continue;
		in[3] = 0;
		return true;
	}
	return false;
}

/* The operand of a conversion becomes that of its clamp. */
static bool no_clamp(struct gate *g, uint32_t *in)
{
	const uint32_t *clamp = spirv_op(in) == SpvOpConvertFToU ||
						spirv_op(in) == SpvOpConvertFToS ?
					find_op(g, in[3], SpvOpExtInst) : NULL;

	if (clamp)
		in[3] = clamp[5];
	return clamp;
}

/* The upper limit of a conversion becomes infinite, or NaN. */
static bool far_clamp(struct gate *g, uint32_t *in)
{
	const uint32_t *clamp = spirv_op(in) == SpvOpConvertFToU ||
						spirv_op(in) == SpvOpConvertFToS ?
					find_op(g, in[3], SpvOpExtInst) : NULL;
	uint32_t *high = clamp ? find(g, clamp[7]) : NULL;

	if (high && spirv_op(high) == SpvOpConstantComposite)
		high = find(g, high[3]);
	if (!high || spirv_op(high) != SpvOpConstant)
		return false;
	high[spirv_words(high) - 1] |= spirv_words(high) > 4 ? 0x7ff00000 : 0x7f807c00;
	return true;
}

/* The first store of these stages is that of a zero position. */
static bool no_position(struct gate *g, uint32_t *in)
{
	if (spirv_op(in) != SpvOpStore ||
	    (g->cmd->stage != SUNDOG_STAGE_VERTEX && g->cmd->stage != SUNDOG_STAGE_TESS_CTRL &&
	     g->cmd->stage != SUNDOG_STAGE_TESS_EVAL))
		return false;
	cut(g, in);
	return true;
}

/* Functions that passes add */

/* Returns true in functions of a geometry, task or mesh shader that are not the program's. */
static bool is_added(const struct gate *g, const uint32_t *in)
{
	uint32_t function = g->entry;

	for (size_t at = SPIRV_HEADER_WORDS; g->owned + at < in; at += spirv_words(g->owned + at))
		if (spirv_op(g->owned + at) == SpvOpFunction)
			function = g->owned[at + 2];
	return function != g->entry;
}

/* The emission for a primitive that no draw has becomes one for another number. */
static bool other_primitive_number(struct gate *g, uint32_t *in)
{
	const uint32_t *load = spirv_op(in) == SpvOpIEqual && is_added(g, in) ?
				       find_op(g, in[3], SpvOpLoad) : NULL;

	if (!load || g->cmd->stage != SUNDOG_STAGE_GEOMETRY)
		return false;
	in[3] = in[4];
	return true;
}

static bool other_vertex_count(struct gate *g, uint32_t *in)
{
	uint32_t *vertices = spirv_op(in) == SpvOpSetMeshOutputsEXT ?
				     find_op(g, in[1], SpvOpConstant) : NULL;

	if (!vertices || g->mesh.max_vertices < 2)
		return false;
	vertices[3] = 1;
	return true;
}

static bool no_barrier(struct gate *g, uint32_t *in)
{
	if (spirv_op(in) != SpvOpControlBarrier || !is_added(g, in))
		return false;
	cut(g, in);
	return true;
}

static bool other_scope(struct gate *g, uint32_t *in)
{
	if (spirv_op(in) != SpvOpControlBarrier || in[1] == in[3])
		return false;
	(void)g;
	in[1] = in[3];
	return true;
}

static bool no_zero(struct gate *g, uint32_t *in)
{
	if (spirv_op(in) != SpvOpStore || !find_op(g, in[2], SpvOpConstantNull) ||
	    !is_added(g, in))
		return false;
	cut(g, in);
	return true;
}

static bool few_turns(struct gate *g, uint32_t *in)
{
	uint32_t *turns = spirv_op(in) == SpvOpULessThan && is_added(g, in) &&
					  g->cmd->stage != SUNDOG_STAGE_GEOMETRY ?
				  find_op(g, in[4], SpvOpConstant) : NULL;

	if (!turns || turns[3] < 2)
		return false;
	turns[3]--;
	return true;
}

static bool long_steps(struct gate *g, uint32_t *in)
{
	uint32_t *step = spirv_op(in) == SpvOpIAdd && is_added(g, in) &&
					 g->cmd->stage != SUNDOG_STAGE_GEOMETRY ?
				 find_op(g, in[4], SpvOpConstant) : NULL;

	if (step)
		step[3]++;
	return step;
}

static bool other_element(struct gate *g, uint32_t *in)
{
	uint32_t *length = spirv_op(in) == SpvOpUMod && is_added(g, in) ?
				   find_op(g, in[4], SpvOpConstant) : NULL;

	if (length)
		length[3]--;
	return length;
}

static bool missing_component(struct gate *g, uint32_t *in)
{
	if (g->cmd->stage != SUNDOG_STAGE_MESH || !is_decoration(in, SpvDecorationComponent) ||
	    in[1] < g->n_ids || !in[3])
		return false;
	in[3]--;
	return true;
}

static bool more_strips(struct gate *g, uint32_t *in)
{
	uint32_t *limit = spirv_op(in) == SpvOpULessThan && is_added(g, in) &&
					  g->geometry.strip_vertices > 1 ?
				  find_op(g, in[4], SpvOpConstant) : NULL;

	if (limit)
		limit[3]++;
	return limit;
}

static bool uncounted_strip(struct gate *g, uint32_t *in)
{
	if (g->cmd->stage != SUNDOG_STAGE_GEOMETRY || spirv_op(in) != SpvOpIAdd ||
	    !is_added(g, in))
		return false;
	in[4] = in[3];
	return true;
}

static bool closed_strip(struct gate *g, uint32_t *in)
{
	if (g->cmd->stage != SUNDOG_STAGE_GEOMETRY || spirv_op(in) != SpvOpEmitVertex ||
	    spirv_op(in + 1) != SpvOpStore)
		return false;
	cut(g, in + 1);
	return true;
}

static bool other_stream(struct gate *g, uint32_t *in)
{
	uint32_t *stream = spirv_op(in) == SpvOpEmitStreamVertex ?
				   find_op(g, in[1], SpvOpConstant) : NULL;

	if (stream)
		stream[3] = SUNDOG_MAX_STREAMS;
	return stream;
}

static const struct {
	const char *name;
	bool (*damage)(struct gate *g, uint32_t *in);
	bool all;			/* at all instructions, not only at the first */
} kinds[] = {
	{ "a descriptor in another set", other_set, false },
	{ "a descriptor at another binding", other_binding, false },
	{ "more descriptors", more_descriptors, false },
	{ "another type of descriptor", other_descriptor, false },
	{ "another dimension of an image", other_dimension, false },
	{ "another type of texels", other_texels, false },
	{ "a storage buffer instead of a uniform buffer", other_block, false },
	{ "a push constant beyond the end", far_push_constant, false },
	{ "a location beyond the last", far_location, false },
	{ "more vertices or primitives in an array", more_vertices, false },
	{ "more distances", more_distances, false },
	{ "interface variables of 16 bits", small_numbers, false },
	{ "texels of 64 bits", small_texels, false },
	{ "a captured output beyond its stride", far_capture, false },
	{ "a captured member beyond its stride", far_member, false },
	{ "a captured output whose type has the offset", offset_of_type, false },
	{ "a shorter stride", short_stride, true },
	{ "another feedback buffer", other_buffer, true },
	{ "more output vertices or primitives", more_output, false },
	{ "more invocations of a geometry shader", more_invocations, false },
	{ "a larger work group", larger_group, false },
	{ "another primitive", other_primitive, false },
	{ "another execution model", other_model, false },
	{ "more shared memory", more_shared, false },
	{ "a larger payload", larger_payload, false },
	{ "a built-in that is not reported", unreported_builtin, false },
	{ "a primitive id that is reported and not written", absent_primitive_id, false },
	{ "a size that is not reported", unreported_size, false },
	{ "a kind of images that is not reported", unreported_kind, false },
	{ "a variable that begins undefined", no_initializer, false },
	{ "an undefined component", undefined_component, false },
	{ "a component that a vector does not have", far_component, false },
	{ "an access larger than the guard", long_access, false },
	{ "columns of a matrix beyond the guard", long_stride, false },
	{ "a loop that asks for unrolling", unroll, false },
	{ "a loop around another one that may be unrolled", unroll_outer, false },
	{ "a float that becomes an integer without a clamp", no_clamp, false },
	{ "a float that becomes an integer without an upper limit", far_clamp, false },
	{ "a stage that begins without a position", no_position, false },
	{ "fewer vertices than a mesh has indices for", other_vertex_count, false },
	{ "no barrier behind the zeros", no_barrier, false },
	{ "a barrier of another scope", other_scope, false },
	{ "a part without zeros", no_zero, false },
	{ "a turn less for zeros", few_turns, false },
	{ "longer steps between zeros", long_steps, false },
	{ "zeros in fewer elements", other_element, false },
	{ "a component that no output has", missing_component, false },
	{ "a strip more", more_strips, false },
	{ "a strip that is not counted", uncounted_strip, false },
	{ "a strip that is not open", closed_strip, false },
	{ "another vertex stream", other_stream, false },
	{ "a vertex for another primitive than the last", other_primitive_number, false },
};

const char *gate_damage_name(unsigned int kind)
{
	return kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind].name : NULL;
}

unsigned int gate_damage(struct gate *g, unsigned int kind)
{
	unsigned int n = 0;

	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->owned + at)) {
		n += kinds[kind].damage(g, g->owned + at);
		if (n && !kinds[kind].all)
			break;
	}
	return n;
}
