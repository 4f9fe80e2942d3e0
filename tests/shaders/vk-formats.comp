// SPDX-License-Identifier: MIT
// Write all texels of an image's first level to a buffer, row by row.
#version 450

layout(local_size_x = 64) in;

layout(binding = 0) uniform sampler2D image;
layout(binding = 1) writeonly buffer Texels { vec4 texels[]; };

void main()
{
	const ivec2 size = textureSize(image, 0);

	for (int i = int(gl_LocalInvocationIndex); i < size.x * size.y; i += 64)
		texels[i] = texelFetch(image, ivec2(i % size.x, i / size.x), 0);
}
