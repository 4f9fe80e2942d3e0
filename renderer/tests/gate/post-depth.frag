#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_post_depth_coverage : require
layout(post_depth_coverage) in;
layout(location = 0) out int result;

void main()
{
	result = gl_SampleMaskIn[0];
}
