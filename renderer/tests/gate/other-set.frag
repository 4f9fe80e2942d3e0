#version 450
// SPDX-License-Identifier: MIT
layout(set = 0, binding = 1) uniform sampler2D tex;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(tex, vec2(0.5));
}
