#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 vertex;
out float gl_ClipDistance[7];

void main()
{
	gl_Position = vertex;
	gl_ClipDistance[6] = vertex.x;
}
