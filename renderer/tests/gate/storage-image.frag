#version 450
// SPDX-License-Identifier: MIT
layout(set = 1, binding = 35, rgba8) uniform image2D image;
layout(location = 0) out vec4 color;

void main()
{
	color = imageLoad(image, ivec2(0));
}
