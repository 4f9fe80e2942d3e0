#version 460
// SPDX-License-Identifier: MIT
// What invocations see of arrays of descriptors: of two kinds, each another element, both before either is used.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Result {
	uint data[];
} result;
layout(std430, set = 0, binding = 1) readonly buffer Source {
	uint data[];
} sources[];
layout(set = 1, binding = 2) uniform usamplerBuffer numbers[];
#ifdef TWICE
layout(set = 2, binding = 2) uniform samplerBuffer floats[];
#else
layout(set = 1, binding = 5) uniform samplerBuffer floats[];
#endif
layout(push_constant) uniform Push {
	uint first, step;	// elements
};

void main()
{
	const uint i = gl_GlobalInvocationID.x, n = first + i * step;
	const uint number = texelFetch(numbers[nonuniformEXT(n)], 0).r;
	const float value = texelFetch(floats[nonuniformEXT(n)], 0).r;
	const uint word = sources[nonuniformEXT(n)].data[0];

	result.data[i] = number;
	result.data[64 + i] = uint(value);
	result.data[128 + i] = word;
}
