#version 450
// SPDX-License-Identifier: MIT
// Points of whatever size they have if nobody says.
layout(location = 0) in vec2 place;

void main()
{
	gl_Position = vec4(place, 0.0, 1.0);
}
