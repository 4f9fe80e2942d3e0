#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in int index;
layout(location = 0) out vec4 color;
float huge[65536][65536][65536][16384];

void main()
{
	huge[index][index][index][index] = 1.0;
	color = vec4(huge[0][0][0][index]);
}
