#version 450
// SPDX-License-Identifier: MIT
// Each edge becomes two.
layout(vertices = 3) out;
layout(location = 0) in float shade[];
layout(location = 0) out float shades[];

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	shades[gl_InvocationID] = shade[gl_InvocationID];
	gl_TessLevelOuter = float[](2.0, 2.0, 2.0, 0.0);
	gl_TessLevelInner = float[](1.0, 0.0);
}
