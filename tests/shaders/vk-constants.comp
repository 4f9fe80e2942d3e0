#version 460
// SPDX-License-Identifier: MIT
// The same of constants that are specialised, and of numbers that come from memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "vk-constants.h"

layout(local_size_x = 1) in;
layout(constant_id = 0) const int i = 0;
layout(constant_id = 1) const int j = 1;
layout(constant_id = 2) const uint u = 0;
layout(constant_id = 3) const uint v = 1;
layout(constant_id = 4) const int8_t c = int8_t(0);
layout(constant_id = 5) const int16_t s = int16_t(0);
layout(constant_id = 6) const int64_t l = 0;
layout(constant_id = 7) const bool p = false;
layout(constant_id = 8) const bool q = false;
layout(constant_id = 9) const float16_t h = float16_t(0);
layout(constant_id = 10) const double d = 0;
layout(binding = 0) buffer Results { int64_t results[]; };
layout(binding = 1) buffer Numbers { int64_t number_l; double number_d; int number[9]; };

#define TO(type, e) type(e)
#define PUT(e) results[n++] = int64_t(e);

void main()
{
	int n = 0;

	EXPRESSIONS(i, j, u, v, c, s, l, p, q, h, d)
	EXPRESSIONS(number[0], number[1], uint(number[2]), uint(number[3]), int8_t(number[4]), int16_t(number[5]), number_l,
		    bool(number[6]), bool(number[7]), float16_t(number[8]) / float16_t(4), number_d)
}
