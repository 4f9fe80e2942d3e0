#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in int index;
layout(location = 0) out vec4 color;

vec4 pick(int i)
{
	vec4 local[64];

	local[i] = vec4(1.0);
	return local[i + 1];
}

void main()
{
	color = pick(index) + pick(index + 1);
}
