#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) coherent buffer Words { uint count; uint words[]; } buffers[16];
layout(set = 5, binding = 34) readonly buffer Vectors { vec4 vectors[]; } vectors[16];

void main()
{
	uint i = gl_GlobalInvocationID.x, n = uint(buffers[i].words.length());

	buffers[i].words[i * 7u] = floatBitsToUint(vectors[n].vectors[i].x);
	n = atomicAdd(buffers[0].count, n) + atomicMin(buffers[1].words[i], n) + atomicMax(buffers[1].words[i], n) +
	    atomicAnd(buffers[1].words[i], n) + atomicOr(buffers[1].words[i], n) + atomicXor(buffers[1].words[i], n) +
	    atomicExchange(buffers[1].words[i], n) + atomicCompSwap(buffers[2].words[i], n, 7u);
	memoryBarrierBuffer();
	buffers[15].words[n] = n;
}
