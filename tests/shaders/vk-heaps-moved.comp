#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_samplerless_texture_functions : require
// Buffers with dynamic offsets in two sets, beside what the sets have many of.
layout(local_size_x = 1) in;

layout(std430, set = FIRST + 1, binding = 0) writeonly buffer Result { uvec2 result[]; };
layout(set = FIRST, binding = 0) uniform A { uint word; } a[2];
layout(set = FIRST, binding = 3) uniform utexture2D textures[4096];
layout(std430, set = FIRST + 1, binding = 1) readonly buffer B { uint word; } b;
layout(set = FIRST + 1, binding = 2) uniform C { uint word; } c;
layout(push_constant) uniform Push { uint at; uint element; };

void main()
{
	result[at] = uvec2(a[0].word | a[1].word << 8 | b.word << 16 | c.word << 24,
			   texelFetch(textures[element], ivec2(0), 0).r);
}
