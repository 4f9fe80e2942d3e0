#version 450
// SPDX-License-Identifier: MIT
// All of the picture, deeper from left to right.
void main()
{
	const bool right = gl_VertexIndex == 1, up = gl_VertexIndex == 2;

	gl_Position = vec4(right ? 3 : -1, up ? 3 : -1, right ? 1 : 0, 1);
}
