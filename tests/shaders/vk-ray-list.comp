#version 460
// SPDX-License-Identifier: MIT
// Work group n traces a ray through structure ORDER of an array; the result is t, or -1.
#extension GL_EXT_ray_query : require

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[4];
layout(set = 0, binding = 1) buffer Results {
	uint order[16];
	float results[16];
};

void main()
{
	const uint n = gl_WorkGroupID.x;
	rayQueryEXT query;

	rayQueryInitializeEXT(query, scenes[order[n]], gl_RayFlagsOpaqueEXT, 0xff, vec3(0), 0,
			      vec3(0, 0, 1), 100);
	rayQueryProceedEXT(query);
	if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionNoneEXT)
		results[n] = -1;
	else
		results[n] = rayQueryGetIntersectionTEXT(query, true);
}
