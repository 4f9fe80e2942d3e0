// SPDX-License-Identifier: MIT
#version 450

layout(location = 0) in vec4 position;
layout(location = 1) in vec4 vertex_color;

layout(location = 0) flat out vec4 color;

void main()
{
	gl_Position = position;
	gl_PointSize = 5.0;
	color = vertex_color;
}
