#version 450
// SPDX-License-Identifier: MIT
// A number, and if there are two sources another one.
layout(push_constant) uniform Push { vec2 values; };
layout(location = 0) out vec4 color;
#ifdef TWO
layout(location = 0, index = 1) out vec4 second;
#endif

void main()
{
	color = vec4(values.x);
#ifdef TWO
	second = vec4(values.y);
#endif
}
