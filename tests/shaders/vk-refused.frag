#version 450
// SPDX-License-Identifier: MIT
// A colour of an array that is larger than the renderer's limit.
layout(location = 0) out vec4 color;
float array[32768];

void main()
{
	const uint place = uint(gl_FragCoord.x) % 32768u;

	array[place] = 1.0;
	color = vec4(array[uint(gl_FragCoord.y) % 32768u]);
}
