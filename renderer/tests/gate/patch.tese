#version 460
// SPDX-License-Identifier: MIT
layout(quads, fractional_odd_spacing, cw) in;
layout(location = 0) in vec4 color_in[];
layout(location = 1) patch in vec4 middle;
layout(location = 0) out vec4 color;

void main()
{
	color = color_in[gl_PatchVerticesIn - 1] * gl_TessCoord.x + middle * gl_TessLevelOuter[gl_PrimitiveID];
	gl_Position = gl_in[0].gl_Position + gl_TessLevelInner[1];
	gl_PointSize = gl_in[1].gl_PointSize;
}
