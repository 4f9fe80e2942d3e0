#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in uvec2 words;
layout(location = 0) out uvec2 bits;

void main()
{
	bits = words;
}
