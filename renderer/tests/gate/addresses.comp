// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

/* Pointers from everywhere, to everything. */
layout(local_size_x = 8) in;

layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
	Node next;
	uint value;
	volatile uint flag;
};

struct Parts {
	vec3 a;
	uint b[3];
	dvec2 c;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Scalars {
	uint n;
	Parts parts[];
};

layout(buffer_reference, std430, row_major, buffer_reference_align = 16) buffer Matrices {
	mat4 rows;
	layout(column_major) mat3x4 columns;
	layout(column_major) mat4 several[3];
};

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words {
	uvec4 words[];
};

layout(push_constant) uniform Push {
	Node head;
	uint64_t number;
	uvec2 halves;
	int index;
};

shared uint shared_words[8];

Node step_on(Node at, uint n)
{
	for (uint i = 0; i < n && uint64_t(at) != 0; i++)
		at = at.next;
	return at;
}

void main()
{
	const uint i = gl_GlobalInvocationID.x;
	Node at = step_on(head, i);
	Scalars scalars = Scalars(number);
	Matrices matrices = Matrices(halves);
	Words words = Words(number + 16 * i), other = index > 3 ? Words(number + 80) : words;
	Parts part = scalars.parts[index];

	shared_words[i % 8] = at.value + at.flag;
	atomicAdd(at.value, 3);
	atomicCompSwap(scalars.parts[i].b[index], 1, 2);
	part.c.y += 1;
	scalars.parts[i + 1] = part;
	matrices.rows[index] = matrices.columns[1] + matrices.rows[0];
	matrices.columns = mat3x4(matrices.rows[1], matrices.rows[index], vec4(matrices.rows[2][index]));
	matrices.several[index] = matrices.several[1] * matrices.rows;
	other.words[index].yw = words.words[i].xz;
	at.next = at + index;
}
