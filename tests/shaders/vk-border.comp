#version 450
// SPDX-License-Identifier: MIT
// A texel, and what is outside of a texture.
layout(local_size_x = 1) in;
layout(set = 0, binding = 1) uniform sampler2D picture;
layout(std430, set = 0, binding = 2) writeonly buffer Result {
	uvec4 result[];
};

void main()
{
	result[0] = uvec4(round(textureLod(picture, vec2(0.5), 0.0) * 255.0));
	result[1] = uvec4(round(textureLod(picture, vec2(-0.5), 0.0) * 255.0));
}
