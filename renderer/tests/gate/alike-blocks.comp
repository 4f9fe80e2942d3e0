#version 450
// SPDX-License-Identifier: MIT
// Two blocks that are alike, one of them an array.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 4) buffer Many { uint data[]; } many[4];
layout(set = 0, binding = 1) buffer Other { uint data[]; } other;

void main()
{
	result[0] = many[1].data[1] + other.data[1];
}
