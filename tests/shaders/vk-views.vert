#version 450
// SPDX-License-Identifier: MIT
// All columns from eight times the view on, as deep as the view says.
#extension GL_EXT_multiview : require
layout(push_constant) uniform Push { uint number; };
layout(location = 0) flat out uint stages;

void main()
{
	gl_Position = vec4((gl_VertexIndex == 1 ? 3.0 : -1.0) + 0.25 * gl_ViewIndex, gl_VertexIndex == 2 ? 3.0 : -1.0,
			   0.3 * gl_ViewIndex, 1.0);
	stages = 1 + gl_ViewIndex;
}
