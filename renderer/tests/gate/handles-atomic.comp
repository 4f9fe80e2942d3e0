#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 1) in;
layout(set = 6, binding = 35, r32ui) uniform uimage2D images[4096];
layout(push_constant) uniform Push { int handle; };

void main()
{
	imageAtomicAdd(images[handle], ivec2(0), 1u);
}
