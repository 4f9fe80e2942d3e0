#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };
#define FOUR(x) x x x x
#define MANY(x) FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(x))))))

void main()
{
	MANY(FOUR(words[gl_LocalInvocationIndex] = 1u; words[7] = 2u;))
}
