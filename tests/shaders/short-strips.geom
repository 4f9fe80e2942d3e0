#version 450
// SPDX-License-Identifier: MIT
// Strips of one vertex, as many as there may be: none of them makes a primitive.
#ifdef LARGE
layout(triangles, invocations = 32) in;
#else
layout(points) in;
#endif
#ifdef LINES
layout(line_strip, max_vertices = VERTICES) out;
#else
layout(triangle_strip, max_vertices = VERTICES) out;
#endif
layout(location = 1) flat out uint column;

void main()
{
	for (int i = 0; i < 2 * VERTICES; i++) {
		column = 0x7aceca11;
		gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
		EmitVertex();
		EndPrimitive();
	}
}
