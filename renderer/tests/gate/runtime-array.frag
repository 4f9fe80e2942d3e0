#version 450
#extension GL_EXT_nonuniform_qualifier : require
// SPDX-License-Identifier: MIT
layout(set = 1, binding = 1) uniform sampler2D tex[];
layout(location = 0) flat in int index;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(tex[index], vec2(0.5));
}
