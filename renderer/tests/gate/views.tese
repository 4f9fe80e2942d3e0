#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require
layout(triangles) in;

void main()
{
	gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_ViewIndex;
}
