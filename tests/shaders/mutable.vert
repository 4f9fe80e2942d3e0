#version 450
// SPDX-License-Identifier: MIT
// A triangle, if a uniform buffer at a binding of several types lets it be.
layout(std140, set = 1, binding = 3) uniform Thing {
	uvec4 words;
} things[8];

void main()
{
	const float far = things[0].words.x > 1000 ? 4.0 : 3.0;

	gl_Position = vec4(gl_VertexIndex == 1 ? far : -1.0, gl_VertexIndex == 2 ? far : -1.0, 0.0, 1.0);
}
