#version 450
// SPDX-License-Identifier: MIT
// A triangle from a buffer.
layout(location = 0) in vec2 corner;

void main()
{
	gl_Position = vec4(corner, 0.0, 1.0);
}
