// SPDX-License-Identifier: MIT
/*
 * The gate's first look, see gate.h. Nothing is known of the module yet: operands may be missing, and
 * ids may be used before they are made; what is wrong in these ways is left to spirv-val. Here is what
 * would cost the validator and the host driver too much, or what they take and should not.
 */
#define SPV_ENABLE_UTILITY_CODE
#include "gate_module.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#define MAX_TYPE_NODES 4096u
#define MAX_TYPE_PARTS (1u << 18)	/* uniform blocks of 64 KiB for all slots have nearly as many */
#define MAX_TYPE_DEPTH 16u
#define MAX_CALL_DEPTH 32u
#define MAX_EXPANDED (1u << 20)		/* words and parts of values, calls expanded */
#define EMIT_COST 256u			/* the host's code for it stores all outputs of four vertices */

static bool capability_allowed(uint32_t capability)
{
	switch (capability) {
	case SpvCapabilityMatrix:
	case SpvCapabilityShader:
	case SpvCapabilitySampled1D:
	case SpvCapabilitySampledCubeArray:
	case SpvCapabilitySampledBuffer:
	case SpvCapabilityImageCubeArray:
	case SpvCapabilityImageMSArray:
	case SpvCapabilityGeometry:
	case SpvCapabilityGeometryPointSize:
	case SpvCapabilityGeometryStreams:
	case SpvCapabilityTransformFeedback:
	case SpvCapabilityImageQuery:
	case SpvCapabilityDerivativeControl:
	case SpvCapabilityClipDistance:
	case SpvCapabilityCullDistance:
	case SpvCapabilityInterpolationFunction:
	case SpvCapabilityImageGatherExtended:
	case SpvCapabilityDrawParameters:
	case SpvCapabilityDemoteToHelperInvocation:
	case SpvCapabilityUniformBufferArrayDynamicIndexing:
	case SpvCapabilitySampledImageArrayDynamicIndexing:
		return true;
	}
	return false;
}

/* Those of geometry shaders are looked at again, in gate_stage.c; the others change no limit and no memory. */
static bool mode_allowed(uint32_t mode)
{
	switch (mode) {
	case SpvExecutionModeOriginUpperLeft:
	case SpvExecutionModePixelCenterInteger:
	case SpvExecutionModeEarlyFragmentTests:
	case SpvExecutionModeDepthReplacing:
	case SpvExecutionModeDepthGreater:
	case SpvExecutionModeDepthLess:
	case SpvExecutionModeDepthUnchanged:
	case SpvExecutionModeSignedZeroInfNanPreserve:
	case SpvExecutionModeDenormPreserve:
	case SpvExecutionModeDenormFlushToZero:
	case SpvExecutionModeRoundingModeRTE:
	case SpvExecutionModeRoundingModeRTZ:
	case SpvExecutionModeInputPoints:
	case SpvExecutionModeInputLines:
	case SpvExecutionModeInputLinesAdjacency:
	case SpvExecutionModeTriangles:
	case SpvExecutionModeInputTrianglesAdjacency:
	case SpvExecutionModeOutputPoints:
	case SpvExecutionModeOutputLineStrip:
	case SpvExecutionModeOutputTriangleStrip:
	case SpvExecutionModeOutputVertices:
	case SpvExecutionModeInvocations:
	case SpvExecutionModeXfb:
		return true;
	}
	return false;
}

static bool decoration_allowed(uint32_t decoration)
{
	switch (decoration) {
	case SpvDecorationRelaxedPrecision:
	case SpvDecorationSpecId:
	case SpvDecorationBlock:
	case SpvDecorationRowMajor:
	case SpvDecorationColMajor:
	case SpvDecorationArrayStride:
	case SpvDecorationMatrixStride:
	case SpvDecorationBuiltIn:
	case SpvDecorationNoPerspective:
	case SpvDecorationFlat:
	case SpvDecorationCentroid:
	case SpvDecorationInvariant:
	case SpvDecorationRestrict:
	case SpvDecorationAliased:
	case SpvDecorationNonWritable:
	case SpvDecorationNonReadable:
	case SpvDecorationLocation:
	case SpvDecorationComponent:
	case SpvDecorationIndex:
	case SpvDecorationBinding:
	case SpvDecorationDescriptorSet:
	case SpvDecorationOffset:
	case SpvDecorationNoContraction:
	case SpvDecorationXfbBuffer:
	case SpvDecorationXfbStride:
		return true;
	}
	return false;
}

