#version 450
// SPDX-License-Identifier: MIT
// One more than was there, in the attachment that is drawn to; an array of inputs.
layout(input_attachment_index = 0, set = 0, binding = 1) uniform usubpassInput sources[2];
layout(location = 0) out uvec4 color;

uvec4 load(usubpassInput source)
{
	return subpassLoad(source);
}

void main()
{
	color = load(sources[1]) + uvec4(1, 1, 1, uint(gl_FragCoord.x));
}
