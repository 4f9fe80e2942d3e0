#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
// One binding of a set with very many descriptors, of one type; which one and where the value goes is pushed.
layout(local_size_x = 1) in;

layout(std430, set = 0, binding = 0) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint at; uint element; };

#define HEAP set = 1, binding = 0
#define NONE 0xffffffffu

#if defined(TEXTURE)
layout(HEAP) uniform TEXTURE heap[];
#define VALUE uint(texelFetch(heap[element], AT, 0).r)
#elif defined(STORED)
layout(HEAP, r32ui) uniform uimage2D heap[];
#define VALUE imageLoad(heap[element], ivec2(0)).r
#elif defined(TEXELS)
layout(HEAP) uniform usamplerBuffer heap[];
#define VALUE texelFetch(heap[element], 0).r
#elif defined(STORED_TEXELS)
layout(HEAP, r32ui) uniform uimageBuffer heap[];
#define VALUE imageLoad(heap[element], 0).r
#elif defined(UNIFORM)
layout(HEAP) uniform Block { uint word; } heap[];
#define VALUE heap[element].word
#elif defined(STORAGE)
layout(std430, HEAP) readonly buffer Block { uint word; } heap[];
#define VALUE heap[element].word
#else
#define VALUE element
#endif

void main()
{
	result[at] = element == NONE ? 7 : VALUE;
}
