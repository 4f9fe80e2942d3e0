#version 450
// SPDX-License-Identifier: MIT
layout(binding = 51, set = 1) uniform isamplerBuffer a;
layout(binding = 82, set = 1) uniform samplerBuffer b;
layout(location = 0) out vec4 color;

void main()
{
	color = vec4(texelFetch(a, int(gl_FragCoord.x))) + texelFetch(b, textureSize(a));
}
