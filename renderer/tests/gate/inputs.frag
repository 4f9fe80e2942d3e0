#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 second;

void main()
{
	color = vec4(gl_PrimitiveID);
	second = vec4(gl_Layer);
}
