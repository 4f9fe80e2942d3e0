#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_shader_stencil_export : require
layout(location = 0) out uvec2 result;

void main()
{
	if (gl_FragCoord.y < 4.0)
		discard;
	gl_FragStencilRefARB = int(gl_FragCoord.x) * -1000;
	gl_FragDepth = gl_FragCoord.y * 0.1 - 0.5;
	gl_SampleMask[0] = gl_SampleMaskIn[0] & int(gl_FragCoord.x);
	result = uvec2(gl_SampleMaskIn[0]);
}
