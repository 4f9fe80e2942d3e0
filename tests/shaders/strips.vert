#version 450
// SPDX-License-Identifier: MIT
// The vertices of the primitives that geometry shaders are tried with: where they are does not matter.
layout(location = 0) flat out uint number;

void main()
{
	number = gl_VertexIndex;
	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
	gl_PointSize = 1.0;
}
