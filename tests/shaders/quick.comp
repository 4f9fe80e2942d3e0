#version 450
// SPDX-License-Identifier: MIT
// What is compiled at once: 64 words from `first` on, made of their numbers.
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];
layout(push_constant) uniform Push { uint unused, first; };

void main()
{
	uint i = first + gl_LocalInvocationIndex;

	buffers[0].words[i] = i * 3u + 1u;
}
