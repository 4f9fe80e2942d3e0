#version 460
// SPDX-License-Identifier: MIT
// Query objects of several kinds, all in the scene of vk-ray-stages.c: non-opaque triangles at t 1
// to 8 and an opaque one at 10. A query that confirms primitive k ends with t k + 1, or with 10 if
// there is no such primitive.
#extension GL_EXT_ray_query : require

// With an id the size is a specialisation constant, of which OpSpecConstantOp takes a part.
layout(local_size_x = 64, local_size_x_id = 0) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Results { float results[64][8]; };

rayQueryEXT whole, list[3];

void begin(rayQueryEXT query)
{
	rayQueryInitializeEXT(query, scene, gl_RayFlagsNoneEXT, 0xff, vec3(0), 0, vec3(0, 0, 1),
			      100);
}

float committed(rayQueryEXT query)
{
	if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionNoneEXT)
		return -1;
	return rayQueryGetIntersectionTEXT(query, true);
}

float finish(rayQueryEXT query, uint confirmed)
{
	while (rayQueryProceedEXT(query))
		if (rayQueryGetIntersectionPrimitiveIndexEXT(query, false) == confirmed)
			rayQueryConfirmIntersectionEXT(query);
	return committed(query);
}

void alternate(uint i)
{
	bool more = true;

	for (uint n = 0; n < 3; n++)
		begin(list[n]);
	while (more) {
		more = false;
		for (uint n = 0; n < 3; n++) {
			uint primitive;

			if (!rayQueryProceedEXT(list[n]))
				continue;
			more = true;
			primitive = rayQueryGetIntersectionPrimitiveIndexEXT(list[n], false);
			if (primitive == (i + n) % 10)
				rayQueryConfirmIntersectionEXT(list[n]);
		}
	}
	for (uint n = 0; n < 3; n++)
		results[i][1 + n] = committed(list[n]);
}

// Confirms the candidate that a second query commits.
float nested(uint i)
{
	rayQueryEXT outer, inner;

	begin(outer);
	while (rayQueryProceedEXT(outer)) {
		const float t = rayQueryGetIntersectionTEXT(outer, false);

		begin(inner);
		if (abs(finish(inner, i % 10) - t) < 0.01)
			rayQueryConfirmIntersectionEXT(outer);
	}
	return committed(outer);
}

const uint one = gl_WorkGroupSize.z;

void main()
{
	const uint i = gl_LocalInvocationIndex * one;
	float sum = 0;
	rayQueryEXT query;

	begin(whole);
	results[i][0] = finish(whole, i % 10);
	alternate(i);
	begin(query);
	results[i][4] = finish(query, (i + 3) % 10);
	for (uint k = 0; k <= i % 4; k++) {
		begin(query);
		sum += finish(query, k);
	}
	results[i][5] = sum;
	results[i][6] = nested(i);
	// A query that has candidates left begins anew.
	begin(query);
	if (rayQueryProceedEXT(query) && i % 2 == 0)
		rayQueryConfirmIntersectionEXT(query);
	begin(query);
	results[i][7] = finish(query, (i + 5) % 10);
}
