#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_basic : require

void main()
{
	subgroupBarrier();
}
