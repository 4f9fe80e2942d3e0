#version 450
// SPDX-License-Identifier: MIT
// Each call has 16 KiB of variables, and no two calls at the same time.
layout(location = 0) flat in int index;
layout(location = 0) out vec4 color;

vec4 pick(int i)
{
	vec4 local[1024];

	local[i] = vec4(1.0);
	return local[i + 1];
}

void main()
{
	color = pick(index) + pick(index + 1) + pick(index + 2) + pick(index + 3) + pick(index + 4);
}
