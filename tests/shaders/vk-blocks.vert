#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// A triangle that covers all.
#ifdef CAPTURE
#define OFFSET(n) , xfb_offset = n
#endif
#include "vk-blocks.h"
#ifdef CAPTURE
layout(xfb_buffer = 0, xfb_stride = 48)
#endif
out BLOCK varyings;

void main()
{
	const vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;

	gl_Position = vec4(at, 0.0, 1.0);
	FILL(varyings, at, 0.75)
}
