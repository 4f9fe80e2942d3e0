#version 460
// SPDX-License-Identifier: MIT
// The triangles that a patch became, as they are.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) flat in uvec2 words_in[];
layout(location = 0) flat out uvec2 words;

void main()
{
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[i].gl_Position;
		words = words_in[i];
		EmitVertex();
	}
}
