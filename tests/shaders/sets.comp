#version 450
// SPDX-License-Identifier: MIT
// What it sees of descriptors in sets, from a place on that a test chooses.
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer Source {
	uint data[];
} sources[4];
layout(std430, set = 0, binding = 1) writeonly buffer Result {
	uint data[];
} result;
layout(set = 1, binding = 7) uniform usamplerBuffer texels[2];
layout(push_constant) uniform Push {
	uint which, first;
};

void main()
{
	const uint i = gl_GlobalInvocationID.x;

	result.data[i] = sources[which].data[first + i];
	result.data[64 + i] = texelFetch(texels[which], int(first + i)).r;
}
