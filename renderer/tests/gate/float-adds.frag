#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_shader_atomic_float : require
layout(set = 1, binding = 34) buffer Words { float words[]; };

void main()
{
	atomicAdd(words[0], 1.0);
}
