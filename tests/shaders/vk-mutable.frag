#version 450
// SPDX-License-Identifier: MIT
// That colour, and one from a texture at the same binding.
#extension GL_EXT_samplerless_texture_functions : require
layout(set = 0, binding = 0) uniform utexture2D textures[2];
layout(location = 0) flat in uint value;
layout(location = 0) out vec4 color;

void main()
{
	color = vec4(value, texelFetch(textures[1], ivec2(0), 0).r, 0.0, 255.0) / 255.0;
}
