#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// SPDX-License-Identifier: MIT
// Structs of numbers of all widths, whole and in part, at constant and other indices.
#include "vk-addresses.h"
layout(local_size_x = 8) in;

struct Part {
	float f;
	vec3 v;
	uint w[3];
	int64_t l;
	double d;
	mat3x2 m;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Parts {
	uint n;
	Part part[];
};

layout(buffer_reference, std430, row_major, buffer_reference_align = 16) buffer Matrices {
	mat4 rows;
	layout(column_major) mat4 columns[2];
	mat3x4 more[2];
};

/* Pointers in memory. */
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Places {
	Parts from, to;
	uint64_t matrices;
};

layout(push_constant) uniform Push {
	Places places;
};

void parts(uint i)
{
	Parts from = places.from, to = places.to;
	Part part;

	if (i >= from.n)
		return;
	part = from.part[i];
	part.f += 1;
	part.v = part.v.zyx;
	part.w[i % 3] += 5;
	part.l *= -3;
	part.d = -part.d;
	part.m[i % 3][i % 2] = 9;
	to.part[i] = part;
	to.part[i].w[(i + 1) % 3] = from.part[(i + 1) % from.n].w[i % 3];
	to.part[i].v[2] = from.part[i].v[i % 3];
}

void matrices(uint i)
{
	Matrices m = Matrices(places.matrices);
	const mat4 product = m.rows * m.columns[1];
	const vec4 row = m.rows[i];

	barrier();
	m.columns[0][i] = product[i];
	m.more[1][i % 3] = row;
	m.more[0][i % 3][i] = m.rows[i][3 - i];
	barrier();
	if (i == 0)
		m.rows = transpose(m.rows);
}

void main()
{
	parts(gl_LocalInvocationIndex);
	matrices(gl_LocalInvocationIndex % 4);
}
