#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 vertex;
layout(set = 0, binding = 0) uniform Block { mat4 matrix; };
layout(set = 0, binding = 33) uniform More { vec4 scale; } more[3];
layout(location = 0) out vec4 value;

void main()
{
	value = more[2].scale;
	gl_Position = matrix * vertex;
}
