#version 450
// SPDX-License-Identifier: MIT
// Types of more parts than a value may have, of which the shader reads one element each.
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Data { float data[300000]; };
layout(set = 0, binding = 0) uniform Block { vec4 vectors[4096]; } blocks[64];
layout(set = 0, binding = 1) buffer Words { uint words[]; };
layout(push_constant) uniform Push { Data data; };

void main()
{
	const uint i = gl_LocalInvocationIndex;

	words[i] = uint(data.data[i * 4096]) + uint(blocks[5].vectors[i].x);
}
