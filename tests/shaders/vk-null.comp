// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) uniform Uniforms { uint of_uniforms[4]; };
layout(set = 0, binding = 2) buffer Stores { uint of_stores[]; };
layout(set = 0, binding = 3) uniform usamplerBuffer texels;
layout(set = 0, binding = 4, r32ui) uniform uimageBuffer stored_texels;
layout(set = 0, binding = 5) uniform usampler2D flat_texture;
layout(set = 0, binding = 6) uniform usampler2DArray layers;
layout(set = 0, binding = 7, r32ui) uniform uimage2D image;
layout(set = 0, binding = 8) uniform utexture2D no_sampler;

uint n = 0;

void say(uint value)
{
	result[n++] = value;
}

void main()
{
	uint i = gl_WorkGroupID.x;	/* 0, which the compiler does not know */

	say(of_uniforms[i + 1]);
	say(of_stores[i + 1]);
	say(of_stores.length());
	say(atomicAdd(of_stores[i + 1], 0));
	say(texelFetch(texels, int(i) + 1).x);
	say(textureSize(texels));
	say(imageLoad(stored_texels, int(i) + 1).x);
	say(imageSize(stored_texels));
	say(texture(flat_texture, vec2(0.5)).x);
	say(texelFetch(flat_texture, ivec2(i), 0).x);
	say(textureSize(flat_texture, 0).x);
	say(textureQueryLevels(flat_texture));
	say(texture(layers, vec3(0.5, 0.5, 1)).x);
	say(textureSize(layers, 0).z);
	say(imageLoad(image, ivec2(i)).x);
	say(imageSize(image).x);
	say(imageAtomicAdd(image, ivec2(i), 0));
	say(texelFetch(no_sampler, ivec2(i), 0).x);
	of_stores[i] = 77;
	atomicAdd(of_stores[i + 1], 77);
	imageStore(stored_texels, int(i), uvec4(77));
	imageStore(image, ivec2(i), uvec4(77));
	imageAtomicAdd(image, ivec2(i), 77);
}
