#version 450
// SPDX-License-Identifier: MIT
// Adds to a slice of a volume, which is an image of two dimensions; or to a range of them, which is one of three; or
// reads a slice as a texture. SIZE is of what it sees.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 2) buffer Out { uvec4 size; uint texels[]; };

#if defined(RANGE)
layout(r32ui, set = 0, binding = 0) uniform uimage3D slices;

void main()
{
	const ivec2 at = ivec2(gl_LocalInvocationID.xy);

	// One in front of them, and one behind; of one slice alone some hosts look at no place.
	const int depth = imageSize(slices).z, beyond = depth > 1 ? 1 : 0;

	for (int z = -beyond; z < depth + beyond; z++) {
		const ivec3 texel = ivec3(at, z);

		imageStore(slices, texel, imageLoad(slices, texel) + uvec4(1000 + at.x + 16 * at.y));
	}
	size = uvec4(imageSize(slices), 0);
}
#elif defined(SAMPLED)
layout(set = 0, binding = 1) uniform usampler2D slice;

void main()
{
	const uvec2 at = gl_LocalInvocationID.xy;

	texels[at.y * 8 + at.x] = texture(slice, (vec2(at) + 0.5) / vec2(textureSize(slice, 0))).x;
	size = uvec4(textureSize(slice, 0), 1, 0);
}
#else
layout(r32ui, set = 0, binding = 0) uniform uimage2D slice;

void main()
{
	const ivec2 at = ivec2(gl_LocalInvocationID.xy);

	imageStore(slice, at, imageLoad(slice, at) + uvec4(1000 + at.x + 16 * at.y));
	size = uvec4(imageSize(slice), 1, 0);
}
#endif
