#version 450
#extension GL_EXT_control_flow_attributes : require
// SPDX-License-Identifier: MIT
// A few hundred words that ask for a loop of 20,000 turns to be unrolled. Each turn keeps 32
// vectors across a barrier.
layout(local_size_x = 8) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];

void main()
{
	vec4 sum = vec4(buffers[0].words[gl_LocalInvocationIndex]);
	vec4 kept[32];

	[[unroll]] for (int i = 0; i < 20000; i++) {
		for (int k = 0; k < 32; k++)
			kept[k] = sqrt(sum + float(k));
		barrier();
		for (int k = 0; k < 32; k++)
			sum += kept[k] * 0.001;
	}
	buffers[0].words[gl_LocalInvocationIndex] = uint(sum.x) | 1u;
}
