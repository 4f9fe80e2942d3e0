#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };

void main()
{
	const uint me = words[gl_LocalInvocationIndex];
	const uvec4 ballot = subgroupBallot(me > 7u);
	uint sum = subgroupAdd(me) + subgroupExclusiveMax(me) + subgroupInclusiveMul(me) + subgroupClusteredXor(me, 4u);

	sum += subgroupBallotBitCount(ballot) + subgroupBallotExclusiveBitCount(ballot) + subgroupBallotFindLSB(ballot);
	sum += subgroupBroadcastFirst(me) + subgroupQuadSwapVertical(me);
	if (subgroupElect() && subgroupInverseBallot(ballot))
		sum += gl_SubgroupID + gl_NumSubgroups;
	words[gl_LocalInvocationIndex] = sum;
}
