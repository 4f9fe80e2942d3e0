#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;

void main()
{
	color = interpolateAtSample(value, 1000);
}
