#version 450
// SPDX-License-Identifier: MIT
// What inputs are that no stage may have written, each in its column.
layout(location = 0) flat in uvec4 inputs[32];
layout(location = 0) out uvec2 words;

void main()
{
	uvec2 all[32];

	for (int i = 0; i < 32; i++)
		all[i] = inputs[i].xy | inputs[i].zw;
	words = all[int(gl_FragCoord.x) % 32];
}
