#version 450
// SPDX-License-Identifier: MIT
// Writes the arguments of a draw or a dispatch.
layout(local_size_x = 1) in;
layout(set = 5, binding = 34) buffer Words { uint words[]; } buffers[16];
layout(push_constant) uniform Push { uint arguments[5]; };

void main()
{
	for (int i = 0; i < 5; i++)
		buffers[0].words[i] = arguments[i];
}
