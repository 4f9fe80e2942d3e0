#version 450
// SPDX-License-Identifier: MIT
// One element of everything that has some, of a number that a test chooses, or of PLACE: read, then written.
layout(local_size_x = 1) in;
layout(std430, binding = 0) writeonly buffer Result {
	uint data[];
} result;
layout(std430, binding = 1) buffer Words {
	uint head[2];
	uint data[];
} words;
layout(std430, binding = 2) buffer Vectors {
	uvec4 data[];
} vectors;
layout(std430, binding = 3) buffer Fixed {
	uint data[64];
} fixed_words;
layout(std140, binding = 4) uniform Uniform {
	uvec4 data[64];
} uniforms;
layout(binding = 5) uniform usamplerBuffer texels;
layout(binding = 6, r32ui) uniform uimageBuffer stored;
// The last one is there in part.
struct Part {
	uint first, second;
};
layout(std430, binding = 7) buffer Parts {
	Part data[];
} parts;
layout(binding = 8, r32ui) uniform uimage2D image;
layout(push_constant) uniform Push {
	uint index;
	bool write;
} push;
#ifdef PLACE
layout(constant_id = 0) const uint place = PLACE;
#else
#define place push.index
#endif

void main()
{
	const uint i = place, next = max(i, i + 1);

	if (push.write) {
		words.data[i] = 7;
		vectors.data[i] = uvec4(7);
		fixed_words.data[i] = 7;
		parts.data[next].first = 7;
		imageStore(stored, int(i), uvec4(7));
		imageStore(image, ivec2(i, 0), uvec4(7));
		atomicAdd(words.data[i], 7);
		atomicMax(vectors.data[i].y, 7);
		atomicMax(parts.data[next].first, 7);
		return;
	}
	result.data[0] = words.data[i];
	result.data[1] = vectors.data[i].x | vectors.data[i].w;
	result.data[2] = fixed_words.data[i];
	result.data[3] = uniforms.data[i].y;
	result.data[4] = texelFetch(texels, int(i)).x;
	result.data[5] = imageLoad(stored, int(i)).x;
	result.data[6] = imageLoad(image, ivec2(i, 0)).x;
	result.data[7] = parts.data[next].first;
	result.data[8] = words.data.length();
	result.data[9] = vectors.data.length();
}
