#version 450
// SPDX-License-Identifier: MIT
// Each triangle, and a smaller one upside down.
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in float shade[];
layout(location = 0) out float shade_of;

void emit(float size)
{
	for (int i = 0; i < 3; i++) {
		gl_Position = vec4(gl_in[i].gl_Position.xy * vec2(1.0, size), gl_in[i].gl_Position.zw);
		shade_of = shade[i] * abs(size);
		EmitVertex();
	}
	EndPrimitive();
}

void main()
{
	emit(1.0);
	emit(-0.5);
}
