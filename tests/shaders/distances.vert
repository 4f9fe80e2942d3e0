#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec2 vertex;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[5]; float gl_CullDistance[1]; };

void main()
{
	gl_Position = vec4(vertex, 0.0, 1.0);
	for (int i = 0; i < 4; i++)
		gl_ClipDistance[i] = 1.0;
	gl_ClipDistance[4] = vertex.x + 0.5;
	gl_CullDistance[0] = vertex.y;
}
