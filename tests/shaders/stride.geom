#version 450
// SPDX-License-Identifier: MIT
// Passes triangles on, with a number that llvmpipe need not add.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

void main()
{
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[i].gl_Position;
		gl_PrimitiveID = 7;
		EmitVertex();
	}
}
