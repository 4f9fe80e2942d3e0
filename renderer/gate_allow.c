// SPDX-License-Identifier: MIT
/*
 * What modules may have, see gate.h: everything that is not in these lists is refused.
 */
#include "gate_module.h"

#include <spirv/unified1/spirv.h>

/* What the host must have for a capability; 0: nothing that it might lack. */
static const struct {
	uint32_t capability;
	uint64_t feature;
} capabilities[] = {
	{ SpvCapabilityMatrix, 0 },
	{ SpvCapabilityShader, 0 },
	{ SpvCapabilitySampled1D, 0 },
	{ SpvCapabilitySampledCubeArray, 0 },
	{ SpvCapabilitySampledBuffer, 0 },
	{ SpvCapabilityImageCubeArray, 0 },
	{ SpvCapabilityImageMSArray, 0 },
	{ SpvCapabilityGeometry, 0 },
	{ SpvCapabilityGeometryPointSize, 0 },
	{ SpvCapabilityGeometryStreams, 0 },
	{ SpvCapabilityTransformFeedback, 0 },
	{ SpvCapabilityImageQuery, 0 },
	{ SpvCapabilityDerivativeControl, 0 },
	{ SpvCapabilityClipDistance, 0 },
	{ SpvCapabilityCullDistance, 0 },
	{ SpvCapabilityInterpolationFunction, 0 },
	{ SpvCapabilityImageGatherExtended, 0 },
	{ SpvCapabilityDrawParameters, 0 },
	{ SpvCapabilityDeviceGroup, 0 },
	{ SpvCapabilityDemoteToHelperInvocation, 0 },
	{ SpvCapabilityUniformBufferArrayDynamicIndexing, 0 },
	{ SpvCapabilitySampledImageArrayDynamicIndexing, 0 },
	{ SpvCapabilityStorageBufferArrayDynamicIndexing, SUNDOG_FEATURE_COMPUTE },
	{ SpvCapabilityStorageImageArrayDynamicIndexing, SUNDOG_FEATURE_BINDLESS },
	{ SpvCapabilityUniformTexelBufferArrayDynamicIndexing, SUNDOG_FEATURE_BINDLESS },
	{ SpvCapabilityStorageTexelBufferArrayDynamicIndexing, SUNDOG_FEATURE_BINDLESS },
	{ SpvCapabilityImage1D, SUNDOG_FEATURE_COMPUTE },
	{ SpvCapabilityImageBuffer, SUNDOG_FEATURE_COMPUTE },
	{ SpvCapabilityStorageImageMultisample, SUNDOG_FEATURE_COMPUTE },
	{ SpvCapabilityStorageImageExtendedFormats, SUNDOG_FEATURE_COMPUTE },
	{ SpvCapabilityStorageImageReadWithoutFormat, SUNDOG_FEATURE_COMPUTE },
	{ SpvCapabilityStorageImageWriteWithoutFormat, SUNDOG_FEATURE_COMPUTE },
	{ SpvCapabilityTessellation, SUNDOG_FEATURE_TESSELLATION },
	{ SpvCapabilityTessellationPointSize, SUNDOG_FEATURE_TESSELLATION },
	{ SpvCapabilitySampleRateShading, SUNDOG_FEATURE_SAMPLE_SHADING },
	{ SpvCapabilityMultiViewport, 0 },
	{ SpvCapabilityShaderLayer, SUNDOG_FEATURE_SHADER_LAYER },
	{ SpvCapabilityShaderViewportIndex, SUNDOG_FEATURE_SHADER_LAYER },
	{ SpvCapabilityShaderViewportIndexLayerEXT, SUNDOG_FEATURE_SHADER_LAYER },
	{ SpvCapabilityFloat64, SUNDOG_FEATURE_FLOAT64 },
	{ SpvCapabilityInt64, SUNDOG_FEATURE_INT64 },
	{ SpvCapabilityGroupNonUniform, SUNDOG_FEATURE_SUBGROUPS },
	{ SpvCapabilityGroupNonUniformVote, SUNDOG_FEATURE_SUBGROUPS },
	{ SpvCapabilitySubgroupVoteKHR, SUNDOG_FEATURE_SUBGROUPS },
	{ SpvCapabilitySubgroupBallotKHR, SUNDOG_FEATURE_SUBGROUPS },
	{ SpvCapabilityShaderClockKHR, SUNDOG_FEATURE_SHADER_CLOCK },
	{ SpvCapabilityStencilExportEXT, SUNDOG_FEATURE_STENCIL_EXPORT },
	{ SpvCapabilitySampleMaskPostDepthCoverage, SUNDOG_FEATURE_POST_DEPTH_COVERAGE },
	{ SpvCapabilityAtomicFloat32AddEXT, SUNDOG_FEATURE_FLOAT_ATOMICS },
	{ SpvCapabilityAtomicFloat32MinMaxEXT, SUNDOG_FEATURE_FLOAT_EXTREMA },
	{ SpvCapabilityMultiView, SUNDOG_FEATURE_MULTIVIEW },
	{ SpvCapabilityComputeDerivativeGroupQuadsKHR, SUNDOG_FEATURE_GROUP_DERIVATIVES },
	{ SpvCapabilityComputeDerivativeGroupLinearKHR, SUNDOG_FEATURE_GROUP_DERIVATIVES },
	{ SpvCapabilityInt8, SUNDOG_FEATURE_SMALL_NUMBERS },
	{ SpvCapabilityInt16, SUNDOG_FEATURE_SMALL_NUMBERS },
	{ SpvCapabilityStorageBuffer8BitAccess, SUNDOG_FEATURE_SMALL_NUMBERS },
	{ SpvCapabilityUniformAndStorageBuffer8BitAccess, SUNDOG_FEATURE_SMALL_NUMBERS },
	{ SpvCapabilityStoragePushConstant8, SUNDOG_FEATURE_SMALL_NUMBERS },
	{ SpvCapabilityStorageBuffer16BitAccess, SUNDOG_FEATURE_SMALL_NUMBERS },
	{ SpvCapabilityUniformAndStorageBuffer16BitAccess, SUNDOG_FEATURE_SMALL_NUMBERS },
	{ SpvCapabilityStoragePushConstant16, SUNDOG_FEATURE_SMALL_NUMBERS },
	{ SpvCapabilityFloat16, SUNDOG_FEATURE_FLOAT16 },
	{ SpvCapabilityInt64Atomics, SUNDOG_FEATURE_INT64_ATOMICS },
	{ SpvCapabilityGroupNonUniformArithmetic, SUNDOG_FEATURE_GROUP_OPERATIONS },
	{ SpvCapabilityGroupNonUniformBallot, SUNDOG_FEATURE_GROUP_OPERATIONS },
	{ SpvCapabilityGroupNonUniformShuffle, SUNDOG_FEATURE_GROUP_OPERATIONS },
	{ SpvCapabilityGroupNonUniformClustered, SUNDOG_FEATURE_GROUP_OPERATIONS },
	{ SpvCapabilityGroupNonUniformQuad, SUNDOG_FEATURE_GROUP_OPERATIONS },
	{ SpvCapabilityGroupNonUniformShuffleRelative, SUNDOG_FEATURE_GROUP_DISTANCES },
	{ SpvCapabilityGroupNonUniformRotateKHR, SUNDOG_FEATURE_GROUP_DISTANCES },
	{ SpvCapabilitySignedZeroInfNanPreserve, SUNDOG_FEATURE_FLOAT_CONTROLS },
	{ SpvCapabilityRoundingModeRTE, SUNDOG_FEATURE_FLOAT_CONTROLS },
	{ SpvCapabilityFloatControls2, SUNDOG_FEATURE_FLOAT_CONTROLS },
	/* gate_choose.c leaves nothing of them. */
	{ SpvCapabilityVariablePointersStorageBuffer, SUNDOG_FEATURE_VARIABLE_POINTERS },
	{ SpvCapabilityVariablePointers, SUNDOG_FEATURE_VARIABLE_POINTERS },
	/* Every host with Vulkan 1.3 has these. */
	{ SpvCapabilityVulkanMemoryModel, 0 },
	{ SpvCapabilityVulkanMemoryModelDeviceScope, 0 },
	{ SpvCapabilityDotProduct, 0 },
	{ SpvCapabilityDotProductInputAll, 0 },
	{ SpvCapabilityDotProductInput4x8Bit, 0 },
	{ SpvCapabilityDotProductInput4x8BitPacked, 0 },
	{ SpvCapabilityPhysicalStorageBufferAddresses, SUNDOG_FEATURE_ADDRESSES },
	{ SpvCapabilityMeshShadingEXT, SUNDOG_FEATURE_MESH_SHADERS },
	{ SpvCapabilityRuntimeDescriptorArray, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityShaderNonUniform, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityUniformBufferArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilitySampledImageArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityStorageBufferArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityStorageImageArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityUniformTexelBufferArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityStorageTexelBufferArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
};

/* The host's subgroups are of fragments, and of the invocations of a work group. */
static bool feature_there(const struct gate *g, uint64_t feature)
{
	const bool of_groups = feature == SUNDOG_FEATURE_SUBGROUPS || feature == SUNDOG_FEATURE_GROUP_OPERATIONS ||
			       feature == SUNDOG_FEATURE_GROUP_DISTANCES;

	/* Slots and tables of handles are indexed in other ways. */
	if (feature == SUNDOG_FEATURE_DESCRIPTOR_INDEXING && !g->layout)
		return false;
	if (of_groups && g->cmd->stage != SUNDOG_STAGE_FRAGMENT &&
	    g->cmd->stage != SUNDOG_STAGE_COMPUTE)
		return false;
	/* The host numbers the invocations of all work groups by them, gate_group.c looks at those of this stage. */
	if (feature == SUNDOG_FEATURE_GROUP_DERIVATIVES && g->cmd->stage != SUNDOG_STAGE_COMPUTE)
		return false;
	return (g->caps->features & feature) == feature;
}

bool gate_capability_allowed(const struct gate *g, uint32_t capability)
{
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		if (capabilities[i].capability == capability)
			return feature_there(g, capabilities[i].feature);
	return false;
}

/* Those of stages are looked at again, in gate_stage.c; the others change no limit and no memory. */
bool gate_mode_allowed(const struct gate *g, uint32_t mode)
{
	switch (mode) {
	case SpvExecutionModeOriginUpperLeft:
	case SpvExecutionModePixelCenterInteger:
	case SpvExecutionModeEarlyFragmentTests:
	case SpvExecutionModePostDepthCoverage:
	case SpvExecutionModeStencilRefReplacingEXT:
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
	case SpvExecutionModeLocalSize:
	case SpvExecutionModeLocalSizeId:
	case SpvExecutionModeSpacingEqual:
	case SpvExecutionModeSpacingFractionalEven:
	case SpvExecutionModeSpacingFractionalOdd:
	case SpvExecutionModeVertexOrderCw:
	case SpvExecutionModeVertexOrderCcw:
	case SpvExecutionModePointMode:
	case SpvExecutionModeQuads:
	case SpvExecutionModeIsolines:
		return true;
	case SpvExecutionModeDerivativeGroupQuadsKHR:
	case SpvExecutionModeDerivativeGroupLinearKHR:
		return feature_there(g, SUNDOG_FEATURE_GROUP_DERIVATIVES);
	case SpvExecutionModeOutputPrimitivesEXT:
	case SpvExecutionModeOutputLinesEXT:
	case SpvExecutionModeOutputTrianglesEXT:
		return feature_there(g, SUNDOG_FEATURE_MESH_SHADERS);
	case SpvExecutionModeMaximallyReconvergesKHR:
		return feature_there(g, SUNDOG_FEATURE_RECONVERGENCE);
	case SpvExecutionModeFPFastMathDefault:
		return feature_there(g, SUNDOG_FEATURE_FLOAT_CONTROLS);
	}
	return false;
}

bool gate_decoration_allowed(const struct gate *g, uint32_t decoration)
{
	switch (decoration) {
	case SpvDecorationRelaxedPrecision:
	case SpvDecorationSpecId:
	case SpvDecorationBlock:
	case SpvDecorationBufferBlock:
	case SpvDecorationRowMajor:
	case SpvDecorationColMajor:
	case SpvDecorationArrayStride:
	case SpvDecorationMatrixStride:
	case SpvDecorationBuiltIn:
	case SpvDecorationNoPerspective:
	case SpvDecorationFlat:
	case SpvDecorationCentroid:
	case SpvDecorationPatch:
	case SpvDecorationSample:
	case SpvDecorationStream:
	case SpvDecorationInvariant:
	case SpvDecorationRestrict:
	case SpvDecorationAliased:
	case SpvDecorationVolatile:
	case SpvDecorationCoherent:
	case SpvDecorationNonWritable:
	case SpvDecorationNonReadable:
	case SpvDecorationLocation:
	case SpvDecorationComponent:
	case SpvDecorationIndex:
	case SpvDecorationBinding:
	case SpvDecorationDescriptorSet:
	case SpvDecorationOffset:
	case SpvDecorationNoContraction:
	case SpvDecorationFPRoundingMode:
	case SpvDecorationXfbBuffer:
	case SpvDecorationXfbStride:
	case SpvDecorationRestrictPointer:
	case SpvDecorationAliasedPointer:
		return true;
	case SpvDecorationNonUniform:
		return feature_there(g, SUNDOG_FEATURE_DESCRIPTOR_INDEXING);
	case SpvDecorationPerPrimitiveEXT:
		return feature_there(g, SUNDOG_FEATURE_MESH_SHADERS);
	case SpvDecorationFPFastMathMode:
		return feature_there(g, SUNDOG_FEATURE_FLOAT_CONTROLS);
	}
	return false;
}

bool gate_builtin_allowed(uint32_t builtin)
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
	case SpvBuiltInDeviceIndex:
	case SpvBuiltInFragCoord:
	case SpvBuiltInPointCoord:
	case SpvBuiltInFrontFacing:
	case SpvBuiltInSampleMask:
	case SpvBuiltInFragDepth:
	case SpvBuiltInFragStencilRefEXT:
	case SpvBuiltInHelperInvocation:
	case SpvBuiltInPrimitiveId:
	case SpvBuiltInInvocationId:
	case SpvBuiltInLayer:
	case SpvBuiltInViewportIndex:
	case SpvBuiltInViewIndex:
	case SpvBuiltInSampleId:
	case SpvBuiltInSamplePosition:
	case SpvBuiltInSubgroupSize:
	case SpvBuiltInSubgroupLocalInvocationId:
	case SpvBuiltInSubgroupId:
	case SpvBuiltInNumSubgroups:
	case SpvBuiltInSubgroupEqMask:
	case SpvBuiltInSubgroupGeMask:
	case SpvBuiltInSubgroupGtMask:
	case SpvBuiltInSubgroupLeMask:
	case SpvBuiltInSubgroupLtMask:
	case SpvBuiltInTessLevelOuter:
	case SpvBuiltInTessLevelInner:
	case SpvBuiltInTessCoord:
	case SpvBuiltInPatchVertices:
	case SpvBuiltInNumWorkgroups:
	case SpvBuiltInWorkgroupSize:
	case SpvBuiltInWorkgroupId:
	case SpvBuiltInLocalInvocationId:
	case SpvBuiltInGlobalInvocationId:
	case SpvBuiltInLocalInvocationIndex:
	case SpvBuiltInPrimitivePointIndicesEXT:
	case SpvBuiltInPrimitiveLineIndicesEXT:
	case SpvBuiltInPrimitiveTriangleIndicesEXT:
	case SpvBuiltInCullPrimitiveEXT:
		return true;
	}
	return false;
}

