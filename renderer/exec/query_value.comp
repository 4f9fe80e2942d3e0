#version 450
#extension GL_EXT_buffer_reference : require
// SPDX-License-Identifier: MIT
/* Computes one value of query_value.h, in 64 bits of two words each. */
layout(local_size_x = 1) in;

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Results {
	uvec2 words[];
};

/* struct query_value */
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Value {
	uvec2 value;
	uint capped[2];
	uvec2 sums[2];
	uint counts[2];
	uint differ;
	uint padding;
	uint terms[];
};

layout(push_constant) uniform Arguments {
	Results results;
	Value value;
};

const uint MAX_TERMS = 64;

uvec2 add(uvec2 a, uvec2 b)
{
	uint carry;
	const uint low = uaddCarry(a.x, b.x, carry);

	return uvec2(low, a.y + b.y + carry);
}

uvec2 subtract(uvec2 a, uvec2 b)
{
	uint borrow;
	const uint low = usubBorrow(a.x, b.x, borrow);

	return uvec2(low, a.y - b.y - borrow);
}

uvec2 sum_of(uint side)
{
	uvec2 sum = value.sums[side];

	for (uint i = 0; i < value.counts[side]; i++)
		sum = add(sum, results.words[value.terms[side * MAX_TERMS + i]]);
	return sum;
}

uint capped(uvec2 v, uint most)
{
	return v.y != 0 ? most : min(v.x, most);
}

void main()
{
	const uvec2 added = sum_of(0), subtracted = sum_of(1);
	uvec2 v = subtract(added, subtracted);

	if (value.differ != 0)
		v = uvec2(v != uvec2(0) ? 1 : 0, 0);
	value.value = v;
	value.capped[0] = capped(v, 0xffffffffu);
	value.capped[1] = capped(v, 0x7fffffffu);
}
