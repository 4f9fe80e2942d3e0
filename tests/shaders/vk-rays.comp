#version 460
// SPDX-License-Identifier: MIT
// Traces the rays of a buffer and writes everything that a query returns: the committed
// intersection, and counts of the candidates. tests/vk/ray-scene.h has the same structures.
// POSITIONS: also reads the positions of the triangle's vertices. ADDRESS: the push constants have
// the address of the structure, and no descriptor names it.
#extension GL_EXT_ray_query : require
#ifdef POSITIONS
#extension GL_EXT_ray_tracing_position_fetch : require
#endif
#ifdef ADDRESS
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif

#define MAX_STEPS 65536
#define LISTED 8
#define NONE gl_RayQueryCommittedIntersectionNoneEXT

struct Ray {
	vec3 origin;
	float tmin;
	vec3 direction;
	float tmax;
	uint flags, mask;
	// Bits of primitives, modulo 32: confirmed triangles, and generated boxes.
	uint confirm, generate;
	float generated;	// t of box 0
	float step;		// difference of t from a box to the next one
	uint limit;		// candidate after which the query is terminated, 0: never
	uint pad;
};

struct Hit {
	uint type;
	float t;
	uint primitive, geometry, instance, custom, sbt_offset, front;
	float u, v;
	uint triangles, boxes;		// candidates
	uint triangle_set, box_set;	// bits of their primitives, modulo 32
	uint opaque_boxes, confirmed, late, again, flags;
	float tmin;
	float origin[3], direction[3], object_origin[3], object_direction[3];
	float to_world[12], to_object[12], positions[9];
	uint listed[LISTED];		// primitive, geometry, instance: a byte each
	float listed_t[LISTED];
};

layout(local_size_x = 64) in;
#ifndef ADDRESS
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
#endif
layout(set = 0, binding = 1, std430) readonly buffer Rays { Ray rays[]; };
layout(set = 0, binding = 2, std430) buffer Hits { Hit hits[]; };
layout(push_constant) uniform Push {
	uint count, unused;
#ifdef ADDRESS
	uint64_t address;
#endif
};

void put(out float to[3], vec3 from)
{
	for (uint i = 0; i < 3; i++)
		to[i] = from[i];
}

// As in VkTransformMatrixKHR.
void put_matrix(out float to[12], mat4x3 from)
{
	for (uint i = 0; i < 12; i++)
		to[i] = from[i % 4][i / 4];
}

void main()
{
	const uint n = gl_GlobalInvocationID.x;
	rayQueryEXT query;
	Ray ray;
	float closest;
	uint steps = 0;

	if (n >= count)
		return;
	ray = rays[n];
	closest = ray.tmax;
#ifdef ADDRESS
	rayQueryInitializeEXT(query, accelerationStructureEXT(address), ray.flags, ray.mask,
			      ray.origin, ray.tmin, ray.direction, ray.tmax);
#else
	rayQueryInitializeEXT(query, scene, ray.flags, ray.mask, ray.origin, ray.tmin,
			      ray.direction, ray.tmax);
#endif
	while (steps < MAX_STEPS && rayQueryProceedEXT(query)) {
		const uint primitive = rayQueryGetIntersectionPrimitiveIndexEXT(query, false);
		const uint bit = 1u << (primitive & 31);
		const uint candidate = rayQueryGetIntersectionTypeEXT(query, false);
		float t;

		if (rayQueryGetIntersectionTypeEXT(query, true) != NONE)
			closest = rayQueryGetIntersectionTEXT(query, true);
		if (candidate == gl_RayQueryCandidateIntersectionTriangleEXT) {
			t = rayQueryGetIntersectionTEXT(query, false);
			hits[n].triangles++;
			hits[n].triangle_set |= bit;
			if (t > closest)
				hits[n].late++;
			if ((ray.confirm & bit) != 0) {
				hits[n].confirmed++;
				rayQueryConfirmIntersectionEXT(query);
			}
		} else {
			t = ray.generated + ray.step * primitive;
			hits[n].boxes++;
			hits[n].box_set |= bit;
			if (rayQueryGetIntersectionCandidateAABBOpaqueEXT(query))
				hits[n].opaque_boxes |= bit;
			if ((ray.generate & bit) != 0 && t >= ray.tmin && t <= closest) {
				hits[n].confirmed++;
				rayQueryGenerateIntersectionEXT(query, t);
			}
		}
		if (steps < LISTED) {
			const uint geometry = rayQueryGetIntersectionGeometryIndexEXT(query, false);
			const uint instance = rayQueryGetIntersectionInstanceIdEXT(query, false);

			hits[n].listed[steps] = primitive | geometry << 8 | instance << 16;
			hits[n].listed_t[steps] = t;
		}
		if (++steps == ray.limit)
			rayQueryTerminateEXT(query);
	}
	for (uint i = 0; i < 2; i++)
		hits[n].again += uint(rayQueryProceedEXT(query));
	hits[n].type = rayQueryGetIntersectionTypeEXT(query, true);
	hits[n].flags = rayQueryGetRayFlagsEXT(query);
	hits[n].tmin = rayQueryGetRayTMinEXT(query);
	put(hits[n].origin, rayQueryGetWorldRayOriginEXT(query));
	put(hits[n].direction, rayQueryGetWorldRayDirectionEXT(query));
	if (hits[n].type == NONE)
		return;
	hits[n].t = rayQueryGetIntersectionTEXT(query, true);
	hits[n].primitive = rayQueryGetIntersectionPrimitiveIndexEXT(query, true);
	hits[n].geometry = rayQueryGetIntersectionGeometryIndexEXT(query, true);
	hits[n].instance = rayQueryGetIntersectionInstanceIdEXT(query, true);
	hits[n].custom = rayQueryGetIntersectionInstanceCustomIndexEXT(query, true);
	hits[n].sbt_offset =
		rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(query, true);
	put(hits[n].object_origin, rayQueryGetIntersectionObjectRayOriginEXT(query, true));
	put(hits[n].object_direction, rayQueryGetIntersectionObjectRayDirectionEXT(query, true));
	put_matrix(hits[n].to_world, rayQueryGetIntersectionObjectToWorldEXT(query, true));
	put_matrix(hits[n].to_object, rayQueryGetIntersectionWorldToObjectEXT(query, true));
	if (hits[n].type == gl_RayQueryCommittedIntersectionGeneratedEXT)
		return;
	hits[n].front = uint(rayQueryGetIntersectionFrontFaceEXT(query, true));
	hits[n].u = rayQueryGetIntersectionBarycentricsEXT(query, true).x;
	hits[n].v = rayQueryGetIntersectionBarycentricsEXT(query, true).y;
#ifdef POSITIONS
	vec3 positions[3];

	rayQueryGetIntersectionTriangleVertexPositionsEXT(query, true, positions);
	for (uint i = 0; i < 9; i++)
		hits[n].positions[i] = positions[i / 3][i % 3];
#endif
}
