#version 450
// SPDX-License-Identifier: MIT
// All of the layer that the vertex says, and of some that are not there.
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
layout(push_constant) uniform Push { int layer; };
layout(location = 0) flat in uint number[];

void main()
{
	for (int i = 0; i < 3; i++) {
		gl_Layer = layer;
		gl_Position = vec4(i == 1 ? 3.0 : -1.0, i == 2 ? 3.0 : -1.0, 0.0, 1.0);
		EmitVertex();
	}
}
