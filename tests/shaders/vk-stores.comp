#version 450
// SPDX-License-Identifier: MIT
// Stores to each sample of an image with layers, or reads them, as texels of an image or of a texture.
layout(local_size_x = 4, local_size_y = 4, local_size_z = 2) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2DMSArray image;
layout(set = 0, binding = 1) uniform usampler2DMSArray picture;
layout(std430, set = 0, binding = 2) writeonly buffer Result {
	uint result[];
};
layout(push_constant) uniform Push {
	uint what, unused;
};

void main()
{
	const ivec3 at = ivec3(gl_LocalInvocationID);
	const uint texel = gl_LocalInvocationIndex;

	for (int i = 0; i < 4; i++) {
		if (what == 0)
			imageStore(image, at, i, uvec4(1000 + texel * 10 + i));
		else if (what == 1)
			result[texel * 4 + i] = imageLoad(image, at, i).r;
		else if (what == 2)
			result[texel * 4 + i] = texelFetch(picture, at, i).r;
		else
			imageAtomicAdd(image, at, i, 5);
	}
	if (texel == 0)
		result[200] = imageSamples(image) * 100 + imageSize(image).z;
}
