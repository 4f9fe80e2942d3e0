#version 450
// SPDX-License-Identifier: MIT
// Streams that are captured, viewports, points of a size, or stores.
#ifdef VIEWPORTS
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
#else
layout(points) in;
layout(points, max_vertices = 3) out;
#endif
layout(location = 0) flat in uint before[];
#ifdef STREAMS
layout(location = 0, stream = 0) flat out uint value;
layout(location = 1, stream = 0, xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0) out uint zero;
layout(location = 2, stream = 1, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0) out uint one;
#else
layout(location = 0) flat out uint value;
#endif
#ifdef STORES
layout(binding = 0) buffer Words { uint words[]; };
#endif

void main()
{
#ifdef STREAMS
	for (uint i = 0; i < 2; i++) {
		one = 50 * before[0] + i;
		EmitStreamVertex(1);
		EndStreamPrimitive(1);
	}
	gl_Position = gl_in[0].gl_Position;
	gl_PointSize = 1.0;
	value = before[0];
	zero = 7 * before[0];
	EmitStreamVertex(0);
	EndStreamPrimitive(0);
#else
	for (int i = 0; i < gl_in.length(); i++) {
		gl_Position = gl_in[i].gl_Position;
		value = before[i];
#ifdef VIEWPORTS
		value = 300 + gl_PrimitiveIDIn / 2;
		gl_ViewportIndex = 1 + gl_PrimitiveIDIn / 2 * 3;
#endif
#ifdef SIZE
		gl_PointSize = 5.0;
#endif
#ifdef STORES
		atomicOr(words[3], 1 << (before[0] & 15));
#endif
		EmitVertex();
	}
#endif
}
