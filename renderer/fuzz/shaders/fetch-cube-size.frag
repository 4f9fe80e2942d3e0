#version 450
// SPDX-License-Identifier: MIT
// A seed: reads a texture wherever the numbers lead.
layout(set = 1, binding = 1) uniform samplerCube a;
layout(set = 1, binding = 2) uniform samplerCubeArray b2;
layout(push_constant) uniform Push { ivec4 far[4]; };
layout(location = 1) in vec4 b;
layout(location = 2) flat in ivec4 c;
layout(location = 0) out vec4 color;
void main()
{
	ivec2 p = ivec2(gl_FragCoord.xy) & 7;
	int d = c.w + int(gl_FragCoord.x) * 100003 * far[0].y, k = c.w & 1;
	color = texture(a, vec3(b.xyz)) + textureLod(b2, vec4(b.xyz, float(d)), float(d)).xxxx;
}
