#version 460
// SPDX-License-Identifier: MIT
// Floats that are all as IEEE 754 has them.
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
layout(location = 0) flat in float number;
layout(location = 0) out float result;

void main()
{
	result = number * 0.0;
}
