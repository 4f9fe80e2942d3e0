#version 450
// SPDX-License-Identifier: MIT
// Corners stay where they are, and the middles of edges go inwards.
layout(triangles, equal_spacing) in;
layout(location = 0) in float shades[];
layout(location = 0) out float shade;

void main()
{
	const vec3 at = gl_TessCoord;
	const float within = 1.0 - 2.0 * (at.x * at.y + at.y * at.z + at.z * at.x);
	const vec4 place = at.x * gl_in[0].gl_Position + at.y * gl_in[1].gl_Position + at.z * gl_in[2].gl_Position;

	gl_Position = vec4(place.xy * within, place.zw);
	shade = at.x * shades[0] + at.y * shades[1] + at.z * shades[2];
}
