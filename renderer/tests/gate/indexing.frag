#version 460
// SPDX-License-Identifier: MIT
// Arrays without a length, and indices that differ.
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0) uniform sampler samplers[];
layout(set = 0, binding = 1) uniform texture2D images[];
layout(set = 0, binding = 2) uniform sampler2D pictures[];
layout(std430, set = 0, binding = 3) readonly buffer Buffer {
	float value;
} buffers[];
layout(location = 0) flat in int i;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(nonuniformEXT(sampler2D(images[i], samplers[i])), vec2(0.5)) +
		texture(pictures[nonuniformEXT(i)], vec2(0.5)) + buffers[nonuniformEXT(i)].value;
}
