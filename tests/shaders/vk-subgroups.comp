#version 460
// SPDX-License-Identifier: MIT
// What each invocation has of its subgroup.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) writeonly buffer Out {
	uint words[64][16];
} result;
shared uint noted[64];

void main()
{
	const uint i = gl_LocalInvocationIndex, me = gl_SubgroupInvocationID, size = gl_SubgroupSize;

	result.words[i][0] = me;
	result.words[i][1] = gl_SubgroupID + 100u * gl_NumSubgroups;
	result.words[i][2] = subgroupAdd(i);
	result.words[i][3] = subgroupExclusiveAdd(i);
	result.words[i][4] = subgroupInclusiveMax(i ^ 5u);
	result.words[i][5] = subgroupBallotBitCount(subgroupBallot(i % 3u == 0u));
	result.words[i][6] = subgroupBroadcastFirst(i);
	result.words[i][7] = subgroupBroadcast(i, subgroupBroadcastFirst(i) % 3u);
	result.words[i][8] = subgroupShuffle(i, (me + 1u) % size);
	result.words[i][9] = subgroupShuffleXor(i, 2u);
	result.words[i][10] = subgroupQuadSwapHorizontal(i);
	result.words[i][11] = subgroupClusteredAdd(i, 4u);
	result.words[i][12] = subgroupElect() ? 1u : 0u;
	result.words[i][13] = uint(subgroupAdd(uint16_t(i)));
	result.words[i][14] = subgroupAll(i < 32u) ? 1u : 0u;
	noted[i] = i * 7u;
	subgroupBarrier();
	result.words[i][15] = noted[i ^ 1u];
}
