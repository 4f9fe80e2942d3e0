#version 450
// SPDX-License-Identifier: MIT
// What no stage writes is 0, and what one writes is that.
layout(location = 0) in vec4 given;
layout(location = 0) out vec4 color;

void main()
{
	const bool right = gl_Layer == 0 && gl_ViewportIndex == 0 && given == vec4(1.0, 2.0, 3.0, 4.0);

	color = vec4(!right, right, 0.0, 1.0);
}
