#version 450
// SPDX-License-Identifier: MIT
// The number of the vertex, for the stages behind.
layout(location = 0) flat out uint number;

void main()
{
	number = gl_VertexIndex;
}
