#version 450
/* SPDX-License-Identifier: MIT */
/*
 * A triangle that covers layer gl_InstanceIndex. The first vertex is three times the resolve mode.
 * sdvk_cmd_resolve.c draws with it.
 */
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) flat out ivec2 layer_and_mode;

void main()
{
   const int corner = gl_VertexIndex % 3;

   gl_Position = vec4(corner == 1 ? 3.0 : -1.0, corner == 2 ? 3.0 : -1.0, 0.0, 1.0);
   gl_Layer = gl_InstanceIndex;
   layer_and_mode = ivec2(gl_InstanceIndex, gl_VertexIndex / 3);
}
