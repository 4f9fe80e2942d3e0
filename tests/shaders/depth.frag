#version 450
// SPDX-License-Identifier: MIT
layout(depth_greater) out float gl_FragDepth;
layout(location = 0) out vec4 result;

void main()
{
	gl_FragDepth = gl_FragCoord.z + 0.25;
	result = vec4(0.0, 1.0, 0.0, 1.0);
}