static bool builtin_allowed(uint32_t builtin)
{
	switch (builtin) {
	case SpvBuiltInPosition:
	case SpvBuiltInPointSize:
	case SpvBuiltInClipDistance:
	case SpvBuiltInCullDistance:
	case SpvBuiltInVertexIndex:
	case SpvBuiltInInstanceIndex:
	case SpvBuiltInBaseVertex:
	case SpvBuiltInBaseInstance:
	case SpvBuiltInDrawIndex:
	case SpvBuiltInFragCoord:
	case SpvBuiltInPointCoord:
	case SpvBuiltInFrontFacing:
	case SpvBuiltInSampleMask:
	case SpvBuiltInFragDepth:
	case SpvBuiltInHelperInvocation:
	case SpvBuiltInPrimitiveId:
	case SpvBuiltInInvocationId:
	case SpvBuiltInLayer:
		return true;
	}
	return false;
}

/* No atomics, no image stores, no pointers but to variables and what is in them, no groups, no barriers. */
static bool op_allowed(uint32_t op)
{
	switch (op) {
	/* about the module */
	case SpvOpSource:
	case SpvOpSourceContinued:
	case SpvOpSourceExtension:
	case SpvOpString:
	case SpvOpLine:
	case SpvOpNoLine:
	case SpvOpName:
	case SpvOpMemberName:
	case SpvOpCapability:
	case SpvOpExtension:
	case SpvOpExtInstImport:
	case SpvOpMemoryModel:
	case SpvOpEntryPoint:
	case SpvOpExecutionMode:
	case SpvOpDecorate:
	case SpvOpMemberDecorate:
	/* types */
	case SpvOpTypeVoid:
	case SpvOpTypeBool:
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
	case SpvOpTypeImage:
	case SpvOpTypeSampledImage:
	case SpvOpTypeArray:
	case SpvOpTypeStruct:
	case SpvOpTypePointer:
	case SpvOpTypeFunction:
	/* constants */
	case SpvOpUndef:
	case SpvOpConstantTrue:
	case SpvOpConstantFalse:
	case SpvOpConstant:
	case SpvOpConstantComposite:
	case SpvOpConstantNull:
	case SpvOpSpecConstantTrue:
	case SpvOpSpecConstantFalse:
	case SpvOpSpecConstant:
	case SpvOpSpecConstantComposite:
	case SpvOpSpecConstantOp:
	/* functions and control flow */
	case SpvOpFunction:
	case SpvOpFunctionParameter:
	case SpvOpFunctionEnd:
	case SpvOpFunctionCall:
	case SpvOpLabel:
	case SpvOpPhi:
	case SpvOpLoopMerge:
	case SpvOpSelectionMerge:
	case SpvOpBranch:
	case SpvOpBranchConditional:
	case SpvOpSwitch:
	case SpvOpReturn:
	case SpvOpReturnValue:
	case SpvOpUnreachable:
	case SpvOpKill:
	case SpvOpTerminateInvocation:
	case SpvOpDemoteToHelperInvocation:
	case SpvOpIsHelperInvocationEXT:
	/* one stream */
	case SpvOpEmitVertex:
	case SpvOpEndPrimitive:
	/* variables */
	case SpvOpVariable:
	case SpvOpLoad:
	case SpvOpStore:
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
	/* composites */
	case SpvOpVectorExtractDynamic:
	case SpvOpVectorInsertDynamic:
	case SpvOpVectorShuffle:
	case SpvOpCompositeConstruct:
	case SpvOpCompositeExtract:
	case SpvOpCompositeInsert:
	case SpvOpCopyObject:
	case SpvOpCopyLogical:
	case SpvOpTranspose:
	/* textures */
	case SpvOpSampledImage:
	case SpvOpImage:
	case SpvOpImageSampleImplicitLod:
	case SpvOpImageSampleExplicitLod:
	case SpvOpImageSampleDrefImplicitLod:
	case SpvOpImageSampleDrefExplicitLod:
	case SpvOpImageSampleProjImplicitLod:
	case SpvOpImageSampleProjExplicitLod:
	case SpvOpImageSampleProjDrefImplicitLod:
	case SpvOpImageSampleProjDrefExplicitLod:
	case SpvOpImageFetch:
	case SpvOpImageGather:
	case SpvOpImageDrefGather:
	case SpvOpImageQuerySizeLod:
	case SpvOpImageQuerySize:
	case SpvOpImageQueryLod:
	case SpvOpImageQueryLevels:
	case SpvOpImageQuerySamples:
	/* conversions */
	case SpvOpConvertFToU:
	case SpvOpConvertFToS:
	case SpvOpConvertSToF:
	case SpvOpConvertUToF:
	case SpvOpUConvert:
	case SpvOpSConvert:
	case SpvOpFConvert:
	case SpvOpQuantizeToF16:
	case SpvOpBitcast:
	/* arithmetic */
	case SpvOpExtInst:
	case SpvOpSNegate:
	case SpvOpFNegate:
	case SpvOpIAdd:
	case SpvOpFAdd:
	case SpvOpISub:
	case SpvOpFSub:
	case SpvOpIMul:
	case SpvOpFMul:
	case SpvOpUDiv:
	case SpvOpSDiv:
	case SpvOpFDiv:
	case SpvOpUMod:
	case SpvOpSRem:
	case SpvOpSMod:
	case SpvOpFRem:
	case SpvOpFMod:
	case SpvOpVectorTimesScalar:
	case SpvOpMatrixTimesScalar:
	case SpvOpVectorTimesMatrix:
	case SpvOpMatrixTimesVector:
	case SpvOpMatrixTimesMatrix:
	case SpvOpOuterProduct:
	case SpvOpDot:
	case SpvOpIAddCarry:
	case SpvOpISubBorrow:
	case SpvOpUMulExtended:
	case SpvOpSMulExtended:
	/* logic and comparisons */
	case SpvOpAny:
	case SpvOpAll:
	case SpvOpIsNan:
	case SpvOpIsInf:
	case SpvOpLogicalEqual:
	case SpvOpLogicalNotEqual:
	case SpvOpLogicalOr:
	case SpvOpLogicalAnd:
	case SpvOpLogicalNot:
	case SpvOpSelect:
	case SpvOpIEqual:
	case SpvOpINotEqual:
	case SpvOpUGreaterThan:
	case SpvOpSGreaterThan:
	case SpvOpUGreaterThanEqual:
	case SpvOpSGreaterThanEqual:
	case SpvOpULessThan:
	case SpvOpSLessThan:
	case SpvOpULessThanEqual:
	case SpvOpSLessThanEqual:
	case SpvOpFOrdEqual:
	case SpvOpFUnordEqual:
	case SpvOpFOrdNotEqual:
	case SpvOpFUnordNotEqual:
	case SpvOpFOrdLessThan:
	case SpvOpFUnordLessThan:
	case SpvOpFOrdGreaterThan:
	case SpvOpFUnordGreaterThan:
	case SpvOpFOrdLessThanEqual:
	case SpvOpFUnordLessThanEqual:
	case SpvOpFOrdGreaterThanEqual:
	case SpvOpFUnordGreaterThanEqual:
	/* bits */
	case SpvOpShiftRightLogical:
	case SpvOpShiftRightArithmetic:
	case SpvOpShiftLeftLogical:
	case SpvOpBitwiseOr:
	case SpvOpBitwiseXor:
	case SpvOpBitwiseAnd:
	case SpvOpNot:
	case SpvOpBitFieldInsert:
	case SpvOpBitFieldSExtract:
	case SpvOpBitFieldUExtract:
	case SpvOpBitReverse:
	case SpvOpBitCount:
	/* derivatives */
	case SpvOpDPdx:
	case SpvOpDPdy:
	case SpvOpFwidth:
	case SpvOpDPdxFine:
	case SpvOpDPdyFine:
	case SpvOpFwidthFine:
	case SpvOpDPdxCoarse:
	case SpvOpDPdyCoarse:
	case SpvOpFwidthCoarse:
		return true;
	}
	return false;
}

