#version 450
// SPDX-License-Identifier: MIT
// Points where a patch's first vertex is, or all that can be seen; of NUMBER, which is that of the patch.
#ifdef ALL
layout(quads, ccw) in;
#else
layout(triangles, point_mode) in;
#endif
layout(location = 0) patch in uint vertices;
layout(location = 1) patch in uint number;
layout(location = 0) flat out uint value;
#ifdef LARGE
// So much that the host has no room for all of the patches that a draw can have at once.
layout(location = 1) out vec4 more[24];
#endif
#ifdef STORES
layout(binding = 0) buffer Words { uint words[]; };
#endif

void main()
{
	gl_Position = gl_in[0].gl_Position;
	value = 400 + 16 * vertices + NUMBER;
#ifdef ALL
	gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0, 1);
#endif
#ifdef SIZE
	gl_PointSize = SIZE;
#endif
#ifdef LARGE
	for (int i = 0; i < 24; i++)
		more[i] = gl_Position;
#endif
#ifdef STORES
	atomicOr(words[2], 1 << gl_PrimitiveID);
#endif
}