/* No pointers but to variables and what is in them, and to device addresses: gate_pointer.c. */
bool gate_op_allowed(uint32_t op)
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
	case SpvOpExecutionModeId:
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
	case SpvOpTypeSampler:
	case SpvOpTypeSampledImage:
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
	case SpvOpTypeStruct:
	case SpvOpTypePointer:
	case SpvOpTypeForwardPointer:
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
	/* vertices */
	case SpvOpEmitVertex:
	case SpvOpEndPrimitive:
	case SpvOpEmitStreamVertex:
	case SpvOpEndStreamPrimitive:
	/* meshes: gate_mesh.c looks again */
	case SpvOpSetMeshOutputsEXT:
	case SpvOpEmitMeshTasksEXT:
	/* subgroups: gate_group.c, gate_index.c and gate_rotate.c look again */
	case SpvOpGroupNonUniformAll:
	case SpvOpGroupNonUniformAny:
	case SpvOpGroupNonUniformAllEqual:
	case SpvOpGroupNonUniformElect:
	case SpvOpGroupNonUniformBroadcast:
	case SpvOpGroupNonUniformBroadcastFirst:
	case SpvOpGroupNonUniformBallot:
	case SpvOpGroupNonUniformInverseBallot:
	case SpvOpGroupNonUniformBallotBitExtract:
	case SpvOpGroupNonUniformBallotBitCount:
	case SpvOpGroupNonUniformBallotFindLSB:
	case SpvOpGroupNonUniformBallotFindMSB:
	case SpvOpGroupNonUniformShuffle:
	case SpvOpGroupNonUniformShuffleXor:
	case SpvOpGroupNonUniformShuffleUp:
	case SpvOpGroupNonUniformShuffleDown:
	case SpvOpGroupNonUniformRotateKHR:
	case SpvOpGroupNonUniformIAdd:
	case SpvOpGroupNonUniformFAdd:
	case SpvOpGroupNonUniformIMul:
	case SpvOpGroupNonUniformFMul:
	case SpvOpGroupNonUniformSMin:
	case SpvOpGroupNonUniformUMin:
	case SpvOpGroupNonUniformFMin:
	case SpvOpGroupNonUniformSMax:
	case SpvOpGroupNonUniformUMax:
	case SpvOpGroupNonUniformFMax:
	case SpvOpGroupNonUniformBitwiseAnd:
	case SpvOpGroupNonUniformBitwiseOr:
	case SpvOpGroupNonUniformBitwiseXor:
	case SpvOpGroupNonUniformLogicalAnd:
	case SpvOpGroupNonUniformLogicalOr:
	case SpvOpGroupNonUniformLogicalXor:
	case SpvOpGroupNonUniformQuadBroadcast:
	case SpvOpGroupNonUniformQuadSwap:
	case SpvOpSubgroupAllKHR:
	case SpvOpSubgroupAnyKHR:
	case SpvOpSubgroupAllEqualKHR:
	case SpvOpSubgroupBallotKHR:
	case SpvOpSubgroupFirstInvocationKHR:
	case SpvOpSubgroupReadInvocationKHR:
	case SpvOpReadClockKHR:
	/* variables */
	case SpvOpVariable:
	case SpvOpLoad:
	case SpvOpStore:
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
	case SpvOpPtrAccessChain:
	case SpvOpPtrEqual:
	case SpvOpPtrNotEqual:
	case SpvOpPtrDiff:
	case SpvOpArrayLength:
	/* what other invocations see: gate_storage.c and gate_group.c look again */
	case SpvOpControlBarrier:
	case SpvOpMemoryBarrier:
	case SpvOpAtomicLoad:
	case SpvOpAtomicStore:
	case SpvOpAtomicExchange:
	case SpvOpAtomicCompareExchange:
	case SpvOpAtomicIIncrement:
	case SpvOpAtomicIDecrement:
	case SpvOpAtomicIAdd:
	case SpvOpAtomicISub:
	case SpvOpAtomicSMin:
	case SpvOpAtomicUMin:
	case SpvOpAtomicSMax:
	case SpvOpAtomicUMax:
	case SpvOpAtomicAnd:
	case SpvOpAtomicOr:
	case SpvOpAtomicXor:
	case SpvOpAtomicFAddEXT:
	case SpvOpAtomicFMinEXT:
	case SpvOpAtomicFMaxEXT:
	case SpvOpImageRead:
	case SpvOpImageWrite:
	case SpvOpImageTexelPointer:
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
	case SpvOpConvertPtrToU:
	case SpvOpConvertUToPtr:
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
	case SpvOpSDot:
	case SpvOpUDot:
	case SpvOpSUDot:
	case SpvOpSDotAccSat:
	case SpvOpUDotAccSat:
	case SpvOpSUDotAccSat:
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
