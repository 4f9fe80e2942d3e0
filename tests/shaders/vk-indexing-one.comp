#version 460
// SPDX-License-Identifier: MIT
// One array of pictures, of any length.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 0) readonly buffer Order {
	uint order[];
};
layout(std430, set = 0, binding = 1) writeonly buffer Result {
	uint result[];
};
layout(set = 1, binding = 3) uniform sampler2D pictures[];
layout(push_constant) uniform Push {
	uint first, add;	// of the results; to the order
};

void main()
{
	const uint i = order[gl_GlobalInvocationID.x] + add;

	result[first + gl_GlobalInvocationID.x] =
		uint(round(textureLod(pictures[nonuniformEXT(i)], vec2(0.5), 0.0).r * 255.0));
}
