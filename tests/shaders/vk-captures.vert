#version 450
// SPDX-License-Identifier: MIT
// Captured aggregates. A number is 1, plus the index of its first word in a vertex. Each buffer
// before it adds 100, and each vertex before it adds 1000.
#if defined(BLOCKS)
struct Part {
	vec2 pair;
	float single[2];
};
layout(location = 0, xfb_buffer = 0, xfb_stride = 60) out Block {
	layout(xfb_offset = 20) Part parts[2];
	vec4 none;
	layout(xfb_offset = 4) vec3 three;
} blocks[2][2];
#else
struct Inner {
	float single;
	double wide;
	float last;
};
struct Part {
	float first;
	Inner inner[2];
	mat2x3 matrix;
};
layout(location = 0, xfb_buffer = 0, xfb_stride = 168) out Block {
	vec2 none;
	layout(xfb_offset = 8) Part parts[2];
} block;
layout(location = 20, xfb_buffer = 1, xfb_stride = 40, xfb_offset = 8) out Inner alone;
layout(location = 24, xfb_buffer = 2, xfb_stride = 72, xfb_offset = 0) out dmat3 wide;
#endif

float at(int buffer_number, int word)
{
	return float(1 + word + 100 * buffer_number + 1000 * gl_VertexIndex);
}

#if defined(BLOCKS)
void fill()
{
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 2; k++) {
			blocks[i / 2][i % 2].parts[k].pair =
				vec2(at(i, 5 + 4 * k), at(i, 6 + 4 * k));
			blocks[i / 2][i % 2].parts[k].single =
				float[](at(i, 7 + 4 * k), at(i, 8 + 4 * k));
		}
		blocks[i / 2][i % 2].none = vec4(-1.0);
		blocks[i / 2][i % 2].three = vec3(at(i, 1), at(i, 2), at(i, 3));
	}
}
#else
Inner inner_at(int buffer_number, int word)
{
	return Inner(at(buffer_number, word), double(at(buffer_number, word + 2)),
		     at(buffer_number, word + 4));
}

void fill()
{
	block.none = vec2(-1.0);
	for (int k = 0; k < 2; k++) {
		const int word = 2 + 20 * k;

		block.parts[k].first = at(0, word);
		for (int i = 0; i < 2; i++)
			block.parts[k].inner[i] = inner_at(0, word + 2 + 6 * i);
		for (int i = 0; i < 6; i++)
			block.parts[k].matrix[i / 3][i % 3] = at(0, word + 13 + i);
	}
	alone = inner_at(1, 2);
	for (int i = 0; i < 9; i++)
		wide[i / 3][i % 3] = double(at(2, 2 * i));
}
#endif

void main()
{
	fill();
	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}
