#version 460
// SPDX-License-Identifier: MIT
// The patch as it is, with what its vertices have.
layout(DOMAIN, SPACING, cw) in;
layout(push_constant) uniform Push { uint number; float level; };
layout(location = 0) in uint mine[];
layout(location = 1) patch in uint others;
layout(location = 0) flat out uvec2 words;

void main()
{
#ifndef NOWHERE
	const vec4 a = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
	const vec4 b = mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x);

	gl_Position = mix(a, b, gl_TessCoord.y);
#endif
	words = uvec2(mine[number], others);
}
