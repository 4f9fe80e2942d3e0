#version 450
// SPDX-License-Identifier: MIT
layout(set = 1, binding = 1) uniform sampler2D flat_one;
layout(set = 1, binding = 1) uniform samplerCube cube;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(flat_one, vec2(0.5)) + texture(cube, vec3(1.0));
}
