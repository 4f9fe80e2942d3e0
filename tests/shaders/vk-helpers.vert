#version 460
// SPDX-License-Identifier: MIT
// A point in each pixel of 16x16, so that most fragment shader invocations are helpers.

void main()
{
	const vec2 at = vec2(gl_VertexIndex % 16, gl_VertexIndex / 16) + 0.5;

	gl_Position = vec4(at / 8 - 1, 0, 1);
	gl_PointSize = 1;
}
