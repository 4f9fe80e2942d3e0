// SPDX-License-Identifier: MIT
#version 460

/* What a mesh shader's vertices have. NUMBER: and the number of the primitive; FACE: and the side that is seen; DISTANCES: so many, too. */

layout(location = 0) flat in uvec2 value;
layout(location = 0) out uvec2 result;

void main()
{
	result = value;
#ifdef NUMBER
	result.x += gl_PrimitiveID;
#endif
#ifdef DISTANCES
	result.y += uint(gl_ClipDistance[0] + gl_ClipDistance[DISTANCES - 1]) / 2;
#endif
#ifdef FACE
	result.x += gl_FrontFacing ? 0 : 0x10000;
#endif
}
