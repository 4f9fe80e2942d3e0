#version 450
// SPDX-License-Identifier: MIT
in float gl_ClipDistance[5];
layout(location = 0) out vec4 result;

void main()
{
	result = vec4(gl_ClipDistance[4] > 0.75, gl_ClipDistance[0] > 0.75, 0.0, 1.0);
}
