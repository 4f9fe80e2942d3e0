#version 450
// SPDX-License-Identifier: MIT
// Matrices whose vectors are eight bytes apart, and such that are rows: no byte more than there is.
layout(local_size_x = 1) in;
layout(push_constant, std430) uniform Push { vec4 first; mat2 two; layout(row_major) mat4x2 four; layout(row_major) mat2 last[2]; };
layout(set = 5, binding = 34) buffer Words { vec4 word; } words[1];

shared mat2 all[2048];

void main()
{
	all[gl_LocalInvocationIndex] = two * last[1];
	words[0].word = first + vec4(four[0], all[0][1]);
}
