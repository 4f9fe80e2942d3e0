#version 450
// SPDX-License-Identifier: MIT
// A point that has the position that the stage before wrote, if it did.
layout(points) in;
layout(points, max_vertices = 1) out;
layout(location = 0) flat out uvec4 value;

void main()
{
	value = floatBitsToUint(gl_in[0].gl_Position);
	gl_Position = vec4((float(gl_PrimitiveIDIn) + 0.5) / 2.0 - 1.0, -0.75, 0.0, 1.0);
	gl_PointSize = 1.0;
	EmitVertex();
}
