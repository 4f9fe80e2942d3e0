#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_null_initializer : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; };
shared uint zeros[64] = {};

void main()
{
	words[gl_LocalInvocationIndex] = zeros[gl_LocalInvocationIndex ^ 1u]++;
}
