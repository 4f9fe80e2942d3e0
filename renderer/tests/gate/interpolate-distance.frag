#version 460
// SPDX-License-Identifier: MIT
in float gl_ClipDistance[8];
layout(location = 0) out vec4 color;

void main()
{
	color = vec4(interpolateAtCentroid(gl_ClipDistance[7]));
}
