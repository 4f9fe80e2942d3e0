#version 450
// SPDX-License-Identifier: MIT
// Writes two pictures.
layout(location = 0) out uvec4 first;
layout(location = 1) out uvec4 second;

void main()
{
	const uvec2 at = uvec2(gl_FragCoord.xy);

	first = uvec4(at, 100, 0);
	second = uvec4(at, 200, 0);
}
