#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 color;

void main()
{
	double d = gl_FragCoord.x;

	color = vec4(float(d * d));
}
