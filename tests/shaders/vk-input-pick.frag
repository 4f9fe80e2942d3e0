#version 450
// SPDX-License-Identifier: MIT
// One of two inputs: the one with a number, or with PLACE the one that a fragment's place says.
#ifdef PLACE
#extension GL_EXT_nonuniform_qualifier : require
#define NUMBER nonuniformEXT((uint(gl_FragCoord.x) + uint(gl_FragCoord.y)) % 2)
#else
#define NUMBER number
#endif
layout(input_attachment_index = 0, set = 0, binding = 1) uniform usubpassInput sources[2];
layout(push_constant) uniform Push {
	float depth;
	uint number;
};
layout(location = 0) out uvec4 color;

void main()
{
	color = subpassLoad(sources[NUMBER]);
}
