#version 450
// SPDX-License-Identifier: MIT
// Asks for the residency of a texel in each way: a bit for each.
#extension GL_ARB_sparse_texture2 : require

layout(local_size_x = 64) in;

struct Query {
	uint x, y, layer, level;
};

layout(set = 0, binding = 0) uniform sampler2DArray nearest;
layout(set = 0, binding = 1) uniform sampler2DArray linear;
layout(set = 0, binding = 5) uniform sampler2DArray levels;
layout(set = 0, binding = 6) uniform sampler2DArray trilinear;
layout(set = 0, binding = 7) uniform sampler2DShadow depths;
layout(set = 0, binding = 2, rgba8) uniform readonly image2DArray image;
layout(set = 0, binding = 3) readonly buffer Queries { Query queries[]; };
layout(set = 0, binding = 4) writeonly buffer Results { uvec4 results[]; };
layout(push_constant) uniform Push { uint count; };

void main()
{
	const uint i = gl_GlobalInvocationID.x;

	if (i >= count)
		return;
	const Query q = queries[i];
	const ivec3 at = ivec3(q.x, q.y, q.layer);
	const vec2 size = vec2(textureSize(nearest, int(q.level)).xy);
	const vec3 center = vec3((vec2(at.xy) + 0.5) / size, q.layer);
	// The corner at which four texels meet, this one the last of them
	const vec3 corner = vec3(vec2(at.xy) / size, q.layer);
	uint bits = 0u, outside;
	vec4 texel, other;

	const uint fetched = uint(sparseTexelFetchARB(nearest, at, int(q.level), texel));

	if (sparseTexelsResidentARB(int(fetched)))
		bits |= 1u;
	// The code as a float, which drivers may keep among the components of the texel
	const float number = uintBitsToFloat(fetched) + 1.0;
	const float loaded = intBitsToFloat(sparseImageLoadARB(image, ivec3(0), other)) + 1.0;

	if (number >= 1.0 && loaded >= 1.0)
		bits |= 256u;
	if (sparseTexelsResidentARB(sparseTextureLodARB(nearest, center, float(q.level), other)))
		bits |= 2u;
	if (sparseTexelsResidentARB(sparseTextureLodARB(linear, corner, float(q.level), other)))
		bits |= 4u;
	if (sparseTexelsResidentARB(sparseTextureLodARB(levels, center, float(q.level) + 0.5,
							other)))
		bits |= 8u;
	if (sparseTexelsResidentARB(sparseTextureLodARB(trilinear, corner, float(q.level) + 0.5,
							other)))
		bits |= 64u;
	if (q.level == 0u) {
		if (sparseTexelsResidentARB(sparseTextureGatherARB(nearest, corner, other)))
			bits |= 16u;
		if (sparseTexelsResidentARB(sparseImageLoadARB(image, at, other)))
			bits |= 32u;
	}
	// A depth of 0.5, which is not greater: nothing is lit, but all is resident
	float lit = 1.0;

	if (sparseTexelsResidentARB(sparseTextureLodARB(depths, vec3(0.5), 0.0, lit)) && lit == 0.0)
		bits |= 128u;
	outside = uint(sparseTexelsResidentARB(
		sparseTexelFetchARB(nearest, at + ivec3(1 << 20), 0, other)));
	results[i] = uvec4(bits, uvec2(texel.rg * 255.0 + 0.5), outside);
}
