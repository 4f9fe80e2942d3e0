#version 450
// SPDX-License-Identifier: MIT
// A point in the column that its attribute says, in row 8 of 16.
layout(location = 0) in uint number;

void main()
{
	gl_Position = vec4((float(number) + 0.5) / 32.0 - 1.0, 0.0625, 0.0, 1.0);
	gl_PointSize = 1.0;
}
