#version 450
// SPDX-License-Identifier: MIT
// As vk-texel-views.comp writes the first layer.
layout(location = 0) out uvec4 block;

void main()
{
	const uvec2 at = uvec2(gl_FragCoord.xy);

	block = uvec4(at.x + 16 * at.y) + uvec4(0x10000, 0x20000, 0x30000, 0x40000);
}
