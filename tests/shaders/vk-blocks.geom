#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
#include "vk-blocks.h"
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in BLOCK given[];
out BLOCK varyings;

void main()
{
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[i].gl_Position;
		PASS(varyings, given[i])
		EmitVertex();
	}
}
