#version 460
// SPDX-License-Identifier: MIT
layout(vertices = 4) out;
layout(location = 0) in vec4 color_in[];
layout(location = 0) out vec4 color[];
layout(location = 1) patch out vec4 middle;
layout(location = 31) patch out float last;

void main()
{
	color[gl_InvocationID] = color_in[gl_InvocationID % gl_PatchVerticesIn];
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	barrier();
	if (gl_InvocationID == 0) {
		middle = color[0] + color[gl_PrimitiveID] + gl_out[3].gl_Position;
		last = middle.x;
		gl_TessLevelOuter = float[](1.0, 2.0, 3.0, 4.0);
		gl_TessLevelInner[gl_PrimitiveID] = 5.0;
	}
}
