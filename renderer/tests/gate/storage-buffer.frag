#version 450
// SPDX-License-Identifier: MIT
layout(set = 1, binding = 34) buffer Block { vec4 data[]; };
layout(location = 0) out vec4 color;

void main()
{
	color = data[3];
}
