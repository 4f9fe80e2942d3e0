#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require
layout(points) in;
layout(points, max_vertices = 1) out;

void main()
{
	gl_Position = gl_in[0].gl_Position + gl_ViewIndex;
	EmitVertex();
}
