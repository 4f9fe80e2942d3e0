#version 450
// SPDX-License-Identifier: MIT
layout(location = 1, index = 1) out vec4 second;

void main()
{
	second = vec4(1.0);
}
