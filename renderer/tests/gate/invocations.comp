#version 460
// SPDX-License-Identifier: MIT
// Numbers of invocations that may be anything, and one that no subgroup has. And a barrier of a subgroup.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };

void main()
{
	uint sum = subgroupShuffle(words[0], words[1]) + subgroupShuffleXor(words[2], words[3]);

	subgroupBarrier();
	sum += uint(subgroupBallotBitExtract(uvec4(words[4]), words[5])) + subgroupBroadcast(words[6], words[7]);
	sum += subgroupQuadBroadcast(words[8], words[9]) + subgroupBroadcast(words[10], 1000u);
	subgroupMemoryBarrier();
	words[0] = sum;
}
