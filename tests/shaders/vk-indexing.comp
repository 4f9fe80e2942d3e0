#version 460
// SPDX-License-Identifier: MIT
// Each invocation reads one element of each array of descriptors, another one than its neighbours.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 0) readonly buffer Order {
	uint order[];
};
layout(std430, set = 0, binding = 1) writeonly buffer Result {
	uint result[];
};
layout(set = 1, binding = 0) uniform texture2D images[];
layout(set = 1, binding = 1) uniform sampler samplers[];
layout(set = 1, binding = 2) uniform sampler2D pictures[];
layout(set = 1, binding = 3, r32ui) uniform uimage2D stores[];
layout(set = 1, binding = 4) uniform usamplerBuffer texels[];
layout(set = 1, binding = 5, r32ui) uniform uimageBuffer texel_stores[];
layout(set = 1, binding = 6) uniform Uniform {
	uint value;
} uniforms[];
layout(std430, set = 1, binding = 7) buffer Storage {
	uint value, seen;
} storages[];
layout(push_constant) uniform Push {
	uint first;		// of the results
};

uint byte(vec4 color)
{
	return uint(round(color.r * 255.0));
}

void main()
{
	const uint i = order[gl_GlobalInvocationID.x], at = first + gl_GlobalInvocationID.x * 8;

	result[at] = byte(textureLod(nonuniformEXT(sampler2D(images[i], samplers[i])), vec2(0.5), 0.0));
	result[at + 1] = byte(textureLod(pictures[nonuniformEXT(i)], vec2(0.5), 0.0));
	result[at + 2] = imageLoad(stores[nonuniformEXT(i)], ivec2(0)).r;
	result[at + 3] = texelFetch(texels[nonuniformEXT(i)], 0).r;
	result[at + 4] = imageLoad(texel_stores[nonuniformEXT(i)], 0).r;
	result[at + 5] = uniforms[nonuniformEXT(i)].value;
	result[at + 6] = storages[nonuniformEXT(i)].value;
	storages[nonuniformEXT(i)].seen = 1;
	imageStore(stores[nonuniformEXT(i)], ivec2(1, 0), uvec4(1));
}
