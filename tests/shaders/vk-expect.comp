#version 460
// SPDX-License-Identifier: MIT
// What is expected of numbers, which they are now and then, and what may be assumed of all.
#extension GL_EXT_expect_assume : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words {
	uint words[];
} result;

void main()
{
	const uint i = gl_LocalInvocationIndex, from = result.words[i];
	uint sum = 0u;

	assumeEXT(from < 1000u);
	for (uint n = 0u; n < expectEXT(from % 7u, 3u); n++)
		sum += n;
	if (expectEXT(i == 5u, true))
		sum += 1000u;
	sum += expectEXT(uvec2(from, i), uvec2(1u, 2u)).y * 100u;
	result.words[i] = sum;
}
