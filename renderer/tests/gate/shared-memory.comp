#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
shared vec4 some[1024], more[1025];

void main()
{
	some[gl_LocalInvocationIndex] = vec4(1.0);
	more[gl_LocalInvocationIndex] = some[gl_LocalInvocationIndex + 1];
}
