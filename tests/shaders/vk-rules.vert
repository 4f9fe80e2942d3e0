#version 450
// SPDX-License-Identifier: MIT
// A triangle that covers everything, or a horizontal line; captures its numbers.
layout(xfb_buffer = 0, xfb_stride = 8) out;
#ifdef NONE
layout(location = 0) out uvec2 numbers;
#else
layout(location = 0, xfb_offset = 0) out uvec2 numbers;
#endif

void main()
{
	gl_Position = vec4((gl_VertexIndex & 1) * 4 - 1, (gl_VertexIndex >> 1 & 1) * 4 - 1, 0, 1);
#ifdef LINE
	gl_Position = vec4((gl_VertexIndex & 1) * 2 - 1, 0, 0, 1);
#endif
	numbers = uvec2(gl_VertexIndex, gl_InstanceIndex);
}
