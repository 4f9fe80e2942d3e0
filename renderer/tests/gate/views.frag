#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require
layout(location = 0) out vec4 color;

void main()
{
	color = vec4(gl_ViewIndex);
}
