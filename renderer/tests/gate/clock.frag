#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_shader_clock : require
layout(location = 0) out uvec2 result;

void main()
{
	result = clock2x32ARB();
}
