#version 450
// SPDX-License-Identifier: MIT
// A colour from a descriptor in a set.
layout(std430, set = 0, binding = 0) readonly buffer Source {
	uint data[];
} sources[4];
layout(location = 0) out uvec2 color;

void main()
{
	color = uvec2(sources[0].data[0], 0);
}
