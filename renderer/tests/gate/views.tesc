#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require
layout(vertices = 3) out;

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	gl_TessLevelOuter = float[](gl_ViewIndex, 1.0, 1.0, 1.0);
	gl_TessLevelInner = float[](1.0, 1.0);
}
