#version 450
// SPDX-License-Identifier: MIT
// A patch of one vertex: its number goes on, or NUMBER; the levels come from outside.
#ifndef NUMBER
#define NUMBER number[0]
#endif
layout(vertices = 1) out;
layout(push_constant) uniform Push { float level; };
layout(location = 0) flat in uint number[];
layout(location = 0) out uint numbers[];

void main()
{
	numbers[gl_InvocationID] = NUMBER;
	for (int i = 0; i < 4; i++)
		gl_TessLevelOuter[i] = level;
	for (int i = 0; i < 2; i++)
		gl_TessLevelInner[i] = level;
}