/*
 * Types. They share their parts, so a few words can describe a tree of any size, even of nothing but empty
 * structs. Nodes are what a walk over a type meets, parts what a value of it has: arrays count once, or
 * as often as they are long.
 */

static uint32_t at_least_one(uint32_t n)
{
	return n ? n : 1;
}

/* Add @length elements of a type. No overflow: below 2^16 times 2^32 times MAX_TYPE_PARTS. */
static void add_element(struct gate *g, uint32_t element, uint32_t length, uint64_t *nodes, uint64_t *parts,
			uint32_t *depth)
{
	const struct gate_id *type = gate_id(g, element);

	*nodes += at_least_one(type->nodes);
	*parts += (uint64_t)length * at_least_one(type->parts);
	if (*depth < type->depth + 1)
		*depth = type->depth + 1;
}

static bool scan_container(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	struct gate_id *type = gate_id(g, in[1]);
	uint64_t nodes = 1, parts = 1;
	const struct gate_id *length;
	uint32_t depth = 1;

	if (op == SpvOpTypeStruct) {
		type->members = in + 2;
		type->n_members = words - 2;
		for (uint32_t i = 2; i < words; i++)
			add_element(g, in[i], 1, &nodes, &parts, &depth);
	} else if (op == SpvOpTypeArray && words > 3) {
		length = gate_id(g, in[3]);
		if (length->op != SpvOpConstant && length->op != SpvOpSpecConstant)
			return gate_refuse(g, "an array whose length is no constant");
		add_element(g, in[2], length->a, &nodes, &parts, &depth);
	} else if (words > 3) {
		add_element(g, in[2], in[3], &nodes, &parts, &depth);
	}
	if (nodes > MAX_TYPE_NODES)
		return gate_refuse(g, "a type of more than %u nodes", MAX_TYPE_NODES);
	if (parts > MAX_TYPE_PARTS)
		return gate_refuse(g, "a type of more than %u parts", MAX_TYPE_PARTS);
	if (depth > MAX_TYPE_DEPTH)
		return gate_refuse(g, "a type of more than %u levels", MAX_TYPE_DEPTH);
	type->nodes = nodes;
	type->parts = parts;
	type->depth = depth;
	return true;
}

