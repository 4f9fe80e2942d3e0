#version 450
// SPDX-License-Identifier: MIT
// A combined image, seen as one with layers, too.
layout(set = 0, binding = 2) uniform texture2DArray image;
layout(set = 0, binding = 2) uniform sampler2D both;
layout(set = 0, binding = 2) uniform sampler plain;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(sampler2DArray(image, plain), vec3(0.5)) + texture(both, vec2(0.5));
}
