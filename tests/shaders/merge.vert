#version 460
// SPDX-License-Identifier: MIT
// A point in the column that a vertex names and the row of its instance, which says whose it is.
layout(location = 0) in uint value;
layout(location = 0) flat out uvec2 words;

void main()
{
	words = uvec2(gl_VertexIndex + 1, value);
	gl_Position = vec4((float(value % 64) + 0.5) / 32.0 - 1.0, (float(gl_InstanceIndex) + 0.5) / 8.0 - 1.0, 0.0, 1.0);
	gl_PointSize = 1.0;
}
