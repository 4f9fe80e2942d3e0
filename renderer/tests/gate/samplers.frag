#version 450
// SPDX-License-Identifier: MIT
// Images and samplers that are apart, with arrays of both, and a combined one that is seen as both.
layout(set = 0, binding = 0) uniform sampler samplers[2];
layout(set = 0, binding = 1) uniform texture2D images[3];
layout(set = 0, binding = 2) uniform texture2D image;
layout(set = 0, binding = 2) uniform sampler plain;
layout(set = 0, binding = 2) uniform sampler2D both;
layout(location = 0) flat in uint which;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(sampler2D(images[which], samplers[which]), vec2(0.5)) + texture(sampler2D(image, plain), vec2(0.5)) +
		texture(both, vec2(0.5));
}
