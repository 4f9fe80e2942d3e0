#version 450
// SPDX-License-Identifier: MIT
// One of each descriptor that a set may have, in two sets; storage buffers are no uniform blocks, as of old.
#pragma use_storage_buffer
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform Add {
	uint add;
};
layout(std430, set = 0, binding = 1) readonly buffer In {
	uint data[];
} source;
layout(std430, set = 0, binding = 2) buffer Out {
	uint data[];
} result;
layout(set = 1, binding = 0) uniform sampler2D pictures[3];
layout(set = 1, binding = 4, r32ui) uniform uimage2D image;
layout(set = 1, binding = 5) uniform usamplerBuffer texels;
layout(set = 1, binding = 9, r32ui) uniform uimageBuffer texels_out;
layout(push_constant) uniform Push {
	uint which;
};
// Where the layout has nothing: nobody comes to it.
layout(set = 1, binding = 8) uniform sampler2D nowhere[4];
layout(set = 3, binding = 7) uniform Absent {
	uint absent;
};

uint not_called()
{
	return uint(textureLod(nowhere[absent], vec2(0.5), 0.0).r);
}

void main()
{
	uint i = gl_GlobalInvocationID.x;

	result.data[i * 4] = source.data[i] + add;
	result.data[i * 4 + 1] = uint(round(textureLod(pictures[which], vec2(0.5), 0.0).r * 255.0));
	result.data[i * 4 + 2] = texelFetch(texels, int(i)).r;
	result.data[i * 4 + 3] = imageLoad(image, ivec2(i, 0)).r;
	imageStore(image, ivec2(i, 1), uvec4(i * 3));
	imageStore(texels_out, int(i), uvec4(i * 5));
}
