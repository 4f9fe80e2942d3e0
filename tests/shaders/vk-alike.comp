#version 450
// SPDX-License-Identifier: MIT
// Blocks that are alike, and whose arrays are not: one element of two of them, and how long they are.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Result {
	uint data[];
} result;
layout(std430, binding = 1) buffer Many {
	uint data[];
} many[2];
layout(std430, binding = 2) buffer Other {
	uint data[];
} other;
layout(push_constant) uniform Push {
	uint index;
	bool second;
} push;

void main()
{
	result.data[0] = push.second ? many[1].data[push.index] : many[0].data[push.index];
	result.data[1] = other.data[push.index];
	result.data[2] = push.second ? many[1].data.length() : many[0].data.length();
	result.data[3] = other.data.length();
}
