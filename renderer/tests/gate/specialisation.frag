#version 450
// SPDX-License-Identifier: MIT
layout(constant_id = 1) const int n = 3;
layout(location = 0) out vec4 color;

void main()
{
	color = vec4(float(n));
}
