#version 460
// SPDX-License-Identifier: MIT
// What OP does with the number that is pushed, where the host trusts numbers.
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];
layout(push_constant) uniform Push { uint op, number; };

shared uint before[64];
shared uvec4 middle[64];
shared uint behind[64];
shared uint64_t turns;

void main()
{
	uint l = gl_LocalInvocationIndex, i = number + l;

	switch (op) {
	case 0u:	// stores to shared memory, and says what its neighbours are
		before[l] = behind[l] = 7u;
		middle[l] = uvec4(0u);
		barrier();
		middle[i][i] = 9u;
		barrier();
		buffers[0].words[l] = before[l] + behind[l];
		break;
	case 1u:	// adds to shared memory, likewise
		before[l] = behind[l] = 7u;
		middle[l] = uvec4(0u);
		barrier();
		atomicAdd(middle[i].x, 9u);
		atomicExchange(middle[i][i], 9u);
		barrier();
		buffers[0].words[l] = before[l] + behind[l];
		break;
	case 2u:	// stores to a buffer by its number
		buffers[number].words[l] = l + 1u;
		break;
	case 3u:	// reads of another invocation
		buffers[0].words[l] = readInvocationARB(l + 1u, number) + readFirstInvocationARB(l);
		break;
	case 4u:	// as many barriers as the invocation has a number
		for (uint n = 0u; n < l; n++)
			barrier();
		buffers[0].words[l] = l;
		break;
	case 5u:	// an array of its own
		uint own[16];
		for (uint n = 0u; n < 16u; n++)
			own[n] = n;
		own[i] = 3u;
		buffers[0].words[l] = own[l & 15u];
		break;
	default:	// 64 bits
		if (l == 0u)
			turns = 0xfffffffful;
		barrier();
		buffers[0].words[l] = uint((turns * (turns + uint64_t(l))) >> 32);
	}
}
