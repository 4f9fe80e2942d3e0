#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// Green, if all members arrive, interpolated over a picture of SIDE pixels.
#include "vk-blocks.h"
in BLOCK varyings;
layout(location = 0) out vec4 color;

bool is_near(vec2 a, vec2 b)
{
	return all(lessThan(abs(a - b), vec2(0.01)));
}

void main()
{
	const vec2 at = gl_FragCoord.xy / float(SIDE) * 2.0 - 1.0;
	const bool right = is_near(varyings.color.xy, vec2(0.25, 0.5)) &&
			   is_near(varyings.color.zz, vec2(0.75)) &&
			   varyings.number == -7 && is_near(varyings.place, at) &&
			   is_near(interpolateAtCentroid(varyings.place), at) &&
			   is_near(varyings.one.xx, vec2(1.0)) && varyings.bits == 0xdeadbeefu &&
			   is_near(varyings.twist[0], vec2(1.0, 2.0)) &&
			   is_near(varyings.twist[1], vec2(3.0, 4.0)) &&
			   is_near(vec2(varyings.list[0], varyings.list[1]), vec2(8.0, at.y));

	color = vec4(!right, right, 0.0, 1.0);
}
