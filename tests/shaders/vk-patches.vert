#version 450
// SPDX-License-Identifier: MIT
// A triangle that covers all.
void main()
{
	gl_Position = vec4(float(gl_VertexIndex & 1) * 4.0 - 1.0, float(gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
