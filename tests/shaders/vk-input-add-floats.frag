#version 450
// SPDX-License-Identifier: MIT
// One more than was there, in the attachment of floats that is drawn to.
layout(input_attachment_index = 0, set = 0, binding = 1) uniform subpassInput source;
layout(location = 0) out vec4 color;

void main()
{
	color = subpassLoad(source) + vec4(1.0, 1.0, 1.0, floor(gl_FragCoord.x));
}
