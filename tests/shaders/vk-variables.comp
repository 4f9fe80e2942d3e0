#version 450
// SPDX-License-Identifier: MIT
// Functions with large variables, called CALLS times. A compiler gives each of these functions, or
// each call, a variable of LENGTH numbers; the programs that run the shader compute the same.
//
// TABLE: a table of constants in the function. STRUCT: a struct that is passed by value, of which
// the function changes its copy. ANSWER: a struct that the function returns. NEST: arrays of
// functions that call each other, in a loop. BEGIN: an array that is read before it is written.
// BALLAST: another variable of 32 KiB, with which the functions' variables share memory.
#ifndef SET
#define SET 0
#define BINDING 0
#endif
layout(local_size_x = 16) in;
layout(std430, set = SET, binding = BINDING) buffer Results { int results[]; };

#define C3(x) x x x
#define C10(x) C3(x) C3(x) C3(x) x
#define C12(x) C10(x) x x
#define C33(x) C10(x) C10(x) C10(x) C3(x)
#define C100(x) C33(x) C33(x) C33(x) x
#define C300(x) C100(x) C100(x) C100(x)
#define PASTE(n, x) C##n(x)
#define TIMES(n, x) PASTE(n, x)

#define E1(n) (n) * 7 & 511
#define E8(n) E1(n), E1((n) + 1), E1((n) + 2), E1((n) + 3), E1((n) + 4), E1((n) + 5), E1((n) + 6), \
	E1((n) + 7)
#define E64(n) E8(n), E8((n) + 8), E8((n) + 16), E8((n) + 24), E8((n) + 32), E8((n) + 40), \
	E8((n) + 48), E8((n) + 56)
#define E512(n) E64(n), E64((n) + 64), E64((n) + 128), E64((n) + 192), E64((n) + 256), \
	E64((n) + 320), E64((n) + 384), E64((n) + 448)
#define E4096(n) E512(n), E512((n) + 512), E512((n) + 1024), E512((n) + 1536), E512((n) + 2048), \
	E512((n) + 2560), E512((n) + 3072), E512((n) + 3584)
#define LIST(length) E##length(0)
#define ELEMENTS(length) LIST(length)

struct Values {
	int v[LENGTH];
};

#if defined(TABLE)
const int table[LENGTH] = int[](ELEMENTS(LENGTH));

int call(int i)
{
	return table[i & (LENGTH - 1)];
}
#define START
#elif defined(STRUCT)
int pick(Values values, int i)
{
	values.v[(i + 1) & (LENGTH - 1)] = 1;
	return values.v[i & (LENGTH - 1)];
}
#define START \
	Values values; \
	for (int k = 0; k < LENGTH; k++) \
		values.v[k] = i * k & 511;
#define call(i) pick(values, i)
#elif defined(ANSWER)
Values make(int i)
{
	Values values;

	for (int k = 0; k < LENGTH; k++)
		values.v[k] = i + k;
	return values;
}
#define START
#define call(i) make(i).v[(i) & (LENGTH - 1)]
#elif defined(NEST)
int inner(int i)
{
	int own[LENGTH];

	for (int k = 0; k < LENGTH; k++)
		own[k] = i * k & 511;
	return own[i & (LENGTH - 1)];
}

int call(int i)
{
	int own[LENGTH], sum = 0;

	for (int k = 0; k < LENGTH; k++)
		own[k] = i - k;
	for (int k = 0; k < 2; k++)
		sum += inner(own[(i + k) & (LENGTH - 1)]);
	return sum + own[(i + 2) & (LENGTH - 1)];
}
#define START
#elif defined(BEGIN)
int call(int i)
{
	int own[LENGTH];
	const int before = own[i & (LENGTH - 1)];

	for (int k = 0; k < LENGTH; k++)
		own[k] = i + k + 1;
	return before + own[(i + 1) & (LENGTH - 1)] - i;
}
#define START
#endif

void main()
{
	const int i = int(gl_GlobalInvocationID.x);
	int s = 0;

#ifdef BALLAST
	int ballast[8200];

	ballast[i] = i;
	s = ballast[i] - i;
#endif
	START
	TIMES(CALLS, s = s * 3 + call(i + s & 4095) & 65535;)
	results[i] = s;
}
