#version 450
// SPDX-License-Identifier: MIT
// A storage buffer that is declared with more bytes than there are addresses: stores, additions and copies, from `at` on.
layout(local_size_x = 64) in;
layout(set = 5, binding = 34) buffer Words { uint words[65536][65536][16]; } buffers[2];
layout(push_constant) uniform Push { uvec3 at; uint op; };

void main()
{
	const uint i = gl_LocalInvocationIndex, x = at.x, y = at.y + i / 16u, z = at.z + i % 16u;

	if (op == 0u)
		buffers[0].words[x][y][z] = i;
	else if (op == 1u)
		atomicAdd(buffers[1].words[x][y][z], 1u);
	else
		buffers[0].words[0][i / 16u][i % 16u] = buffers[1].words[x][y][z];
}
