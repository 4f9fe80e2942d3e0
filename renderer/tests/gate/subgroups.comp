#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };

void main()
{
	const uint i = gl_LocalInvocationIndex;
	const uint64_t all = ballotARB(words[i] > 3u) & gl_SubGroupEqMaskARB & gl_SubGroupGeMaskARB &
			     gl_SubGroupGtMaskARB & gl_SubGroupLeMaskARB & gl_SubGroupLtMaskARB;

	words[i] = uint(all) + gl_SubGroupSizeARB + gl_SubGroupInvocationARB + readFirstInvocationARB(i) +
		   readInvocationARB(i, words[i + 64]) + uint(anyInvocationARB(i > 7u)) +
		   uint(allInvocationsARB(i > 7u)) + uint(allInvocationsEqualARB(i > 7u)) +
		   uint(subgroupAll(i > 9u)) + uint(subgroupAny(i > 9u)) + uint(subgroupAllEqual(i));
}
