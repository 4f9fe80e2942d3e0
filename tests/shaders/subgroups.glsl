#version 460
// SPDX-License-Identifier: MIT
// What a subgroup says of itself, and the clock, as numbers of what is stored to. A compute or a fragment shader.
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#extension GL_ARB_shader_clock : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_rotate : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#ifdef FRAGMENT
#define SET 1
layout(location = 0) out uvec2 pixel;
#else
#define SET 5
layout(local_size_x = 64) in;
shared uint before[64];
shared uint middle[64];
shared uint behind[64];
#endif
layout(set = SET, binding = 34) buffer Words { uint words[]; } buffers[16];
layout(push_constant) uniform Push { uint op, number; };

// Of invocations that leave one by one, the last ones together with those that are none.
uint say(uint me)
{
	uint said = 0u;

	for (uint n = 0u; n <= me % 16u; n++) {
		const uvec2 ballot = unpackUint2x32(ballotARB((me & number) == 0u));

		if (anyInvocationARB(n > number) && allInvocationsARB(me < number))
			continue;
		said += ballot.x ^ readInvocationARB(ballot.y + n, ballot.x + number) ^ readFirstInvocationARB(me);
		if (subgroupAllEqual(said))
			return said;
	}
	return said;
}

uint number_of(uint me)
{
	switch (op) {
	case 0u:
		return clock2x32ARB().x * number;
	case 1u:
		return uint(clockARB() >> 7) + number;
	case 2u:
		return unpackUint2x32(ballotARB(me > number)).x;
	case 3u:
		return unpackUint2x32(gl_SubGroupGtMaskARB | gl_SubGroupEqMaskARB).x + number;
	case 4u:
		return gl_SubGroupInvocationARB * number + gl_SubGroupSizeARB;
	case 5u:
		return say(me);
	case 6u:
		return subgroupShuffle(me, me * number) + number;
	case 7u:
		return subgroupShuffleXor(me, number) ^ subgroupBroadcast(me, number);
	case 8u:
		return uint(subgroupBallotBitExtract(uvec4(number, me, 0u, 0u), me + number)) + number;
	case 9u:
		subgroupBarrier();
		return subgroupQuadBroadcast(me, me * number) + subgroupQuadSwapDiagonal(number);
	case 10u:
		return me % 3u == 0u ? subgroupAdd(me * number) : subgroupClusteredMul(me + number, 4u);
	case 11u:
		return uint(subgroupShuffleUp(double(me), me * number) + subgroupShuffleDown(double(me), number));
	case 12u:
		return subgroupRotate(me, number) + uint(subgroupClusteredRotate(double(me), me * number, 64u));
	default:
		return subgroupBallotFindMSB(subgroupBallot(me < number)) + subgroupExclusiveMin(me | number);
	}
}

void main()
{
#ifdef FRAGMENT
	const uint me = uint(gl_FragCoord.x);
#else
	const uint me = gl_LocalInvocationIndex;
#endif
	uint own[16];
	const uint i = number_of(me);

	for (uint n = 0u; n < 16u; n++)
		own[n] = n;
	own[i] = 3u;
	buffers[i].words[i] = 1u;
#ifdef FRAGMENT
	pixel = uvec2(own[me & 15u], 1u);
#else
	before[me] = behind[me] = 7u;
	middle[me] = 0u;
	barrier();
	middle[i] = 9u;
	barrier();
	buffers[0].words[me] = before[me] + behind[me] + own[me & 15u] * 0x100u;
#endif
}
