#version 450
// SPDX-License-Identifier: MIT
// What two attachments have where a fragment is.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput zero;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform usubpassInput one;
layout(push_constant) uniform Push {
	uint number;
};
layout(location = 0) out uvec4 color;

void main()
{
	const uint a = subpassLoad(zero).x, b = subpassLoad(one).x;

	color = uvec4(a, b, number, a + b);
}
