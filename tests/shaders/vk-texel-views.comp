#version 450
// SPDX-License-Identifier: MIT
// Blocks as texels, one more of each row and column than there are: read, written, or read with what they mean.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uvec4 size; uvec4 texels[]; };
// A slice is of two dimensions, a volume of three.
#if defined(VOLUME)
#define PLACE at
#define SIZE(dimensions) uvec4(dimensions, 0)
#define IMAGE uimage3D
#elif defined(SLICE)
#define PLACE at.xy
#define SIZE(dimensions) uvec4(dimensions, 1, 0)
#define IMAGE uimage2D
#else
#define PLACE at
#define SIZE(dimensions) uvec4(dimensions, 0)
#define IMAGE uimage2DArray
#endif
#ifdef WRITE
layout(set = 0, binding = 2) writeonly uniform IMAGE blocks;
#else
layout(set = 0, binding = 1) uniform SAMPLER blocks;
#endif

void main()
{
	const ivec3 at = ivec3(gl_GlobalInvocationID);
	const uint i = (at.z * gl_NumWorkGroups.y + at.y) * gl_NumWorkGroups.x + at.x;

#ifdef WRITE
	if (i == 0)
		size = SIZE(imageSize(blocks));
	imageStore(blocks, PLACE, uvec4(at.x + 16 * at.y + 256 * at.z) + uvec4(0x10000, 0x20000, 0x30000, 0x40000));
#else
	if (i == 0)
		size = SIZE(textureSize(blocks, 0));
	texels[i] = uvec4(texelFetch(blocks, PLACE, 0));
#endif
}
