#version 460
// SPDX-License-Identifier: MIT
// Which invocations of a subgroup are together, where each has its own way.
#extension GL_EXT_maximal_reconvergence : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words {
	uint words[64][16];
} result;

uint together()
{
	return subgroupBallot(true).x;
}

// Those who leave with each other are alone; the others go on.
uint leave_early(uint me)
{
	if (me % 4u == 3u)
		return together();
	return together() | 0x80000000u;
}

void main() [[maximally_reconverges]]
{
	const uint i = gl_LocalInvocationIndex, me = gl_SubgroupInvocationID;
	uint n = result.words[0][0] - 2u, left = 0u;

	for (;;) {
		if (n == me / 2u) {
			result.words[i][1] = together();
			break;
		}
		if (me < 2u)
			left += 1u;
		n++;
	}
	result.words[i][2] = together();
	for (n = 0u; n < 4u; n++) {
		if ((me & 1u) == 0u && n == 1u)
			continue;
		if (n == 1u)
			result.words[i][3] = together();
		if (n == 2u)
			result.words[i][4] = together();
	}
	switch (me % 3u) {
	case 0u:
		result.words[i][5] = together();
		break;
	case 1u:
		result.words[i][6] = together();
		break;
	default:
		result.words[i][7] = together();
	}
	result.words[i][8] = leave_early(me);
	result.words[i][9] = together() + left;
}
