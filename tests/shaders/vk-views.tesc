#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require
layout(vertices = 3) out;
layout(location = 0) flat in uint before[];
layout(location = 0) patch out uint stages;

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	gl_TessLevelOuter = float[](1.0, 1.0, 1.0, 1.0);
	gl_TessLevelInner = float[](1.0, 1.0);
	stages = before[0] + 256 * (1 + gl_ViewIndex);
}
