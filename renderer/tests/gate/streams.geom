#version 450
// SPDX-License-Identifier: MIT
layout(points) in;
layout(points, max_vertices = 2) out;
layout(stream = 1, location = 0) out float other;

void main()
{
	other = 1.0;
	EmitStreamVertex(1);
}
