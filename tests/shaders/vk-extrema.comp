#version 460
// SPDX-License-Identifier: MIT
// The least and the greatest of floats that all invocations have.
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words {
	float least, greatest, shared_least, shared_greatest, sum;
} result;
layout(set = 0, binding = 1, r32f) uniform image2D image;
shared float low, high;

void main()
{
	const float me = float(gl_LocalInvocationIndex) - 20.5;

	if (gl_LocalInvocationIndex == 0u)
		low = high = 0.25;
	barrier();
	atomicMin(result.least, me);
	atomicMax(result.greatest, me);
	atomicMin(low, me);
	atomicMax(high, me);
	imageAtomicMin(image, ivec2(gl_LocalInvocationIndex % 2u, 0), me);
	imageAtomicMax(image, ivec2(2u + gl_LocalInvocationIndex % 2u, 0), me);
	barrier();
	if (gl_LocalInvocationIndex == 0u) {
		result.shared_least = low;
		result.shared_greatest = high;
	}
}
