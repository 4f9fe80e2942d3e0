#version 450
// SPDX-License-Identifier: MIT
layout(lines_adjacency) in;
layout(line_strip, max_vertices = 7) out;
layout(location = 0) in vec4 a[];
layout(location = 0, xfb_buffer = 0, xfb_stride = 20, xfb_offset = 4) out vec4 color;

void main()
{
	for (int i = 0; i < 9; i++) {
		color = a[i % 4];
		gl_Position = gl_in[i & 3].gl_Position;
		gl_Layer = gl_PrimitiveIDIn * 5;
		EmitVertex();
		if (i % 3 == 0)
			EndPrimitive();
	}
}
