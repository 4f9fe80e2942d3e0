#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
#include "vk-blocks.h"
layout(vertices = 3) out;
in BLOCK given[];
out BLOCK varyings[];
patch out Whole {
	layout(location = 12, component = 3) float scale;
	layout(location = 3) vec2 list[2];
} whole;

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	PASS(varyings[gl_InvocationID], given[gl_InvocationID])
	gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
	gl_TessLevelInner[0] = 2.0;
	whole.scale = 0.5;
	whole.list[0] = vec2(1.0, 2.0);
	whole.list[1] = vec2(3.0, 4.0);
}
