#version 450
// SPDX-License-Identifier: MIT
// Patches of one vertex each, of which the last one of instance 0 and the first one of any other are drawn.
layout(vertices = 1) out;
layout(push_constant) uniform Push { uint last; };
layout(location = 0) in uvec2 id[];
layout(location = 0) patch out uint seen;

void main()
{
	const bool drawn = id[0].y == (id[0].x == 0 ? last : 0);
	const float level = drawn ? 1.0 : 0.0;

	seen = id[0].x << 28 | id[0].y << 14 | uint(gl_PrimitiveID);
	gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = level;
	gl_TessLevelInner[0] = gl_TessLevelInner[1] = level;
}
