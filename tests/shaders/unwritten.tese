#version 450
// SPDX-License-Identifier: MIT
// PASSES: shows what the control shader has read. READS: shows what it reads of the control shader.
// Otherwise it makes points and writes nothing; with DECLARES it has outputs to which it does not
// write.
#if defined(PASSES) || defined(READS)
layout(quads) in;
#else
layout(quads, point_mode) in;
#endif

#ifdef PASSES
layout(location = 0) patch in uvec4 words[3];
#endif
#ifdef READS
in gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize, gl_ClipDistance[1], gl_CullDistance[1];
} gl_in[gl_MaxPatchVertices];
layout(location = 20) in vec4 missing[];
layout(location = 6) patch in vec4 patch_missing;
#endif
#if defined(PASSES) || defined(READS)
layout(location = 0) flat out uvec4 seen[3];
#elif defined(DECLARES)
out gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize, gl_ClipDistance[1], gl_CullDistance[1];
};
layout(location = 20) out vec4 outside;
#endif

void main()
{
#ifdef PASSES
	seen = words;
#endif
#ifdef READS
	seen[0] = floatBitsToUint(gl_in[0].gl_Position);
	seen[1] = uvec4(floatBitsToUint(gl_in[0].gl_PointSize),
			floatBitsToUint(gl_in[0].gl_ClipDistance[0]),
			floatBitsToUint(gl_in[0].gl_CullDistance[0]),
			floatBitsToUint(patch_missing.x));
	seen[2] = floatBitsToUint(missing[0]);
#endif
#if defined(PASSES) || defined(READS)
	gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.5, 1.0);
#endif
}
