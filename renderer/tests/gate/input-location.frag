#version 450
// SPDX-License-Identifier: MIT
layout(location = 30) in vec4 values[4];
layout(location = 0) out vec4 color;

void main()
{
	color = values[3];
}
