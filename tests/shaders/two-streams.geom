#version 450
// SPDX-License-Identifier: MIT
// A point becomes one of stream 0, and two of stream 1; each stream is captured to a buffer of its own.
layout(points) in;
layout(points, max_vertices = 3) out;
layout(location = 0) flat in uint number[];
layout(stream = 0, xfb_buffer = 0, xfb_stride = 4) out;
layout(stream = 1, xfb_buffer = 1, xfb_stride = 8) out;
layout(stream = 0, location = 1, xfb_buffer = 0, xfb_offset = 0) flat out uint column;
layout(stream = 1, location = 2, xfb_buffer = 1, xfb_offset = 0) flat out uvec2 pair;

void main()
{
	column = number[0];
	gl_Position = vec4((number[0] + 0.5) / 32.0 - 1.0, 0.0625, 0.0, 1.0);
	gl_PointSize = 1.0;
	EmitStreamVertex(0);
	EndStreamPrimitive(0);
	for (uint i = 0; i < 2; i++) {
		pair = uvec2(number[0], 100u + i);
		EmitStreamVertex(1);
		EndStreamPrimitive(1);
	}
}
