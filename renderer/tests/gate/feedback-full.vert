#version 450
// SPDX-License-Identifier: MIT
// 128 outputs, for which there is room in the host's table: four in each of 32 locations.
#define OUTPUTS(i) layout(location = 0, component = i, xfb_buffer = i, \
	xfb_stride = 128, xfb_offset = 0) out float many##i[32];
OUTPUTS(0) OUTPUTS(1) OUTPUTS(2) OUTPUTS(3)

void main()
{
	many0[0] = many1[1] = many2[2] = many3[3] = 1.0;
	gl_Position = vec4(0.0);
}
