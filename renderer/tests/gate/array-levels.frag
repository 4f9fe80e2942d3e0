#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in int index;
layout(location = 0) out vec4 color;

void main()
{
	float a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];

	a[index][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0] = 1.0;
	color = vec4(a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][index]);
}
