#version 450
// SPDX-License-Identifier: MIT
layout(binding = 51, set = 1, r32f) readonly uniform imageBuffer a;
layout(location = 0) out vec4 color;

void main()
{
	color = imageLoad(a, 3);
}
