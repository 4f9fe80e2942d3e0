#version 450
// SPDX-License-Identifier: MIT
// One invocation that runs the number of rounds in the push constants.
layout(local_size_x = 1) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];
layout(push_constant) uniform Push { uint rounds; };

void main()
{
	uint a = rounds;

	for (uint i = 0u; i < rounds; i++)
		a = a * 1664525u + (1013904223u ^ (a >> 3));
	buffers[0].words[0] = a;
}
