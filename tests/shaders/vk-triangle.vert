#version 450
// SPDX-License-Identifier: MIT
// Corners come from a buffer; push constants move them, and give them a depth and a colour.
layout(location = 0) in vec2 corner;
layout(location = 1) in vec2 shift;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Push {
	vec4 color;
	vec2 offset;
	float depth;
} push;

void main()
{
	gl_Position = vec4(corner + shift + push.offset, push.depth, 1.0);
	color = push.color;
}
