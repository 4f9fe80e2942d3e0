#version 450
// SPDX-License-Identifier: MIT
// Nothing is ever emitted, and a compiler sees that.
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;

void main()
{
	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
#ifdef NEVER
	if (1 == 2)
		EmitVertex();
#endif
	EndPrimitive();
}
