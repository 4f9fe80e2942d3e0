#version 450
// SPDX-License-Identifier: MIT
// What OP does to storage buffers with the number i of an invocation, from `first` on.
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];
layout(push_constant) uniform Push { uint op, first; };

shared uint sums[64];

void main()
{
	uint i = first + gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;

	switch (op) {
	case 0u:	// stores
		buffers[0].words[i] = i * 3u + 1u;
		break;
	case 1u:	// adds
		atomicAdd(buffers[0].words[i & 3u], 1u);
		break;
	case 2u:	// copies
		buffers[0].words[gl_GlobalInvocationID.x] = buffers[1].words[i];
		break;
	case 3u:	// sums up each group
		sums[l] = i;
		barrier();
		for (uint n = 32u; n > 0u; n >>= 1) {
			if (l < n)
				sums[l] += sums[l + n];
			barrier();
		}
		if (l == 0u)
			buffers[0].words[gl_WorkGroupID.x] = sums[0];
		break;
	case 4u:	// adds one to where it may not be, and says what was there
		buffers[0].words[gl_GlobalInvocationID.x] = atomicAdd(buffers[1].words[i], 1u);
		break;
	default:	// how many words there are
		buffers[0].words[gl_GlobalInvocationID.x] = buffers[1].words.length();
	}
}
