#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 position;
layout(location = 1) in float size;

void main()
{
	gl_Position = position;
	gl_PointSize = size;
}
