#version 460
// SPDX-License-Identifier: MIT
// What each invocation gets from one at a distance in its subgroup.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_KHR_shader_subgroup_rotate : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words {
	uint words[64][16];
} result;

void main()
{
	const uint i = gl_LocalInvocationIndex, me = gl_SubgroupInvocationID, by = result.words[0][0];

	result.words[i][1] = subgroupShuffleUp(i, 1u);
	result.words[i][2] = subgroupShuffleUp(i, me % 3u);
	result.words[i][3] = subgroupShuffleDown(i, 2u);
	result.words[i][4] = subgroupShuffleDown(i, me % 2u + by);
	result.words[i][5] = uint(dot(subgroupShuffleDown(vec3(i, i + 1u, 2u), 1u), vec3(1.0, 10.0, 100.0)));
	result.words[i][6] = subgroupRotate(i, 3u);
	result.words[i][7] = subgroupRotate(i, by);
	result.words[i][8] = subgroupClusteredRotate(i, 1u, 4u);
	result.words[i][9] = subgroupClusteredRotate(i, by, 2u);
	result.words[i][10] = uint(subgroupRotate(uint64_t(i) << 33, by) >> 32);
	result.words[i][11] = uint(subgroupRotate(uint16_t(i * 1000u), 1u));
	result.words[i][12] = subgroupRotate(i % 3u == 0u, 1u) ? 1u : 0u;
	result.words[i][13] = uint(subgroupShuffleUp(int(i) - 70, 2u));
}
