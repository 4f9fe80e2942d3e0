#version 450
// SPDX-License-Identifier: MIT
// The colors of the vertices and, with FACE, the face.
layout(location = 0) in vec4 color;
layout(location = 1) in vec4 more;
layout(location = 0) out vec4 result;

void main()
{
	result = color + more * 0.1;
#ifdef FACE
	result.b = gl_FrontFacing ? 1.0 : 0.25;
#endif
}
