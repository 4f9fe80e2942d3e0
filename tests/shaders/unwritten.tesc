#version 450
// SPDX-License-Identifier: MIT
// A control shader that writes levels only. READS: it passes on what it reads of the vertex. With
// DECLARES it has outputs to which it does not write.
layout(vertices = 1) out;

in gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize, gl_ClipDistance[1], gl_CullDistance[1];
} gl_in[gl_MaxPatchVertices];
#ifdef READS
layout(location = 20) in vec4 missing[];
layout(location = 0) patch out uvec4 words[3];
#endif
#ifdef DECLARES
out gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize, gl_ClipDistance[1], gl_CullDistance[1];
} gl_out[];
layout(location = 20) out vec4 outside[];
layout(location = 6) patch out vec4 patch_outside;
#endif

void main()
{
#ifdef READS
	words[0] = floatBitsToUint(gl_in[0].gl_Position);
	words[1] = uvec4(floatBitsToUint(gl_in[0].gl_PointSize),
			 floatBitsToUint(gl_in[0].gl_ClipDistance[0]),
			 floatBitsToUint(gl_in[0].gl_CullDistance[0]), 0u);
	words[2] = floatBitsToUint(missing[0]);
#endif
	gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 1.0;
	gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 1.0;
	gl_TessLevelInner[0] = gl_TessLevelInner[1] = 1.0;
}
