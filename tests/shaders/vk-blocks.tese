#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
#include "vk-blocks.h"
layout(triangles, equal_spacing, ccw) in;
in BLOCK given[];
out BLOCK varyings;
patch in Whole {
	layout(location = 12, component = 3) float scale;
	layout(location = 3) vec2 list[2];
} whole;

void main()
{
	const bool right = whole.scale == 0.5 && whole.list[0] == vec2(1.0, 2.0) &&
			   whole.list[1] == vec2(3.0, 4.0);

	gl_Position = gl_in[0].gl_Position * gl_TessCoord.x +
		      gl_in[1].gl_Position * gl_TessCoord.y +
		      gl_in[2].gl_Position * gl_TessCoord.z;
	PASS(varyings, given[0])
	MIX(place)
	MIX(list[0])
	MIX(list[1])
	if (!right)
		varyings.number = 0;
}
