#version 450
// SPDX-License-Identifier: MIT
// What an input attachment has where a fragment is; of those with samples, the one with a number.
layout(input_attachment_index = 0, set = 0, binding = 1) uniform INPUT source;
layout(push_constant) uniform Push {
	float depth;
	uint number;
};
layout(location = 0) out uvec4 color;

void main()
{
	color = WORDS(subpassLoad(source SAMPLE));
}
