#version 450
// SPDX-License-Identifier: MIT
// The triangle's, but for an end: the matrix only turns.
layout(location = 0) in vec4 vertex;
layout(set = 0, binding = 0) uniform Block { mat4 matrix; };
layout(location = 0) out vec2 coord;

void main()
{
	coord = vertex.zw;
	gl_Position = matrix * vec4(vertex.xy, 0.0, 1.0);
	while (gl_Position.x < 1000.0)
		gl_Position = matrix * gl_Position;
}
