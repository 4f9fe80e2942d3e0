#version 460
// SPDX-License-Identifier: MIT
// Corners of the target, and who they are.
layout(location = 0) out uint number;

void main()
{
	number = gl_VertexIndex + 1;
	gl_Position = vec4((gl_VertexIndex & 1) * 2.0 - 1.0, (gl_VertexIndex & 2) - 1.0, 0.0, 1.0);
}
