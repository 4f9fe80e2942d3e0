#version 450
// SPDX-License-Identifier: MIT
// A grid of 16 by 16 quads.
layout(vertices = 1) out;

void main()
{
	gl_TessLevelOuter = float[](16.0, 16.0, 16.0, 16.0);
	gl_TessLevelInner = float[](16.0, 16.0);
}
