#version 450
// SPDX-License-Identifier: MIT
// It could make much of each primitive. Of points it is all of the picture, as vk-runs.tesc has it of patches.
layout(push_constant) uniform Push { uint last; };
layout(location = 0) flat out uint result;

#ifdef POINTS
layout(points, invocations = 8) in;
layout(triangle_strip, max_vertices = 128) out;
layout(location = 0) in uvec2 id[];

void main()
{
	if (id[0].y != (id[0].x == 0 ? last : 0))
		return;
	for (int i = 0; i < 4; i++) {
		result = id[0].x << 28 | id[0].y << 14 | uint(gl_PrimitiveIDIn);
		gl_Position = vec4((i & 1) * 2 - 1, (i >> 1) * 2 - 1, 0.0, 1.0);
		EmitVertex();
	}
}
#else
layout(triangles) in;
layout(triangle_strip, max_vertices = 24) out;
layout(location = 0) flat in uint value[];

void main()
{
	for (int i = 0; i < 3; i++) {
		result = value[0];
		gl_Position = gl_in[i].gl_Position;
		EmitVertex();
	}
}
#endif
