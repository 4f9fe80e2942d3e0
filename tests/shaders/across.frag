#version 450
// SPDX-License-Identifier: MIT
// The texel at the other end of the picture.
layout(set = 1, binding = 1) uniform sampler2D tex;
layout(push_constant) uniform Last { ivec2 last; };
layout(location = 0) out vec4 color;

void main()
{
	color = texelFetch(tex, last - ivec2(gl_FragCoord.xy), 0).rrrr;
}