/* Instructions */

static bool scan_decoration(struct gate *g, uint32_t decoration, bool has_value, uint32_t value)
{
	if (!decoration_allowed(decoration))
		return gate_refuse(g, "decoration %u", decoration);
	if (decoration == SpvDecorationBuiltIn && has_value && !builtin_allowed(value))
		return gate_refuse(g, "built-in %u", value);
	return true;
}

static bool name_is(const uint32_t *in, uint32_t words, const char *name)
{
	const size_t size = strlen(name) + 1;

	return words == (size + 3) / 4 && !memcmp(in, name, size);
}

/* What can be said of one instruction. */
static bool scan_instruction(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	struct gate_id *id = words > 1 ? gate_id(g, in[1]) : NULL;
	const uint32_t a = words > 2 ? in[2] : 0, b = words > 3 ? in[3] : 0;

	switch (op) {
	case SpvOpCapability:
		return words < 2 || capability_allowed(in[1]) || gate_refuse(g, "capability %u", in[1]);
	case SpvOpExtension:
		return name_is(in + 1, words - 1, "SPV_EXT_demote_to_helper_invocation") ||
		       name_is(in + 1, words - 1, "SPV_KHR_shader_draw_parameters") ||
		       name_is(in + 1, words - 1, "SPV_KHR_storage_buffer_storage_class") ||
		       name_is(in + 1, words - 1, "SPV_KHR_float_controls") || gate_refuse(g, "an extension");
	case SpvOpExtInstImport:
		return words < 3 || name_is(in + 2, words - 2, "GLSL.std.450") || gate_refuse(g, "instruction set");
	case SpvOpExecutionMode:
		return mode_allowed(a) || gate_refuse(g, "execution mode %u", a);
	case SpvOpDecorate:
		return scan_decoration(g, a, words > 3, b);
	case SpvOpMemberDecorate:
		return scan_decoration(g, b, words > 4, words > 4 ? in[4] : 0);
	case SpvOpEntryPoint:
		g->entry = a;
		return true;
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		if (a != 32)
			return gate_refuse(g, "%u-bit numbers", a);
		break;
	case SpvOpTypeMatrix:
	case SpvOpTypeArray:
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
		return op_allowed(b) || gate_refuse(g, "specialisation constant with opcode %u", b);
	case SpvOpSpecConstant:
		g->flatten = true;
		/* fall through */
	case SpvOpConstant:
		id = gate_id(g, a);
		id->op = op;
		id->a = b;
		return true;
	case SpvOpFunctionCall:
		g->flatten = true;
		return true;
	case SpvOpTypeBool:
	case SpvOpTypeVector:
	case SpvOpTypePointer:
	case SpvOpTypeImage:
	case SpvOpTypeSampledImage:
		break;
	default:
		return true;
	}
	/* A type. */
	if (id) {
		id->op = op;
		id->a = a;
		id->b = b;
	}
	return true;
}

