#version 450
// SPDX-License-Identifier: MIT
// What samplers make of the texels around a corner: their average, the least, the greatest.
layout(local_size_x = 1) in;
layout(std430, binding = 0) writeonly buffer Result {
	float data[];
} result;
layout(binding = 1) uniform sampler2D pictures[3];

void main()
{
	for (int i = 0; i < 3; i++)
		result.data[i] = textureLod(pictures[i], vec2(0.5), 0.0).r;
}
