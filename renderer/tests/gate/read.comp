#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_shader_ballot : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };

void main()
{
	words[0] = readInvocationARB(words[1], words[2]) + readInvocationARB(words[3], 1000u);
}
