#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Longs { uint64_t longs[]; } buffers[2];
layout(set = 5, binding = 34) buffer Words { uint words[]; } words[2];
shared int64_t total[64];

void main()
{
	const uint i = gl_LocalInvocationIndex;
	uint high, low, carry;

	umulExtended(words[0].words[i], 7u, high, low);
	low = uaddCarry(low, high, carry);
	total[i] = int64_t(buffers[0].longs[uint(buffers[1].longs[i])]) * int64_t(low) >> 3;
	barrier();
	buffers[1].longs[i] = uint64_t(total[63 - i]) / uint64_t(bitCount(high) + findMSB(carry) + 1);
	words[1].words[i] = bitfieldExtract(high, 3, 4) + bitfieldReverse(low) + packHalf2x16(unpackSnorm2x16(low));
}
