#version 450
// SPDX-License-Identifier: MIT
layout(location = 1) flat in uint column;
layout(location = 0) out uvec2 words;

void main()
{
	words = uvec2(column + 1, 5);
}
