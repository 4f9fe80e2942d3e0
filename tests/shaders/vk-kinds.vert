#version 450
// SPDX-License-Identifier: MIT
// A triangle over everything, with numbers of a texture of integers.
layout(set = 0, binding = 0) uniform usampler2D numbers[3];
layout(location = 0) flat out uint number;

void main()
{
	gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
	number = textureLod(numbers[1], vec2(0.5), 0.0).r;
}
