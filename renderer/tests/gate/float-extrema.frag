#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_shader_atomic_float2 : require
layout(set = 1, binding = 34) buffer Words { float words[]; };

void main()
{
	atomicMin(words[0], 1.0);
}
