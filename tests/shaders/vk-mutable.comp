#version 460
// SPDX-License-Identifier: MIT
// Each invocation reads an element as a descriptor of another type, all of them at one binding, and stores to some.
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Order {
	uvec2 order[];		// types and elements
};
layout(std430, set = 0, binding = 1) writeonly buffer Result {
	uint result[];
};
#define HEAP set = 1, binding = 4
#ifdef SAMPLERS
layout(HEAP) uniform sampler samplers[];
layout(HEAP) uniform usampler2D combined[];
layout(HEAP) uniform utexture2D textures[];
#else
layout(HEAP) uniform utexture2D textures[];
layout(HEAP, r32ui) uniform uimage2D images[];
layout(HEAP) uniform usamplerBuffer texels[];
layout(HEAP, r32ui) uniform uimageBuffer stored_texels[];
layout(std140, HEAP) uniform Uniform {
	uvec4 words;
} uniforms[];
layout(std430, HEAP) buffer Storage {
	uint words[];
} storages[];
#endif
layout(push_constant) uniform Push {
	uint first;		// of the results
	uint x;			// what it reads of what may be stored to; what lies behind it is written
};

uint value(uint type, uint i)
{
	switch (type) {
#if defined(SIZES)
	default:
		return textureSize(textures[nonuniformEXT(i)], 0).x;
#elif defined(SAMPLERS)
	case 0:
		return textureLod(usampler2D(textures[0], samplers[nonuniformEXT(i)]), vec2(-1.5), 0.0).r;
	case 1:
		return textureLod(combined[nonuniformEXT(i)], vec2(0.5), 0.0).r;
	default:
		return texelFetch(textures[nonuniformEXT(i)], ivec2(0), 0).r;
#else
	case 2:
		return texelFetch(textures[nonuniformEXT(i)], ivec2(0), 0).r;
	case 3:
		imageStore(images[nonuniformEXT(i)], ivec2(x + 1, 0), uvec4(i + 100));
		return imageLoad(images[nonuniformEXT(i)], ivec2(x, 0)).r;
	case 4:
		return texelFetch(texels[nonuniformEXT(i)], 0).r;
	case 5:
		imageStore(stored_texels[nonuniformEXT(i)], int(x + 1), uvec4(i + 100));
		return imageLoad(stored_texels[nonuniformEXT(i)], int(x)).r;
	case 6:
		return uniforms[nonuniformEXT(i)].words.x;
	default:
		storages[nonuniformEXT(i)].words[x + 1] = i + 100;
		return storages[nonuniformEXT(i)].words[x];
#endif
	}
}

void main()
{
	const uvec2 what = order[gl_GlobalInvocationID.x];

	result[first + gl_GlobalInvocationID.x] = value(what.x, what.y);
}
