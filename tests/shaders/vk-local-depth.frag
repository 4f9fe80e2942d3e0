#version 450
// SPDX-License-Identifier: MIT
// A depth, or a sample, of what is drawn to.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform INPUT source;
layout(push_constant) uniform Push {
	uint number;
};
layout(location = 0) out uint color;

void main()
{
	color = VALUE;
}
