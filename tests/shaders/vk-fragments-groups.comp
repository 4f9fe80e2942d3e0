#version 460
// SPDX-License-Identifier: MIT
// Subgroups: all of each, and what an invocation has that is chosen late; or as it was said at first (OLD).
#ifdef OLD
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#else
#extension GL_KHR_shader_subgroup_ballot : require
#endif
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Result {
	uint at[64][4];
} result;

void main()
{
	const uint i = gl_LocalInvocationIndex;

#ifdef OLD
	const uvec2 ballot = unpackUint2x32(ballotARB(i % 3u == 0u));

	result.at[i][0] = bitCount(ballot.x) + bitCount(ballot.y);
	result.at[i][1] = readFirstInvocationARB(i * 3u);
	result.at[i][2] = (anyInvocationARB(i == 1u) ? 1u : 0u) | (allInvocationsARB(i < 62u) ? 2u : 0u) |
			  (allInvocationsEqualARB(i < 64u) ? 4u : 0u);
	result.at[i][3] = gl_SubGroupSizeARB;
#else
	const uint late = result.at[0][3] % gl_SubgroupSize;

	result.at[i][0] = subgroupBallotBitCount(subgroupBallot(true));
	result.at[i][1] = gl_SubgroupSize;
	result.at[i][2] = subgroupBroadcast(i * 5u, late);
#endif
}
