#version 450
// SPDX-License-Identifier: MIT
// READS: shows what it reads of a point all over the picture. Otherwise it writes positions only.
#ifndef INPUT
#define INPUT points
#endif
layout(INPUT) in;
layout(triangle_strip, max_vertices = 4) out;

#ifdef READS
in gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize, gl_ClipDistance[1], gl_CullDistance[1];
} gl_in[];
layout(location = 20) in vec4 missing[];
layout(location = 0) flat out uvec4 seen[3];
#endif

void main()
{
	for (int i = 0; i < 4; i++) {
#ifdef READS
		seen[0] = floatBitsToUint(gl_in[0].gl_Position);
		seen[1] = uvec4(floatBitsToUint(gl_in[0].gl_PointSize),
				floatBitsToUint(gl_in[0].gl_ClipDistance[0]),
				floatBitsToUint(gl_in[0].gl_CullDistance[0]), 0u);
		seen[2] = floatBitsToUint(missing[0]);
#endif
		gl_Position = vec4((i & 1) == 0 ? -1.0 : 1.0, (i & 2) == 0 ? -1.0 : 1.0, 0.5, 1.0);
		EmitVertex();
	}
}
