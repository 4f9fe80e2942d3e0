#version 450
// SPDX-License-Identifier: MIT
// Images and samplers that are apart, and arrays of what else there is: a test chooses an element of each.
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) writeonly buffer Result {
	uint data[];
} result;
layout(set = 0, binding = 1) uniform sampler samplers[2];
layout(set = 0, binding = 2) uniform texture2D images[3];
layout(set = 0, binding = 3) uniform sampler fixed_sampler;
layout(set = 0, binding = 4) uniform sampler2D both;
layout(set = 0, binding = 4) uniform sampler half_sampler;
layout(set = 0, binding = 4) uniform texture2D half_image;
layout(set = 0, binding = 5) uniform Add {
	uint data;
} adds[2];
layout(std430, set = 0, binding = 6) readonly buffer Source {
	uint data[];
} sources[2];
layout(set = 0, binding = 8) uniform samplerShadow shadow_sampler;
layout(set = 0, binding = 9) uniform texture2D depth;
layout(push_constant) uniform Push {
	uint image, which;
};

const vec2 outside = vec2(2.0);

uint word(vec4 texel)
{
	return uint(round(texel.r * 255.0));
}

void main()
{
	result.data[0] = word(textureLod(sampler2D(images[image], samplers[which]), outside, 0.0));
	result.data[1] = word(textureLod(sampler2D(images[image], fixed_sampler), outside, 0.0));
	result.data[2] = word(texelFetch(images[image], ivec2(1), 0));
	result.data[3] = word(textureLod(sampler2D(half_image, samplers[which]), outside, 0.0));
	result.data[4] = word(textureLod(sampler2D(images[image], half_sampler), outside, 0.0));
	result.data[5] = word(textureLod(both, outside, 0.0));
	result.data[6] = adds[which].data;
	result.data[7] = sources[which].data[image];
	result.data[8] = uint(textureLod(sampler2DShadow(depth, shadow_sampler), vec3(0.5, 0.5, 0.25), 0.0)) * 2 +
			 uint(textureLod(sampler2DShadow(depth, shadow_sampler), vec3(0.5, 0.5, 0.75), 0.0));
	result.data[9] = uint(textureSize(images[image], 0).x) * 10 + uint(textureQueryLevels(images[image]));
}
