#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_shader_stencil_export : require

void main()
{
	gl_FragStencilRefARB = int(gl_FragCoord.x);
}
