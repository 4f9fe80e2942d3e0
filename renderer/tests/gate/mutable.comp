#version 450
// SPDX-License-Identifier: MIT
// Descriptors of three types at three bindings.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform utexture2D image;
layout(std430, set = 0, binding = 1) buffer Words {
	uint words[];
};
layout(set = 0, binding = 2) uniform sampler plain;

void main()
{
	words[0] = textureLod(usampler2D(image, plain), vec2(0.5), 0.0).r;
}
