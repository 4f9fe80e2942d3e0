#version 450
// SPDX-License-Identifier: MIT
// Draws the patches of control shaders that the fuzzer makes.
layout(quads, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec4 a_in[];
layout(location = 2) patch in vec4 c_in;
layout(location = 0) out vec4 a;
void main()
{
	a = a_in[gl_PatchVerticesIn - 1] + c_in;
	gl_Position = mix(gl_in[0].gl_Position, gl_in[2].gl_Position,
			  gl_TessCoord.x + gl_TessCoord.y);
}
