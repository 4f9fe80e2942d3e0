#version 450
// SPDX-License-Identifier: MIT
// Words of one buffer and a number, in another one.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Push {
	uint unused[60];
	uint number;
};

void main()
{
	to[gl_LocalInvocationIndex] = from[gl_LocalInvocationIndex] + number;
}
