// SPDX-License-Identifier: MIT
#version 450

layout(location = 0) in uvec4 number;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main()
{
	result[0] = number.x;
	gl_Position = vec4(0);
	gl_PointSize = 1;
}
