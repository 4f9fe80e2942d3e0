// SPDX-License-Identifier: MIT
#version 460
#extension GL_EXT_mesh_shader : require

layout(location = 0) in vec4 color;
layout(location = 1) perprimitiveEXT flat in vec4 shade;
layout(location = 0) out vec4 result;

void main()
{
	result = vec4(color.rgb, shade.a);
}
