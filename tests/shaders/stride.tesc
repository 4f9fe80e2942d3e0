#version 450
// SPDX-License-Identifier: MIT
// Patches of one vertex, at the highest level.
layout(vertices = 1) out;

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 64.0;
	gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 64.0;
	gl_TessLevelInner[0] = gl_TessLevelInner[1] = 64.0;
}
