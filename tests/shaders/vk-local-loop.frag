#version 450
// SPDX-License-Identifier: MIT
// More than was there, in the attachment that is drawn to, which is a texture.
layout(set = 0, binding = 2) uniform usampler2D source;
layout(push_constant) uniform Push {
	uint number;
};
layout(location = 0) out uint color;

void main()
{
	color = texelFetch(source, ivec2(gl_FragCoord.xy), 0).x + uint(gl_FragCoord.x) + number;
}
