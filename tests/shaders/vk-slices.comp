#version 450
// SPDX-License-Identifier: MIT
// Adds to a slice of a volume, which is an image of two dimensions.
layout(local_size_x = 8, local_size_y = 8) in;
layout(r32ui, set = 0, binding = 0) uniform uimage2D slice;

void main()
{
	const ivec2 at = ivec2(gl_LocalInvocationID.xy);

	imageStore(slice, at, imageLoad(slice, at) + uvec4(1000 + at.x + 16 * at.y));
}
