#version 450
// SPDX-License-Identifier: MIT
// 129 outputs: four in each of 32 locations, and Position. The host's table has room for 128.
#define OUTPUTS(i, stride) layout(location = 0, component = i, xfb_buffer = i, \
	xfb_stride = stride, xfb_offset = 0) out float many##i[32];
OUTPUTS(0, 144) OUTPUTS(1, 128) OUTPUTS(2, 128) OUTPUTS(3, 128)
layout(xfb_buffer = 0, xfb_stride = 144) out gl_PerVertex {
	layout(xfb_offset = 128) vec4 gl_Position;
};

void main()
{
	many0[0] = many1[1] = many2[2] = many3[3] = 1.0;
	gl_Position = vec4(0.0);
}
