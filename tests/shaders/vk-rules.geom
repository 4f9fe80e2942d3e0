#version 450
// SPDX-License-Identifier: MIT
// Emits a strip to stream 0 by the instructions of streams.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

void main()
{
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[i].gl_Position;
		EmitStreamVertex(0);
	}
	EndStreamPrimitive(0);
}
