#version 450
// SPDX-License-Identifier: MIT
// What two attributes hold goes to the pixel that the low bits of the vertex number name.
layout(location = 0) in uint first;
layout(location = 1) in uint second;
layout(location = 0) flat out uvec2 words;

void main()
{
	ivec2 pixel = ivec2(gl_VertexIndex & 63, gl_VertexIndex >> 6 & 15);

	words = uvec2(first, second);
	gl_PointSize = 1.0;
	gl_Position = vec4((vec2(pixel) + 0.5) / vec2(32.0, 8.0) - 1.0, 0.0, 1.0);
}
