#version 450
// SPDX-License-Identifier: MIT
// All there is, as deep as it is told; with the place of each pixel.
layout(push_constant) uniform Push { float depth; uint number; };
layout(location = 0) out vec2 place;

void main()
{
	gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, depth, 1.0);
	place = (gl_Position.xy + 1.0) * 32.0;
}
