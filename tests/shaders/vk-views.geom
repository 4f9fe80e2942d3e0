#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) flat in uint before[];
layout(location = 0) flat out uint stages;

void main()
{
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[i].gl_Position;
		stages = before[i] + 16 * (1 + gl_ViewIndex);
		EmitVertex();
	}
}
