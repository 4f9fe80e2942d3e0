#version 460
// SPDX-License-Identifier: MIT
layout(points, invocations = 16) in;
layout(points, max_vertices = 1) out;

void main()
{
	gl_Position = gl_in[0].gl_Position;
	gl_ViewportIndex = gl_InvocationID;
	EmitVertex();
}
