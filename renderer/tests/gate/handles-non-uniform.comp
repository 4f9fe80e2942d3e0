#version 450
#extension GL_EXT_nonuniform_qualifier: require
// SPDX-License-Identifier: MIT
layout(local_size_x = 4) in;
layout(set = 6, binding = 3) uniform sampler2D textures[4096];
layout(set = 6, binding = 32) uniform writeonly image2D images[4096];

void main()
{
	vec4 color = textureLod(textures[nonuniformEXT(gl_LocalInvocationIndex)], vec2(0.5), 0.0);

	imageStore(images[1], ivec2(0), color);
}
