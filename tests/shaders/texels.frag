#version 450
// SPDX-License-Identifier: MIT
// The texel of each column: what it is, and how many there are.
layout(binding = 51, set = 1) uniform SAMPLER texels;
layout(push_constant) uniform Push { int first; };
layout(location = 0) out uvec2 words;

void main()
{
	words = uvec2(WORD(texelFetch(texels, first + int(gl_FragCoord.x)).r), textureSize(texels));
}
