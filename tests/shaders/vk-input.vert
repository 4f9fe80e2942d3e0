#version 450
// SPDX-License-Identifier: MIT
// All of the picture, at a depth.
layout(push_constant) uniform Push {
	float depth;
	uint number;
};

void main()
{
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, depth, 1);
}
