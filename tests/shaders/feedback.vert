#version 450
// SPDX-License-Identifier: MIT
// Two buffers: what tells vertices apart, interleaved with a constant, and where they are.
layout(xfb_buffer = 0, xfb_stride = 12) out;
layout(xfb_buffer = 1, xfb_stride = 16) out;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0) flat out uint number;
layout(location = 1, xfb_buffer = 0, xfb_offset = 4) out vec2 constant;
layout(location = 2, xfb_buffer = 1, xfb_offset = 0) out vec4 place;

void main()
{
	number = gl_VertexIndex;
	constant = vec2(0.5, 0.25);
	place = vec4(gl_VertexIndex, gl_InstanceIndex, 2.0, 3.0);
	gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
	gl_PointSize = 1.0;
}
