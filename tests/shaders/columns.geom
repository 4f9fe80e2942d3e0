#version 450
// SPDX-License-Identifier: MIT
// A primitive becomes a column of the target, two triangles: its number by its first vertex's.
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) flat in uint number[];
layout(location = 1) flat out uint column;

void main()
{
	for (int i = 0; i < 4; i++) {
		column = number[0];
		gl_PrimitiveID = gl_PrimitiveIDIn;
		gl_Position = vec4((number[0] + (i & 1)) / 32.0 - 1.0, (i & 2) - 1.0, 0.0, 1.0);
		EmitVertex();
	}
	EndPrimitive();
}
