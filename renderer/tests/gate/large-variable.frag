#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in int index;
layout(location = 0) out vec4 color;

void main()
{
	vec4 large[8192];

	large[index] = vec4(1.0);
	color = large[index + 1];
}
