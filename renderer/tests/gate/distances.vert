#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_shuffle_relative : require

void main()
{
	gl_Position = vec4(subgroupShuffleUp(gl_VertexIndex, 1u));
}
