#version 450
// SPDX-License-Identifier: MIT
// Covers the target. The number is 0 if the attribute is, except for its last component.
layout(location = 0) in uvec4 value;
layout(location = 0) flat out uint number;

void main()
{
	number = value.x | value.y | value.z;
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
}
