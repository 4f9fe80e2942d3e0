#version 450
// SPDX-License-Identifier: MIT
// A block of the patch, and one of each vertex.
layout(vertices = 3) out;
layout(location = 0) patch out Patch { vec4 color; float scale[2]; } whole;
layout(location = 4) out Vertex { float one; } each[];

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	each[gl_InvocationID].one = float(gl_InvocationID);
	gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
	gl_TessLevelInner[0] = 2.0;
	whole.color = vec4(0.0, 0.5, 0.0, 1.0);
	whole.scale[0] = 1.0;
	whole.scale[1] = 2.0;
}
