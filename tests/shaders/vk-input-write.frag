#version 450
// SPDX-License-Identifier: MIT
// Where a fragment is, and a number.
layout(push_constant) uniform Push {
	float depth;
	uint number;
};
layout(location = 0) out COLOR color;

void main()
{
	const uvec2 at = uvec2(gl_FragCoord.xy);

	color = COLOR(at.x, at.y, at.x * at.y, number);
}
