#version 450
// SPDX-License-Identifier: MIT
// An array of two structures in a block. An element has 36 bytes, and the second element begins at
// the next multiple of 8.
struct Part {
	double first;
	vec2 second;
	mat2 third;
	float last;
};
layout(location = 0, xfb_buffer = 0, xfb_stride = 96) out Block {
	layout(xfb_offset = 0) vec4 value;
	layout(xfb_offset = 16) Part parts[2];
};

void main()
{
	value = vec4(1.0);
	for (int i = 0; i < 2; i++)
		parts[i] = Part(2.0, vec2(3.0), mat2(4.0), 5.0);
	gl_Position = vec4(0.0);
}
