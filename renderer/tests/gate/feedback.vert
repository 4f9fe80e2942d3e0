#version 450
// SPDX-License-Identifier: MIT
layout(location = 0, xfb_buffer = 0, xfb_stride = 28, xfb_offset = 0) out vec2 pair;
layout(location = 1, xfb_buffer = 0, xfb_stride = 28, xfb_offset = 8) out mat2 four;
layout(location = 3, xfb_buffer = 1, xfb_stride = 8, xfb_offset = 4) flat out int single;

void main()
{
	pair = vec2(1.0, 2.0);
	four = mat2(3.0);
	single = gl_VertexIndex;
	gl_Position = vec4(0.0);
}
