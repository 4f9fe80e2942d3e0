#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in uint number;
layout(location = 0) out uvec2 words;

void main()
{
	words = uvec2(number, 5);
}
