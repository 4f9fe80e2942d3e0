#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 1) in;
layout(set = 6, binding = 3) uniform sampler2D textures[4096];
layout(set = 6, binding = 3) uniform sampler2DShadow shadows[4096];
layout(set = 6, binding = 32) uniform writeonly image2D images[4096];
layout(push_constant) uniform Push { int handle; };

void main()
{
	vec4 color = textureLod(textures[handle], vec2(0.5), 0.0) * textureLod(shadows[handle], vec3(0.5), 0.0);

	imageStore(images[handle], ivec2(0), color);
}
