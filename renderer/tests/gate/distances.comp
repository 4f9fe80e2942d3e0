#version 460
// SPDX-License-Identifier: MIT
// Distances that may be anything, and longer than any subgroup; in all of it, and in clusters that are shorter and longer.
#extension GL_KHR_shader_subgroup_rotate : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };

void main()
{
	uint sum = subgroupShuffleUp(words[0], words[1]) + subgroupShuffleDown(words[2], 1000u);

	sum += subgroupRotate(words[3], words[4]) + subgroupClusteredRotate(words[5], words[6], 4u);
	words[0] = sum + subgroupClusteredRotate(words[7], words[8], 64u);
}
