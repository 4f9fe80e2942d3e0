#version 460
// SPDX-License-Identifier: MIT
// Floats that all invocations add to, and that each puts in the place of another.
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words {
	float sum, last, old_sum, shared_sum, shared_last, old_shared_sum, old_image_sum;
} result;
layout(set = 0, binding = 1, r32f) uniform image2D image;
shared float total, noted, old_noted;

void main()
{
	const float me = float(gl_LocalInvocationIndex);

	if (gl_LocalInvocationIndex == 0u)
		total = noted = old_noted = 0.0;
	barrier();
	atomicAdd(result.sum, me * 0.5);
	atomicAdd(result.old_sum, atomicExchange(result.last, me + 1.0));
	atomicAdd(total, me * 0.25);
	atomicAdd(old_noted, atomicExchange(noted, me + 1.0));
	imageAtomicAdd(image, ivec2(gl_LocalInvocationIndex % 4u, 0), me);
	atomicAdd(result.old_image_sum, imageAtomicExchange(image, ivec2(2, 1), me + 1.0));
	barrier();
	if (gl_LocalInvocationIndex == 0u) {
		result.shared_sum = total;
		result.shared_last = noted;
		result.old_shared_sum = old_noted;
	}
}
