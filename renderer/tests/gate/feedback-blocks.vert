#version 450
// SPDX-License-Identifier: MIT
// Each of the blocks is captured into a buffer of its own.
layout(location = 0, xfb_buffer = 0, xfb_stride = 16) out Block {
	layout(xfb_offset = 0) vec4 value;
} blocks[2];

void main()
{
	blocks[0].value = blocks[1].value = vec4(1.0);
	gl_Position = vec4(0.0);
}
