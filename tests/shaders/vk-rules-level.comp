#version 450
// SPDX-License-Identifier: MIT
// Stores to the image of a view that has more levels.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform writeonly image2D image;

void main()
{
	imageStore(image, ivec2(gl_LocalInvocationID.xy), vec4(1));
}
