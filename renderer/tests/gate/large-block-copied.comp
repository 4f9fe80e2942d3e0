#version 450
// SPDX-License-Identifier: MIT
// A value of more parts than there may be.
struct Many { uint words[300000]; };
layout(local_size_x = 1) in;
layout(set = 5, binding = 34) buffer Words { Many a, b; };

void main()
{
	a = b;
}
