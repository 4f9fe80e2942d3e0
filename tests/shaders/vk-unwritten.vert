#version 450
// SPDX-License-Identifier: MIT
// All of a picture, with something to be handed on.
layout(location = 0) out vec4 given;

void main()
{
	gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
	given = vec4(1.0, 2.0, 3.0, 4.0);
}
