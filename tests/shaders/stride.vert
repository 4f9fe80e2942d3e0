#version 450
// SPDX-License-Identifier: MIT
void main()
{
	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}
