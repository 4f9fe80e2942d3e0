// SPDX-License-Identifier: MIT
// The ray of a pixel, which all stages of vk-ray-stages trace.
#extension GL_EXT_ray_query : require

layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;

// Returns t of the closest hit at a pixel, or -1.
float trace(vec2 at)
{
	rayQueryEXT query;

	rayQueryInitializeEXT(query, scene, gl_RayFlagsNoneEXT, 0xff, vec3(at, 0), 0,
			      vec3(0, 0, 1), 1000);
	while (rayQueryProceedEXT(query))
		rayQueryConfirmIntersectionEXT(query);
	if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionNoneEXT)
		return -1;
	return rayQueryGetIntersectionTEXT(query, true);
}
