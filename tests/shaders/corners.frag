#version 460
// SPDX-License-Identifier: MIT
layout(location = 0) flat in uvec2 words_in;
layout(location = 0) out uvec2 words;

void main()
{
	words = words_in;
}
