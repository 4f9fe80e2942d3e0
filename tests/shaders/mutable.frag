#version 450
// SPDX-License-Identifier: MIT
// A colour from a buffer at a binding of several types: of the vertices' type, or of another one.
#ifdef SAME
layout(std140, set = 1, binding = 3) uniform Thing {
	uvec4 words;
} things[8];
#define WORD words.x
#else
layout(std430, set = 1, binding = 3) readonly buffer Thing {
	uint words[];
} things[8];
#define WORD words[0]
#endif
layout(location = 0) out uvec2 color;

void main()
{
	color = uvec2(things[0].WORD, 0);
}
