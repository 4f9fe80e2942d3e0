#version 460
// SPDX-License-Identifier: MIT
// Each invocation reads an image of another kind, all of them at one binding, and stores to some.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Order {
	uvec2 order[];		// kinds and elements
};
layout(std430, set = 0, binding = 1) writeonly buffer Result {
	uint result[];
};
layout(set = 1, binding = 0) uniform texture2D floats[];
layout(set = 1, binding = 0) uniform utexture2D uints[];
layout(set = 1, binding = 0) uniform itexture2D ints[];
layout(set = 1, binding = 0) uniform texture3D volumes[];
layout(set = 1, binding = 0) uniform textureCube cubes[];
layout(set = 1, binding = 1) uniform sampler plain;
layout(set = 1, binding = 2, rgba8) uniform image2D float_stores[6];
layout(set = 1, binding = 2, r32ui) uniform uimage2D uint_stores[6];
layout(set = 1, binding = 3) uniform Add {
	uint add;
};
#ifdef MORE
layout(set = 2, binding = 0) uniform More {
	uint more;
};
#else
const uint more = 0;
#endif
layout(push_constant) uniform Push {
	uint first;		// of the results
	uint x;			// where it loads from images that are stored to, at x + 1
};

uint byte(vec4 color)
{
	return uint(round(color.r * 255.0));
}

uint load_float(uint i)
{
	imageStore(float_stores[nonuniformEXT(i)], ivec2(x + 1, 0), vec4(float(i + 100) / 255.0));
	return byte(imageLoad(float_stores[nonuniformEXT(i)], ivec2(x, 0)));
}

uint load_uint(uint i)
{
	imageStore(uint_stores[nonuniformEXT(i)], ivec2(x + 1, 0), uvec4(i + 100));
	return imageLoad(uint_stores[nonuniformEXT(i)], ivec2(x, 0)).r;
}

uint value(uint kind, uint i)
{
	switch (kind) {
	case 0:
		return byte(textureLod(sampler2D(floats[nonuniformEXT(i)], plain), vec2(0.5), 0.0));
	case 1:
		return textureLod(usampler2D(uints[nonuniformEXT(i)], plain), vec2(0.5), 0.0).r;
	case 2:
		return uint(-textureLod(isampler2D(ints[nonuniformEXT(i)], plain), vec2(0.5), 0.0).r);
	case 3:
		return byte(textureLod(sampler3D(volumes[nonuniformEXT(i)], plain), vec3(0.5), 0.0));
	case 4:
		return byte(textureLod(samplerCube(cubes[nonuniformEXT(i)], plain), vec3(0.2, 0.3, 1.0), 0.0));
	case 5:
		return load_float(i);
	default:
		return load_uint(i);
	}
}

void main()
{
	const uvec2 what = order[gl_GlobalInvocationID.x];

	result[first + gl_GlobalInvocationID.x] = value(what.x, what.y) + add + more;
}
