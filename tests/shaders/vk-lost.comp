#version 450
// SPDX-License-Identifier: MIT
// Counts to a number, which may be more than there is time for, and then writes its words.
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) volatile buffer Result {
	uint data[];
} result;
layout(push_constant) uniform Push {
	uint turns;
};

void main()
{
	uint i = gl_GlobalInvocationID.x;

	result.data[i] = 0;
	while (result.data[i] < turns)
		result.data[i]++;
	result.data[i] = i * 3 + 1;
}
