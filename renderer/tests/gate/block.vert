#version 450
// SPDX-License-Identifier: MIT
layout(xfb_buffer = 0, xfb_stride = 16) out gl_PerVertex {
	layout(xfb_offset = 0) vec4 gl_Position;
};

void main()
{
	gl_Position = vec4(0.0);
}
