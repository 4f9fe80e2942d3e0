#version 460
// SPDX-License-Identifier: MIT
// Vertices of the patch by a number that is pushed, and levels of tessellation that are, too.
layout(vertices = 4) out;
layout(push_constant) uniform Push { uint number; float level; };
layout(location = 0) in uint number_in[];
layout(location = 0) out uint mine[];
layout(location = 1) patch out uint others;

void main()
{
	mine[gl_InvocationID] = number_in[gl_InvocationID + number];
#ifndef NOWHERE
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
#endif
	barrier();
	if (gl_InvocationID == 0) {
		others = mine[gl_InvocationID + number] * 16u + mine[3];
		gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = level;
		gl_TessLevelInner[number] = level;
		gl_TessLevelInner[0] = gl_TessLevelInner[1] = level;
		if (floatBitsToUint(gl_TessLevelOuter[number]) != floatBitsToUint(level))
			others = 0x10000u;
	}
}
