#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 1024) in;
shared vec4 tile[1024];
#define FOUR(x) x x x x
#define MANY(x) FOUR(FOUR(FOUR(FOUR(x))))

void main()
{
	vec4 v = tile[0];

	FOUR(MANY(FOUR(v = v * v + tile[1];)))
	barrier();
	tile[gl_LocalInvocationIndex] = v;
}
