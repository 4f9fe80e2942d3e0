#version 450
// SPDX-License-Identifier: MIT
// Counts in an image and in a buffer of texels.
layout(local_size_x = 64) in;
layout(set = 5, binding = 35, r32ui) uniform uimage2D image;
layout(set = 5, binding = 83, r32ui) uniform uimageBuffer texels;
layout(push_constant) uniform Push { int first; };

void main()
{
	int i = first + int(gl_GlobalInvocationID.x & 7u);

	imageAtomicAdd(image, ivec2(i, 1), 1u);
	imageAtomicMax(texels, i, gl_GlobalInvocationID.x);
}
