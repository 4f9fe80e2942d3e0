#version 450
// SPDX-License-Identifier: MIT
// A seed: reads a texture wherever the numbers lead.
layout(set = 1, binding = 1) uniform isampler2D a;
layout(push_constant) uniform Push { ivec4 far[4]; };
layout(location = 1) in vec4 b;
layout(location = 2) flat in ivec4 c;
layout(location = 0) out vec4 color;
void main()
{
	ivec2 p = ivec2(gl_FragCoord.xy) & 7;
	int d = c.w + int(gl_FragCoord.x) * 100003 * far[0].y, k = c.w & 1;
	color = vec4(texelFetch(a, ivec2(p.x,d), k));
}
