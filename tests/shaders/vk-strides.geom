#version 450
// SPDX-License-Identifier: MIT
// A line for each point.
layout(points) in;
layout(line_strip, max_vertices = 2) out;
layout(location = 0) flat in uint number[];
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 more;

void main()
{
	const float y = float(number[0] % 61) / 64.0 * 1.8 - 0.9;

	for (int i = 0; i < 2; i++) {
		gl_Position = vec4(float(i) * 1.8 - 0.9, y, 0.0, 1.0);
		color = vec4(float(i), float(number[0] % 61) / 61.0, 0.5, 1.0);
		more = vec4(y, float(i), 0.0, 0.0);
		EmitVertex();
	}
}
