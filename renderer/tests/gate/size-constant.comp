#version 460
// SPDX-License-Identifier: MIT
// Sides that are constants, whatever a program specialises them to.
layout(local_size_x_id = 0, local_size_y = 2, local_size_z_id = 1) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };

void main()
{
	words[gl_LocalInvocationIndex] = gl_WorkGroupSize.x;
}
