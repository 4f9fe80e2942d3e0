// SPDX-License-Identifier: MIT
/*
 * Names and properties of SPIR-V's enumerants, see spirv_info.h. Only this file includes the
 * utility code of spirv.h, which defines functions with external linkage.
 */
#define SPV_ENABLE_UTILITY_CODE
#include "gate/spirv_info.h"

#include <spirv/unified1/spirv.h>

#include "sundog_hw.h"

const char *gate_op_name(uint32_t op)
{
	return SpvOpToString(op);
}

const char *gate_builtin_name(uint32_t builtin)
{
	return SpvBuiltInToString(builtin);
}

const char *gate_capability_name(uint32_t capability)
{
	return SpvCapabilityToString(capability);
}

const char *gate_class_name(uint32_t storage_class)
{
	return SpvStorageClassToString(storage_class);
}

const char *gate_decoration_name(uint32_t decoration)
{
	return SpvDecorationToString(decoration);
}

const char *gate_mode_name(uint32_t mode)
{
	return SpvExecutionModeToString(mode);
}

const char *gate_scope_name(uint32_t scope)
{
	return SpvScopeToString(scope);
}

uint32_t gate_execution_model(uint32_t stage)
{
	static const SpvExecutionModel models[] = {
		[SUNDOG_STAGE_VERTEX] = SpvExecutionModelVertex,
		[SUNDOG_STAGE_FRAGMENT] = SpvExecutionModelFragment,
		[SUNDOG_STAGE_GEOMETRY] = SpvExecutionModelGeometry,
		[SUNDOG_STAGE_TESS_CTRL] = SpvExecutionModelTessellationControl,
		[SUNDOG_STAGE_TESS_EVAL] = SpvExecutionModelTessellationEvaluation,
		[SUNDOG_STAGE_COMPUTE] = SpvExecutionModelGLCompute,
		[SUNDOG_STAGE_TASK] = SpvExecutionModelTaskEXT,
		[SUNDOG_STAGE_MESH] = SpvExecutionModelMeshEXT,
	};

	return models[stage];
}

const char *gate_stage_name(uint32_t stage)
{
	return SpvExecutionModelToString(gate_execution_model(stage));
}

bool gate_has_distance(uint32_t op)
{
	return op == SpvOpGroupNonUniformShuffleUp || op == SpvOpGroupNonUniformShuffleDown ||
	       op == SpvOpGroupNonUniformRotateKHR;
}
