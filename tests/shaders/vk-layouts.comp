#version 450
// SPDX-License-Identifier: MIT
// Adds a number to each word of one buffer, in another, at bindings with these numbers.
layout(local_size_x = 16) in;
layout(set = 0, binding = FIRST) buffer First { uint words[]; } first;
layout(set = 0, binding = SECOND) buffer Second { uint words[]; } second;

void main()
{
	second.words[gl_GlobalInvocationID.x] = first.words[gl_GlobalInvocationID.x] + 100u;
}
