#version 450
// SPDX-License-Identifier: MIT
// Derivatives among the invocations of a work group, in squares or four in a row, and levels that follow from them.
#extension GL_NV_compute_shader_derivatives : require
#ifdef LINEAR
layout(local_size_x = 32) in;
layout(derivative_group_linearNV) in;
#else
layout(local_size_x = 8, local_size_y = 4) in;
layout(derivative_group_quadsNV) in;
#endif
layout(set = 0, binding = 0) writeonly buffer Result {
	vec4 result[];
};
layout(set = 0, binding = 1) uniform sampler2D picture;

void main()
{
	const uint i = gl_LocalInvocationIndex;
#ifdef LINEAR
	const uvec2 at = uvec2(i & 1, i >> 1 & 1);
#else
	const uvec2 at = gl_LocalInvocationID.xy;
#endif
	const float value = float(3 * i * i);
	const float step = i < 16 ? 4.0 : 2.0;	// texels from one to the next

	result[i] = vec4(dFdxFine(value), dFdyFine(value), fwidthFine(value),
			 round(texture(picture, vec2(at) * step / 16.0).r * 255.0));
}
