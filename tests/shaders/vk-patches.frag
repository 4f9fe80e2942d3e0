#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;

void main()
{
	result = color;
}
