#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_shader_group_vote : require

void main()
{
	gl_Position = vec4(float(anyInvocationARB(gl_VertexIndex > 3)));
}
