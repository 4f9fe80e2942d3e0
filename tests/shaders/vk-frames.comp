#version 450
// SPDX-License-Identifier: MIT
// An array of each invocation that lives across a barrier. The buffer has the numbers of the
// elements that are written and read.
layout(local_size_x = 1024) in;
layout(binding = 0) buffer Words { uint words[]; };
shared uint groups[1024];

void main()
{
	const uint number = gl_LocalInvocationIndex;
	uint large[16384];

	large[words[number] % 16384u] = number + 1;
	groups[number] = 3 * number;
	barrier();
	words[number] = large[words[1024 + number] % 16384u] + groups[1023 - number];
}
