#version 450
// SPDX-License-Identifier: MIT
// More outputs than there is room for in the host's table, though they are small.
#define OUTPUTS(i) layout(location = 0, component = i, xfb_buffer = i, xfb_stride = 68, xfb_offset = 0) out float many##i[17];
OUTPUTS(0) OUTPUTS(1) OUTPUTS(2) OUTPUTS(3)

void main()
{
	many0[0] = many1[1] = many2[2] = many3[3] = 1.0;
	gl_Position = vec4(0.0);
}
