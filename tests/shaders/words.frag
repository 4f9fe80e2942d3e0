#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out uvec2 words;

void main()
{
	words = uvec2(7, 9);
}
