#version 450
// SPDX-License-Identifier: MIT
// Converts each word, the bits of a float, to an integer in one of eight ways.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };

void main()
{
	const uint i = gl_LocalInvocationIndex;
	const float x = uintBitsToFloat(words[i]);
	const vec2 two = vec2(1, x);
	const vec3 three = vec3(x, 1, 2);
	uint result = 0;

	switch (i & 7u) {
	case 0: result = uint(int(x)); break;
	case 1: result = uint(x); break;
	case 2: result = uint(ivec2(two).y); break;
	case 3: result = uvec3(three).x; break;
	case 4: result = uint(int(float16_t(x))); break;
	case 5: result = uint(float16_t(x)); break;
	case 6: result = uint(int64_t(x) >> 32); break;
	default: result = uint(uint64_t(x) >> 32);
	}
	words[i] = result;
}
