#version 450
// SPDX-License-Identifier: MIT
// Samples a texture of KIND (as in stream-views.c) by OP at coordinates that are no such things: what is
// not a number, what has no end, what is just beyond an edge, in all mixtures. In a compute shader, too.
#ifdef COMPUTE
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 64, local_size_y = 16) in;
layout(derivative_group_quadsNV) in;
#define SET 5
#else
#define SET 1
#endif
#if KIND == 0
#define TYPE sampler1D
#define PLACE at.x
#define GRADIENT(v) v.x
#define OFFSET 7
#elif KIND == 1
#define TYPE sampler2D
#define PLACE at.xy
#define GRADIENT(v) v.xy
#define OFFSET ivec2(7, -8)
#define GATHERS
#elif KIND == 2
#define TYPE sampler3D
#define PLACE at.xyz
#define GRADIENT(v) v.xyz
#define OFFSET ivec3(7, -8, 7)
#elif KIND == 3
#define TYPE samplerCube
#define PLACE at.xyz
#define GRADIENT(v) v.xyz
#define GATHERS
#elif KIND == 4
#define TYPE sampler1DArray
#define PLACE at.xz
#define GRADIENT(v) v.x
#define OFFSET 7
#elif KIND == 5
#define TYPE sampler2DArray
#define PLACE at.xyz
#define GRADIENT(v) v.xy
#define OFFSET ivec2(7, -8)
#define GATHERS
#else
#define TYPE samplerCubeArray
#define PLACE at.xyzw
#define GRADIENT(v) v.xyz
#define GATHERS
#endif

#if OP == 0
#define SAMPLE textureLod(tex, PLACE, level)
#elif OP == 1
#define SAMPLE texture(tex, PLACE, level)
#elif OP == 2
#define SAMPLE textureGrad(tex, PLACE, GRADIENT(at.yzwx), GRADIENT(at.zwxy))
#elif defined(OFFSET)
#define SAMPLE textureLodOffset(tex, PLACE, level, OFFSET)
#else
#define SAMPLE textureLod(tex, PLACE, -level)
#endif

layout(set = SET, binding = 1) uniform TYPE tex;
layout(push_constant) uniform Level { float level; };
#ifdef COMPUTE
layout(std430, set = SET, binding = 34) writeonly buffer Pixels {
	uvec2 pixels[];
} buffers[16];
#else
layout(location = 0) out uvec2 bits;
#endif

// nan, -nan, inf, -inf, the largest and its negative, 2^31, the smallest, 2^24 + 2, -1e9, the smallest normal one,
// 0, below 1, 1, above 1, 0.3
const uint special[16] = uint[](0x7fc00000, 0xffffffff, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff, 0x4f000000,
	0x00000001, 0x4b800001, 0xce6e6b28, 0x80800000, 0, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3e99999a);

void main()
{
#ifdef COMPUTE
	uvec2 bits;
	int i = int(gl_LocalInvocationIndex);
#else
	int i = int(gl_FragCoord.y) * 64 + int(gl_FragCoord.x);
#endif
	vec4 at = vec4(uintBitsToFloat(special[i & 15]), uintBitsToFloat(special[i >> 4 & 15]),
		       uintBitsToFloat(special[(i >> 6 & 12) | (i >> 2 & 3)]), uintBitsToFloat(special[i * 7 & 15]));

	bits = floatBitsToUint((SAMPLE).xy);
#ifdef GATHERS
	vec4 four = textureGather(tex, PLACE);
	bits.y = floatBitsToUint(max(max(four.x, four.y), max(four.z, four.w)));
#endif
#ifdef COMPUTE
	buffers[0].pixels[i] = bits;
#endif
}
