#version 450
// SPDX-License-Identifier: MIT
// The longest strides that compilers have.
layout(local_size_x = 1) in;
layout(set = 5, binding = 0) uniform Whole { dmat4 whole; };
layout(set = 5, binding = 34, std430) buffer Parts { dmat3 part; layout(row_major) dmat4x3 rows; dmat2 small; } parts[1];

void main()
{
	const dmat4 all = whole;

	parts[0].part = dmat3(all);
	parts[0].rows = dmat4x3(all);
	parts[0].small = dmat2(all);
}
