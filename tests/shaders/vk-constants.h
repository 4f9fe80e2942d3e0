// SPDX-License-Identifier: MIT
// What is computed of specialisation constants, for GLSL and for C: of integers with a sign i and j, without one u and v,
// of 8, 16 and 64 bits c, s and l, of booleans p and q, of floats h and d, of 16 and 64 bits.
#define EXPRESSIONS(i, j, u, v, c, s, l, p, q, h, d) \
	PUT(i + j) PUT(i - j) PUT(i * j) PUT(i / j) PUT(u + v) PUT(u - v) PUT(u * v) PUT(u / v) PUT(u % v) \
	PUT(v - u) PUT(-i) PUT(~i) PUT(~u) PUT(i & j) PUT(u | v) PUT(i ^ j) PUT(u << 3) PUT(i >> 2) PUT(u >> 2) \
	PUT(l + l) PUT(l * l) PUT(l / TO(int64_t, j)) PUT(-l) PUT(~l) PUT(l >> 5) PUT(TO(int64_t, u) << 7) PUT(l & TO(int64_t, i)) \
	PUT(i == j) PUT(i != j) PUT(i < j) PUT(i <= j) PUT(i > j) PUT(i >= j) PUT(u < v) PUT(u >= v) PUT(l < TO(int64_t, i)) \
	PUT(p && q) PUT(p || q) PUT(!p) PUT(p == q) PUT(p != q) PUT(p ? i : j) PUT(q ? l : -l) PUT(q ? u + v : u - v) \
	PUT(TO(int64_t, u)) PUT(TO(int64_t, i)) PUT(TO(int32_t, l)) PUT(TO(int8_t, u)) PUT(TO(uint8_t, i)) \
	PUT(TO(int16_t, l)) PUT(TO(int32_t, c)) PUT(TO(int32_t, s)) PUT(TO(int8_t, c + c)) PUT(TO(int16_t, s * s)) \
	PUT(TO(int16_t, s - TO(int16_t, c))) PUT(TO(int8_t, -c)) PUT(s < TO(int16_t, 0)) PUT(c > TO(int8_t, 0)) \
	PUT(TO(int32_t, TO(float, p ? h : -h) * 8)) PUT(TO(int32_t, (q ? d : -d) * 3))
