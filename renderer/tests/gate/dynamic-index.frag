#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in int index;
layout(location = 0) out vec4 color;

void main()
{
	vec4 small[4] = vec4[](vec4(0.0), vec4(1.0), vec4(2.0), vec4(3.0));

	small[index] = vec4(4.0);
	color = small[index];
}
