#version 450
// SPDX-License-Identifier: MIT
// Invocation i reads element i of a binding whose elements are of several types, all as one of TYPE; or stores to it.
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Result {
	uint result[];
};
layout(set = 0, binding = 1) uniform utexture2D plain;
#define AT layout(set = 1, binding = 3)
#define THING things[nonuniformEXT(i)]
#if TYPE == 0
AT uniform sampler things[8];
#define VALUE textureLod(usampler2D(plain, THING), vec2(-1.5), 0.0).r
#elif TYPE == 1
AT uniform usampler2D things[8];
#define VALUE texelFetch(THING, ivec2(0), 0).r
#elif TYPE == 2
AT uniform utexture2D things[8];
#define VALUE texelFetch(THING, ivec2(0), 0).r
#elif TYPE == 3
layout(set = 1, binding = 3, r32ui) uniform uimage2D things[8];
#define VALUE imageLoad(THING, ivec2(0)).r
#define STORE imageStore(THING, ivec2(0), uvec4(5))
#elif TYPE == 4
AT uniform usamplerBuffer things[8];
#define VALUE texelFetch(THING, 0).r
#elif TYPE == 5
layout(set = 1, binding = 3, r32ui) uniform uimageBuffer things[8];
#define VALUE imageLoad(THING, 0).r
#define STORE imageStore(THING, 0, uvec4(5))
#elif TYPE == 6
layout(std140, set = 1, binding = 3) uniform Thing {
	uvec4 words;
} things[8];
#define VALUE THING.words.x
#elif TYPE == 7
layout(std430, set = 1, binding = 3) buffer Thing {
	uint words[];
} things[8];
#define VALUE THING.words[0]
#define STORE THING.words[0] = 5
#endif
#ifdef TWO
layout(std140, set = 1, binding = 3) uniform Other {
	uvec4 words;
} others[8];
#undef VALUE
#define VALUE things[nonuniformEXT(i)].words[0] + others[nonuniformEXT(i)].words.x
#endif

void main()
{
	const uint i = gl_LocalInvocationIndex;

	result[i] = VALUE;
#if defined(STORES)
	STORE;
#endif
}
