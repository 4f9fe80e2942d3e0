#version 450
// SPDX-License-Identifier: MIT
// Sparse instructions: textures in all ways, cubes among them.
#extension GL_ARB_sparse_texture2 : require

layout(set = 1, binding = 1) uniform sampler2D plain;
layout(set = 1, binding = 2) uniform samplerCube cube;
layout(set = 1, binding = 3) uniform samplerCubeShadow shadows;
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 color;

void main()
{
	vec4 texel;
	float lit;
	int code = sparseTextureARB(plain, at.xy, color);

	code |= sparseTextureLodARB(plain, at.xy, at.z, texel);
	color += texel;
	code |= sparseTexelFetchARB(plain, ivec2(at.xy), 0, texel);
	color += texel;
	code |= sparseTextureGatherARB(plain, at.xy, texel);
	color += texel;
	code |= sparseTextureARB(cube, at.xyz, texel);
	color += texel;
	code |= sparseTextureARB(shadows, at, lit);
	color += lit;
	if (!sparseTexelsResidentARB(code))
		color = vec4(0);
}
