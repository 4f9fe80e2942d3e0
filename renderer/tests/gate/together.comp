#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_maximal_reconvergence : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };

uint found(uint word)
{
	for (uint i = 0u; i < 10u; i++)
		if (words[i] == word)
			return i;
	return 10u;
}

void main() [[maximally_reconverges]]
{
	words[gl_LocalInvocationIndex] = found(gl_LocalInvocationIndex);
}
