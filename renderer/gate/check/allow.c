// SPDX-License-Identifier: MIT
/*
 * The allow-lists of capabilities, execution modes, decorations and built-ins, for the passes
 * "scan" and "variable-pointers", see gate.h. All others are refused. instructions.yaml has the
 * instructions.
 */
#include "gate/check/allow.h"

#include <spirv/unified1/spirv.h>

/* The feature that the host needs for a capability; 0: every host supports it. */
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
	/* lower_variable_pointers.c lowers them. */
	{ SpvCapabilityVariablePointersStorageBuffer, SUNDOG_FEATURE_VARIABLE_POINTERS },
	{ SpvCapabilityVariablePointers, SUNDOG_FEATURE_VARIABLE_POINTERS },
	/* Vulkan 1.3 requires these. */
	{ SpvCapabilityVulkanMemoryModel, 0 },
	{ SpvCapabilityVulkanMemoryModelDeviceScope, 0 },
	{ SpvCapabilityDotProduct, 0 },
	{ SpvCapabilityDotProductInputAll, 0 },
	{ SpvCapabilityDotProductInput4x8Bit, 0 },
	{ SpvCapabilityDotProductInput4x8BitPacked, 0 },
	{ SpvCapabilityPhysicalStorageBufferAddresses, SUNDOG_FEATURE_ADDRESSES },
	/* Needs layout_flag RESIDENCY, too. */
	{ SpvCapabilitySparseResidency, SUNDOG_FEATURE_SPARSE_MEMORY },
	{ SpvCapabilityMeshShadingEXT, SUNDOG_FEATURE_MESH_SHADERS },
	{ SpvCapabilityRuntimeDescriptorArray, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityShaderNonUniform, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityUniformBufferArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilitySampledImageArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityStorageBufferArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityStorageImageArrayNonUniformIndexing, SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityUniformTexelBufferArrayNonUniformIndexing,
	  SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
	{ SpvCapabilityStorageTexelBufferArrayNonUniformIndexing,
	  SUNDOG_FEATURE_DESCRIPTOR_INDEXING },
};

static bool has_subgroups(const struct gate *g)
{
	switch (g->cmd->stage) {
	case SUNDOG_STAGE_FRAGMENT:
	case SUNDOG_STAGE_COMPUTE:
		return true;
	case SUNDOG_STAGE_TASK:
	case SUNDOG_STAGE_MESH:
		return g->caps->features & SUNDOG_FEATURE_MESH_SUBGROUPS;
	default:
		return false;
	}
}

/* Returns true if the host has a feature for this stage. */
static bool feature_there(const struct gate *g, uint64_t feature)
{
	const bool of_groups = feature == SUNDOG_FEATURE_SUBGROUPS ||
			       feature == SUNDOG_FEATURE_GROUP_OPERATIONS ||
			       feature == SUNDOG_FEATURE_GROUP_DISTANCES;

	/* Without a layout, slots and tables of handles are indexed in other ways. */
	if (feature == SUNDOG_FEATURE_DESCRIPTOR_INDEXING && !g->layout)
		return false;
	if (of_groups && !has_subgroups(g))
		return false;
	/*
	 * The host numbers the invocations of all stages with work groups by this mode; the gate
	 * checks it for compute shaders only.
	 */
	if (feature == SUNDOG_FEATURE_GROUP_DERIVATIVES && g->cmd->stage != SUNDOG_STAGE_COMPUTE)
		return false;
	return (g->caps->features & feature) == feature;
}

bool gate_capability_allowed(const struct gate *g, uint32_t capability)
{
	/* Without it, the host takes the strides of an image for the address of a table. */
	if (capability == SpvCapabilitySparseResidency &&
	    !(g->caps->layout_flags & SUNDOG_LAYOUT_FLAG_RESIDENCY))
		return false;
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		if (capabilities[i].capability == capability)
			return feature_there(g, capabilities[i].feature);
	return false;
}

/* stage.c checks the modes of stages again; the others change no limit and no memory. */
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
