#version 450
// SPDX-License-Identifier: MIT
// Draws a triangle that covers the target. The first locations have the inputs that shaders of the
// fuzzer may read.
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) flat out ivec4 c;
void main()
{
	gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0,
			   0.0, 1.0);
	a = gl_Position * 1e9;
	b = gl_Position;
	c = ivec4(gl_VertexIndex * 0x7fffffff, -1, 1 << 30, 7);
}
