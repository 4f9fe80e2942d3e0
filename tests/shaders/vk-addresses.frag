#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// Each fragment has a word of its own to change, at an address that the vertex shader hands on.
#include "vk-addresses.h"
layout(push_constant) uniform Push {
	uvec2 corners;
	Words words;
	uint width;
};
layout(location = 0) flat in uvec2 found;

void main()
{
	const uint i = uint(gl_FragCoord.y) * width + uint(gl_FragCoord.x);

	Words(found).word[i] += i;
	atomicAdd(words.word[width * width], 1);
}
