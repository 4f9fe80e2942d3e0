#version 450
// SPDX-License-Identifier: MIT
// A grid of quads, with a color that no other vertex has.
layout(quads) in;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 more;

void main()
{
	gl_Position = vec4(gl_TessCoord.xy * 1.8 - 0.9, 0.0, 1.0);
	color = vec4(gl_TessCoord.xy, 0.5, 1.0);
	more = vec4(gl_TessCoord.yx, 0.0, 0.0);
}
