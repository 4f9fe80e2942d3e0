#version 450
// SPDX-License-Identifier: MIT
// A word for each pixel, late.
layout(set = 1, binding = 34) buffer Words { uint words[]; } buffers[16];
layout(push_constant) uniform Push { uint rounds, value; };
layout(location = 0) out uvec2 pixel;

void main()
{
	uvec2 at = uvec2(gl_FragCoord.xy);
	uint number = at.x;

	for (uint i = 0u; i < rounds; i++)
		number = number * 1664525u + 1013904223u;
	buffers[0].words[at.y * 64u + at.x] = (number & 1u) + value;
	pixel = uvec2(number, value);
}
