#version 450
// SPDX-License-Identifier: MIT
// As long as a shader may be, in loops: it takes seconds until the host has it in its own form.
layout(local_size_x = 1) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];

#define ONE	if (a > b) { a += b * c; c ^= a; } else { b += a | c; c += b; }
#define EIGHT	ONE ONE ONE ONE ONE ONE ONE ONE
#define MANY	EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
#define LOOP	for (uint i = 0u; i < c; i++) { MANY MANY MANY MANY if (i > a) continue; if (c == i) break; }

void main()
{
	uint a = buffers[0].words[0], b = buffers[0].words[1], c = buffers[0].words[2];

	LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP
	buffers[0].words[0] = a + b + c;
}
