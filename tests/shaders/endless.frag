#version 450
// SPDX-License-Identifier: MIT
// The triangle's, but for an end: no texel is what the loop waits for, and no compiler knows.
layout(location = 0) in vec2 coord;
layout(set = 1, binding = 1) uniform sampler2D tex;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(tex, coord);
	while (color.x < 2.0)
		color = textureLod(tex, color.xy, 0.0);
}
