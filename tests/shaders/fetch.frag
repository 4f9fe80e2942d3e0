#version 450
// SPDX-License-Identifier: MIT
// One sample of each texel, of a layer if there are some.
#ifdef ARRAY
layout(binding = 1, set = 1) uniform sampler2DMSArray tex;
#define AT(coord) ivec3(coord, layer)
#else
layout(binding = 1, set = 1) uniform sampler2DMS tex;
#define AT(coord) ivec2(coord)
#endif
layout(push_constant) uniform Push { int number, layer; };
layout(location = 0) out uvec2 words;

void main()
{
	words = uvec2(floatBitsToUint(texelFetch(tex, AT(gl_FragCoord.xy), number).r), textureSamples(tex));
}
