#version 450
// SPDX-License-Identifier: MIT
// Samples and fetches at texel offsets that are not constant. SAMPLER is the type of the texture,
// COORD and OFFSET select the components of a coordinate and of an offset, LAYER the layer of an
// array, and PROJ the coordinate of a projection, if the texture has one.
#extension GL_EXT_texture_offset_non_const : require

struct Place {
	vec4 at;	// where to sample
	ivec4 texel;	// where to fetch
	ivec4 offset;
};

layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform SAMPLER source;
layout(set = 0, binding = 1) readonly buffer Places { Place places[]; };
layout(set = 0, binding = 2) buffer Results { vec4 results[]; };

void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const Place p = places[i];

	results[i].x = textureLodOffset(source, p.at.COORD, 0.0, p.offset.OFFSET).x;
	results[i].y = texelFetchOffset(source, p.texel.COORD, 0, p.offset.OFFSET).x;
	results[i].z = textureGradOffset(source, p.at.COORD, p.at.DERIVED * 0.0, p.at.DERIVED * 0.0,
					 p.offset.OFFSET).x;
#ifdef PROJ
	results[i].w = textureProjLodOffset(source, vec4(p.at.PROJ, 1.0), 0.0, p.offset.OFFSET).x;
#else
	results[i].w = results[i].x;
#endif
}
