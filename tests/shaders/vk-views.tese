#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require
layout(triangles, ccw) in;
layout(location = 0) patch in uint before;
layout(location = 0) flat out uint stages;

void main()
{
	gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y +
		      gl_in[2].gl_Position * gl_TessCoord.z;
	stages = before + 4096 * (1 + gl_ViewIndex);
}
