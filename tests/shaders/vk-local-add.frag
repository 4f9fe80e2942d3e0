#version 450
// SPDX-License-Identifier: MIT
// More than was there, in the attachment that is drawn to.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput source;
layout(push_constant) uniform Push {
	uint number;
};
layout(location = 0) out uint color;

void main()
{
	color = subpassLoad(source).x + uint(gl_FragCoord.x) + number;
}
