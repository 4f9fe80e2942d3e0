#version 460
// SPDX-License-Identifier: MIT
// The vertices of the primitives that geometry shaders are tried with: where they are does not matter. Their number is
// NUMBER if that is there.
#ifndef NUMBER
#define NUMBER gl_VertexIndex
#endif
layout(location = 0) flat out uint number;

void main()
{
	number = NUMBER;
	gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
	gl_PointSize = 1.0;
}
