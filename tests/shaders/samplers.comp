#version 450
// SPDX-License-Identifier: MIT
// What it sees of images and samplers that are apart, of which a test chooses one each.
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Result {
	uint data[];
} result;
layout(set = 1, binding = 3) uniform sampler samplers[2];
#ifdef INTEGERS
#define TEXTURE utexture2D
#define SAMPLER usampler2D
#define WORD(texel) texel
#else
#define TEXTURE texture2D
#define SAMPLER sampler2D
#define WORD(texel) floatBitsToUint(texel)
#endif
layout(set = 1, binding = 5) uniform TEXTURE images[3];
layout(push_constant) uniform Push {
	uint image, which;
};

void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const vec2 at = vec2(i % 8, i / 8) - 2.0;

	result.data[i] = WORD(textureLod(SAMPLER(images[image], samplers[which]), at / 4.0, 0.0).r);
	result.data[64 + i] = WORD(texelFetch(images[image], ivec2(at), 0).r);
}
