#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_shader_viewport_layer_array : require

void main()
{
	gl_Position = vec4(gl_DrawID, gl_BaseVertex, gl_BaseInstance, 1);
	gl_Layer = gl_VertexIndex;
	gl_ViewportIndex = gl_InstanceIndex;
}
