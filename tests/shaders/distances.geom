#version 450
// SPDX-License-Identifier: MIT
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[5]; float gl_CullDistance[1]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[5]; };

void main()
{
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[i].gl_Position;
		for (int j = 0; j < 5; j++)
			gl_ClipDistance[j] = gl_in[i].gl_ClipDistance[j] * (gl_in[i].gl_CullDistance[0] + 2.0);
		EmitVertex();
	}
}
