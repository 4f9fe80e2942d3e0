#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 8) in;
layout(set = 5, binding = 34) buffer Words { float words[]; };
layout(set = 5, binding = 35, r32f) uniform image2D image;
shared float least;

void main()
{
	atomicMin(least, 1.0);
	atomicMax(words[0], least);
	imageAtomicMax(image, ivec2(0), 1.0);
}
