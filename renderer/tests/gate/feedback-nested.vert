#version 450
// SPDX-License-Identifier: MIT
struct Two {
	vec4 first, second;
};
layout(location = 0, xfb_buffer = 0, xfb_stride = 48) out Block {
	layout(xfb_offset = 0) vec4 value;
	layout(xfb_offset = 16) Two two;
};

void main()
{
	value = vec4(1.0);
	two.first = two.second = vec4(2.0);
	gl_Position = vec4(0.0);
}
