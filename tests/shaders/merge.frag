#version 460
// SPDX-License-Identifier: MIT
layout(location = 0) flat in uvec2 words;
layout(location = 0) out uvec2 pixel;

void main()
{
	pixel = uvec2(gl_PrimitiveID + 1, words.y);
}
