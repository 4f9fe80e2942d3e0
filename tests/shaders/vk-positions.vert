#version 450
// SPDX-License-Identifier: MIT
// The number of the vertex, and with POSITION a position.
layout(location = 0) flat out uint number;

void main()
{
	number = gl_VertexIndex;
#ifdef POSITION
	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
#endif
}
