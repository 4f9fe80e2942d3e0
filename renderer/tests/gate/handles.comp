#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 1) in;
layout(set = 6, binding = 3) uniform sampler2D textures[4096];
layout(set = 6, binding = 35, r32ui) uniform uimage2D images[100];
layout(set = 6, binding = 65, r32ui) uniform uimage2D counters[4096];
layout(push_constant) uniform Push { int handle; };

void main()
{
	vec4 color = textureLod(textures[handle], vec2(0.5), 0.0);

	imageStore(images[handle], ivec2(0), uvec4(color * float(textureSize(textures[handle], 0).x)));
	imageAtomicAdd(counters[handle], ivec2(0), imageLoad(images[3], ivec2(1)).x);
}
