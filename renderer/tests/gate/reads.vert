#version 460
// SPDX-License-Identifier: MIT
layout(set = 0, binding = 34) readonly buffer Words { vec4 words[]; } buffers[16];

void main()
{
	gl_Position = buffers[15].words[gl_VertexIndex];
}
