#version 450
// SPDX-License-Identifier: MIT
// More parts than a value may have: nobody makes one.
layout(local_size_x = 1) in;
layout(set = 5, binding = 34) buffer Words { uint words[33554432]; vec4 vectors[]; };

void main()
{
	vectors[words[gl_GlobalInvocationID.x]].y = 1.0;
	words[gl_GlobalInvocationID.y] = atomicAdd(words[gl_GlobalInvocationID.z], 1u);
}
