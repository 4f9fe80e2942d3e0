#version 450
// SPDX-License-Identifier: MIT
layout(push_constant) uniform Block { vec4 a; vec4 b[3]; };

void main()
{
	gl_Position = a + b[gl_VertexIndex];
}
