#version 450
// SPDX-License-Identifier: MIT
// What was pushed, and more for each invocation, as a constant says.
layout(local_size_x = 8) in;
layout(constant_id = 3) const uint step = 1;
layout(set = 0, binding = 0) buffer Words {
	uint words[];
};
layout(push_constant) uniform Push {
	uint first;
};

void main()
{
	words[gl_GlobalInvocationID.x] = first + step * gl_GlobalInvocationID.x;
}
