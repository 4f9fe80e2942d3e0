#version 460
// SPDX-License-Identifier: MIT
layout(location = 0) sample in vec4 color_in;
layout(location = 1) in vec2 more[4];
layout(location = 0) out vec4 color;

void main()
{
	color = color_in + interpolateAtSample(more[gl_SampleID], gl_SampleID).xyxy +
		interpolateAtOffset(more[1], gl_SamplePosition).xyxy + interpolateAtCentroid(more[2]).xyxy;
	gl_SampleMask[0] = gl_SampleMaskIn[0] & int(dFdxFine(color.x));
}
