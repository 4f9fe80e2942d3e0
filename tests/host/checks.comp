#version 450
// SPDX-License-Identifier: MIT
// A shader that the renderer checks for half a second or, with LONG, for some seconds.
layout(local_size_x = 1) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];

#define ONE	if (a > b) { a += b * c; c ^= a; } else { b += a | c; c += b; }
#define EIGHT	ONE ONE ONE ONE ONE ONE ONE ONE
#define MANY	EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

void main()
{
	uint a = buffers[0].words[0], b = buffers[0].words[1], c = buffers[0].words[2];

	MANY MANY MANY MANY MANY MANY MANY MANY
	MANY MANY MANY MANY MANY MANY MANY MANY
	MANY MANY MANY MANY MANY MANY MANY MANY
#ifdef LONG
	MANY MANY MANY MANY MANY MANY MANY MANY
	MANY MANY MANY MANY MANY MANY MANY MANY
#endif
	buffers[0].words[0] = a + b + c;
}
