#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec2 coord;
layout(set = 1, binding = 1) uniform sampler2D tex;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(tex, coord);
}
