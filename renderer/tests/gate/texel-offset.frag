#version 450
// SPDX-License-Identifier: MIT
// A texel at an offset that is not constant.
#extension GL_EXT_texture_offset_non_const : require

layout(set = 1, binding = 1) uniform sampler2D source;
layout(location = 0) flat in ivec2 offset;
layout(location = 0) out vec4 color;

void main()
{
	color = textureLodOffset(source, gl_FragCoord.xy, 0.0, offset);
}
