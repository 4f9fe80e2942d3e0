#version 450
// SPDX-License-Identifier: MIT
// Green, if all of both blocks arrives.
layout(triangles, equal_spacing, ccw) in;
layout(location = 0) patch in Patch { vec4 color; float scale[2]; } whole;
layout(location = 4) in Vertex { float one; } each[];
layout(location = 0) out vec4 color;

void main()
{
	const bool right = each[0].one == 0.0 && each[1].one == 1.0 && each[2].one == 2.0;

	color = right ? vec4(0.0, whole.color.g * whole.scale[1], 0.0, whole.scale[0]) : vec4(1.0, 0.0, 0.0, 1.0);
	gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y +
		      gl_in[2].gl_Position * gl_TessCoord.z;
}
