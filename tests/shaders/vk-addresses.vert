#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// A triangle that covers everything, of corners at an address.
#include "vk-addresses.h"
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Corners {
	vec2 at[];
};
layout(push_constant) uniform Push {
	Corners corners;
	Words words;
	uint width;
};
layout(location = 0) flat out uvec2 found;

void main()
{
	gl_Position = vec4(corners.at[gl_VertexIndex], 0, 1);
	found = uvec2(words);
}
