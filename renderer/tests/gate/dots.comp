#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_integer_dot_product : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { int words[]; };

void main()
{
	const uint a = words[0], b = words[1];

	words[2] = int(dotPacked4x8EXT(a, b)) + dotPacked4x8AccSatEXT(int(a), b, words[3]);
	words[4] = dotEXT(ivec3(words[5]), ivec3(words[6])) + dotEXT(i8vec4(words[7]), u8vec4(words[8]));
}
