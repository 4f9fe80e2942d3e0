#version 450
// SPDX-License-Identifier: MIT
// A stencil reference for each pixel; or the samples of each that its fragment covers, before or after early tests.
#extension GL_ARB_post_depth_coverage : require
#extension GL_ARB_shader_stencil_export : require
#define SIDE 64
#ifdef STENCIL
void main()
{
	gl_FragStencilRefARB = int(gl_FragCoord.x) + 4 * int(gl_FragCoord.y) + 256;
}
#else
layout(TESTS) in;
layout(set = 0, binding = 0) buffer Masks {
	uint masks[SIDE * SIDE];
};

void main()
{
	atomicOr(masks[int(gl_FragCoord.y) * SIDE + int(gl_FragCoord.x)], 16u | uint(gl_SampleMaskIn[0]));
}
#endif
