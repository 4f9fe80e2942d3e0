#version 460
// SPDX-License-Identifier: MIT
// Writes the value of an earlier stage. TRACE: the result of the pixel's ray.
// HELPERS: that of three queries at once. Helper invocations have other rays.
#extension GL_GOOGLE_include_directive : require
#if defined(TRACE) || defined(HELPERS)
#include "vk-ray-stages.h"
#endif

layout(location = 0) in float value;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 color;

#ifdef HELPERS
// The numbers of a hit are less than 2^31, which a compiler does not know.
float committed(rayQueryEXT query)
{
	if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionNoneEXT)
		return -1;
	return rayQueryGetIntersectionTEXT(query, true) +
	       (uint(rayQueryGetIntersectionInstanceIdEXT(query, true)) >> 31) +
	       (uint(rayQueryGetIntersectionPrimitiveIndexEXT(query, true)) >> 31);
}

float trace_together(vec2 at)
{
	rayQueryEXT list[3];
	bool more = true;

	for (int i = 0; i < 3; i++)
		rayQueryInitializeEXT(list[i], scene, gl_RayFlagsNoOpaqueEXT, 0xff,
				      vec3(gl_HelperInvocation ? at - i : at, 0), 0,
				      vec3(0, 0, gl_HelperInvocation ? i : 1), 1000);
	while (more) {
		more = false;
		for (int i = 0; i < 3; i++) {
			if (!rayQueryProceedEXT(list[i]))
				continue;
			rayQueryConfirmIntersectionEXT(list[i]);
			more = true;
		}
	}
	return max(committed(list[0]), max(committed(list[1]), committed(list[2])));
}
#endif

void main()
{
#if defined(HELPERS)
	color = vec4(trace_together(gl_FragCoord.xy));
#elif defined(TRACE)
	color = vec4(trace(gl_FragCoord.xy));
#else
	color = vec4(value);
#endif
}
