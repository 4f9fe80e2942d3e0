#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require

void main()
{
	gl_Position = vec4(gl_ViewIndex, gl_VertexIndex, 0, 1);
}
