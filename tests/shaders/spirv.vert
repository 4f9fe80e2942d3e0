#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec2 vertex;
layout(location = 3) out vec2 place;

void main()
{
	place = vertex;
	gl_Position = vec4(vertex, 0.0, 1.0);
}