static uint32_t parts_of(struct gate *g, uint32_t type)
{
	return at_least_one(gate_id(g, type)->parts);
}

/* What it costs those who read it: its words, and the parts of the value that it makes or stores. */
static uint64_t cost_of(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words)
{
	bool has_result, has_type;
	uint64_t cost = words;

	SpvHasResultAndType(op, &has_result, &has_type);
	if (has_type && words > 2) {
		gate_id(g, in[2])->type = in[1];
		cost += parts_of(g, in[1]);
	}
	if (op == SpvOpStore && words > 2)
		cost += parts_of(g, gate_id(g, in[2])->type);
	if (op == SpvOpEmitVertex)
		cost += EMIT_COST;
	if (op == SpvOpVariable && words > 3)
		cost += parts_of(g, gate_id(g, in[1])->b);
	return cost;
}

static bool too_large(struct gate *g)
{
	return gate_refuse(g, "more than %u words and values, with calls expanded", MAX_EXPANDED);
}

/* Fill in what the function @f takes with all its calls. */
static bool expand(struct gate *g, uint32_t f, unsigned int depth)
{
	struct gate_id *function = gate_id(g, f);
	uint64_t expanded = 1;

	if (function->expanded || !function->body)
		return true;
	if (depth > MAX_CALL_DEPTH)
		return gate_refuse(g, "more than %u levels of calls, or recursion", MAX_CALL_DEPTH);
	for (uint32_t at = function->body, op; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, words = *in >> 16;

		op = *in & 0xffff;
		if (op == SpvOpFunctionEnd || (op == SpvOpFunction && at != function->body))
			break;
		expanded += cost_of(g, in, op, words);
		if (op == SpvOpFunctionCall && words > 3) {
			if (!expand(g, in[3], depth + 1))
				return false;
			expanded += gate_id(g, in[3])->expanded;
		}
		if (expanded > MAX_EXPANDED)
			return too_large(g);
	}
	function->expanded = expanded;
	return true;
}

bool gate_scan(struct gate *g)
{
	uint64_t cost = 0;

	g->flatten = false;
	g->entry = 0;
	for (uint32_t at = 5, words; at < g->words; at += words) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		words = *in >> 16;
		if (!words || words > g->words - at)
			return gate_refuse(g, "malformed instruction at word %u", at);
		if (!op_allowed(op))
			return gate_refuse(g, "opcode %u", op);
		if (!scan_instruction(g, in, op, words))
			return false;
		if (op == SpvOpFunction && words > 2)
			gate_id(g, in[2])->body = at;
		cost += cost_of(g, in, op, words);
		if (cost > MAX_EXPANDED)
			return too_large(g);
	}
	if (g->flatten && g->flat)
		return gate_refuse(g, "calls or specialisation constants that stay");
	return expand(g, g->entry, 0);
}
