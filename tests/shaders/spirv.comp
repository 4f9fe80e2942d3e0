#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x_id = 1, local_size_y = 2) in;
layout(constant_id = 2) const uint step = 1u;
layout(binding = 3, std430) buffer Words { uint words[]; };
layout(binding = 0, offset = 4) uniform atomic_uint count;

void main()
{
	words[gl_LocalInvocationIndex] = gl_LocalInvocationIndex * step + gl_WorkGroupSize.x;
	atomicCounterIncrement(count);
}
