#version 460
// SPDX-License-Identifier: MIT
// Shared memory as long as what is computed of numbers that a pipeline specialises: each invocation takes what another
// one left there, in a row of its own.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint rows = 1;
layout(constant_id = 1) const uint columns = 1;
layout(std430, set = 0, binding = 0) buffer Words {
	uint words[];
};
shared uint left[rows * 8 + 1][columns - 2];

void main()
{
	const uint i = gl_LocalInvocationIndex, n = columns - 2, other = i ^ 1;

	left[i / n][i % n] = words[i] * 3;
	barrier();
	words[i] = left[other / n][other % n] + left.length() * 1000 + left[0].length() * 100;
}
