#version 450
// SPDX-License-Identifier: MIT
// A block of the patch, whose members say so.
layout(vertices = 3) out;
layout(location = 0) patch out Patch { vec4 color; float scale[2]; } whole;

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	gl_TessLevelOuter[0] = 1.0;
	whole.color = vec4(1.0);
	whole.scale[1] = 2.0;
}
