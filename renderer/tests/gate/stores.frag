#version 460
// SPDX-License-Identifier: MIT
layout(early_fragment_tests) in;
layout(set = 1, binding = 34) buffer Words { uint words[]; } buffers[2];
layout(set = 1, binding = 35, rgba8) uniform image2D picture;
layout(set = 1, binding = 83, r32ui) uniform readonly uimageBuffer texels;
layout(location = 0) out vec4 color;

void main()
{
	const uint n = imageLoad(texels, int(gl_FragCoord.x)).x;

	atomicAdd(buffers[1].words[n], 1u);
	imageStore(picture, ivec2(gl_FragCoord.xy), vec4(n));
	color = imageLoad(picture, ivec2(gl_FragCoord.yx));
}
