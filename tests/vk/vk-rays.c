// SPDX-License-Identifier: MIT
/*
 * Vulkan: ray queries of a compute shader (VK_KHR_ray_query), compared with the rules of Vulkan
 * 1.4, chapter "Ray Traversal", and with a model on the CPU: committed intersections, candidates,
 * flags of rays, instances and geometries, masks, ends of a query, many triangles. Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ray-scene.h"

#define MANY_RAYS 4096

static struct {
	struct ray_tracer tracer;
} test;

/* Two corners of a triangle that is large enough for all rays of these tests. */
#define FRONT(z) { -9, -9, z }, { -9, 9, z }, { 9, -9, z }	/* seen from smaller z */
#define BACK(z) { -9, -9, z }, { 9, -9, z }, { -9, 9, z }

static const VkGeometryFlagsKHR once = VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR;

static bool are_near(const float *a, const float *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!ray_is_near(a[i], b[i], 1e-5))
			return false;
	return true;
}

/* One triangle */

/* x = 2 x + 10, y = -2 z + 20, z = 2 y + 30, and the inverse. */
static const VkTransformMatrixKHR turned = { { { 2, 0, 0, 10 }, { 0, 0, -2, 20 },
					       { 0, 2, 0, 30 } } };
static const float turned_back[12] = { 0.5f, 0, 0, -5, 0, 0, 0.5f, -15, 0, -0.5f, 0, 10 };

static const float near_triangles[][3] = {
	{ 50, 0, 0 }, { 54, 0, 0 }, { 50, 4, 0 },
	{ 60, 0, 0 }, { 64, 0, 0 }, { 60, 4, 0 },
	{ 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 },
};

/* Instance 1 has the triangle that is hit: geometry 1, primitive 2. */
static void one_triangle(struct ray_soup *soup, struct ray_world *world,
			 VkBuildAccelerationStructureFlagsKHR flags)
{
	VkAccelerationStructureInstanceKHR *instance;

	ray_soup_triangles(soup, near_triangles, 2, VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_triangles(soup, near_triangles, 3, VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(soup, flags);
	instance = ray_world_add(world, soup);
	instance->transform.matrix[1][3] = -500;
	instance = ray_world_add(world, soup);
	instance->transform = turned;
	instance->instanceCustomIndex = 0xabcdef;
	instance->instanceShaderBindingTableRecordOffset = 0x123456;
	ray_world_build(world, 0);
}

static void test_triangle(void)
{
	static const float object_origin[] = { 1, 2, 5 }, object_direction[] = { 0, 0, -1 };
	struct ray ray = ray_from(12, 10, 34, 0, 2, 0);
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	struct ray_hit hit;

	one_triangle(&soup, &world, 0);
	ray.tmin = 0.5;
	ray.flags = RAY_OPAQUE | RAY_SKIP_BOXES;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_TRIANGLE && ray_is_near(hit.t, 5, 1e-5),
	    "a ray that meets a triangle commits it with its t in units of the direction");
	tap(hit.primitive == 2 && hit.geometry == 1 && hit.instance == 1,
	    "a committed triangle has its primitive, geometry and instance index");
	tap(hit.custom == 0xabcdef && hit.sbt_offset == 0x123456,
	    "a committed triangle has 24 bits of custom index and of shader binding table offset");
	tap(ray_is_near(hit.u, 0.25, 1e-5) && ray_is_near(hit.v, 0.5, 1e-5),
	    "barycentrics are the weights of the second and third vertex");
	tap(hit.front == 1, "a triangle whose area in ray space is negative is front-facing");
	tap(are_near(hit.to_world, (const float *)turned.matrix, 12),
	    "object-to-world is the transform of the instance");
	tap(are_near(hit.to_object, turned_back, 12),
	    "world-to-object is the inverse of the instance's transform");
	tap(are_near(hit.object_origin, object_origin, 3) &&
	    are_near(hit.object_direction, object_direction, 3),
	    "origin and direction in object space are those in world space, transformed");
	tap(!memcmp(hit.origin, ray.origin, 12) && !memcmp(hit.direction, ray.direction, 12) &&
	    hit.tmin == ray.tmin && hit.flags == ray.flags,
	    "a query returns the origin, direction, tmin and flags that it began with");
	tap(!hit.triangles && !hit.boxes, "an opaque triangle is no candidate for the shader");
	ray = ray_from(12, 40, 34, 0, -1, 0);
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_TRIANGLE && ray_is_near(hit.t, 20, 1e-5) && hit.front == 0,
	    "a triangle is back-facing from its other side");
	ray = ray_from(12, 10, 40, 0, 2, 0);
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_MISS, "a ray beside a triangle commits no intersection");
	ray = ray_from(12, 10, 34, 0, -2, 0);
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_MISS, "a ray that points away from a triangle commits no intersection");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

static void test_interval(void)
{
	static const struct {
		float from, to;
		uint32_t type;
	} intervals[] = { { 0, 4.9, RAY_MISS }, { 4.9, 5.1, RAY_TRIANGLE }, { 5.1, 1000, RAY_MISS },
			  { 0, INFINITY, RAY_TRIANGLE }, { 4, 4, RAY_MISS } };
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	bool ok = true;

	one_triangle(&soup, &world, VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR);
	for (size_t i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
		struct ray ray = ray_from(12, 10, 34, 0, 2, 0);

		ray.tmin = intervals[i].from;
		ray.tmax = intervals[i].to;
		ok &= ray_trace_one(&test.tracer, &world.structure, ray).type == intervals[i].type;
	}
	tap(ok, "a triangle is hit between tmin and tmax only; tmax may be infinite");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

static void test_positions(void)
{
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	struct ray_tracer tracer;
	struct ray_hit hit;

	if (!rays.positions.rayTracingPositionFetch) {
		tap(true, "positions of a hit's vertices # SKIP not supported");
		return;
	}
	tracer = ray_tracer_new(1, RAY_POSITIONS);
	one_triangle(&soup, &world, VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_DATA_ACCESS_KHR);
	hit = ray_trace_one(&tracer, &world.structure, ray_from(132, 10, 34, 0, 2, 0));
	tap(hit.type == RAY_TRIANGLE && !memcmp(hit.positions, near_triangles + 3, 36),
	    "positions of a hit's vertices are those of the build, in object space");
	hit = ray_trace_one(&tracer, &world.structure, ray_from(12, 10, 34, 0, 2, 0));
	/* lavapipe returns positions of the first geometry. */
	tap(hit.type == RAY_TRIANGLE &&
	    (!ray_is_sundog() || !memcmp(hit.positions, near_triangles + 6, 36)),
	    "positions of a hit's vertices are those of its geometry");
	ray_world_del(&world);
	ray_soup_del(&soup);
	ray_tracer_del(&tracer);
}

/* Random worlds */

static void random_soup(struct ray_soup *soup, uint32_t geometries, uint32_t triangles,
			float size, const VkGeometryFlagsKHR *flags)
{
	float (*corners)[3] = malloc(triangles * 36);

	for (uint32_t i = 0; i < geometries; i++) {
		ray_random_corners(corners, triangles, 10, size);
		ray_soup_triangles(soup, (const float (*)[3])corners, triangles, flags[i]);
	}
	free(corners);
	ray_soup_build(soup, 0);
}

static void random_world(struct ray_soup *soups, struct ray_world *world, bool masks)
{
	static const VkGeometryFlagsKHR opaque[] = { 1, 1, 1, 1 };
	static const VkGeometryFlagsKHR mixed[] = { 1, 0, 1, 0 };

	random_soup(&soups[0], 4, 400, 1.5f, masks ? mixed : opaque);
	random_soup(&soups[1], 3, 700, 1.0f, masks ? mixed : opaque);
	for (int i = 0; i < 6; i++) {
		VkAccelerationStructureInstanceKHR *instance = ray_world_add(world, &soups[i % 2]);

		ray_random_transform(&instance->transform, 10);
		instance->instanceCustomIndex = ray_random() & 0xffffff;
		instance->instanceShaderBindingTableRecordOffset = ray_random() & 0xffffff;
		instance->mask = masks ? 1 << i | 0x80 : 0xff;
		/* Each instance flag alone, then facing flags together with opacity flags. */
		if (masks)
			instance->flags = (const uint8_t[]){ 0, 1, 2, 4, 8, 7 }[i];
	}
	ray_world_build(world, 0);
}

static void test_closest(void)
{
	struct ray_soup soups[2] = { 0 };
	struct ray_world world = { 0 };
	struct ray *list = calloc(MANY_RAYS, sizeof(*list));

	random_world(soups, &world, false);
	for (uint32_t i = 0; i < MANY_RAYS; i++)
		list[i] = ray_random_ray(30);
	tap(ray_compare(&test.tracer, &world, list, MANY_RAYS),
	    "random rays commit the closest of thousands of triangles in six instances");
	for (uint32_t i = 0; i < MANY_RAYS; i++) {
		list[i].tmin = ray_random_float(0, 1);
		list[i].tmax = list[i].tmin + ray_random_float(0, 0.5f);
	}
	tap(ray_compare(&test.tracer, &world, list, MANY_RAYS),
	    "random rays commit the closest triangle between tmin and tmax");
	/* Rays along an axis have a reciprocal of 0 in other components. */
	for (uint32_t i = 0; i < MANY_RAYS; i++) {
		list[i] = ray_random_ray(30);
		for (uint32_t d = 0; d < 3; d++)
			list[i].direction[d] = d == i % 3 ? i % 2 ? 1 : -1 : i & 4 ? 0.0f : -0.0f;
	}
	tap(ray_compare(&test.tracer, &world, list, MANY_RAYS),
	    "random rays along the axes commit the closest triangle");
	free(list);
	ray_world_del(&world);
	ray_soup_del(&soups[1]);
	ray_soup_del(&soups[0]);
}

/* Random flags that are valid together (VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06889 ff.). */
static uint32_t random_flags(void)
{
	static const uint32_t opacities[] = { 0, 0, RAY_OPAQUE, RAY_NO_OPAQUE, RAY_CULL_OPAQUE,
					      RAY_CULL_NO_OPAQUE };
	static const uint32_t faces[] = { 0, RAY_CULL_BACK, RAY_CULL_FRONT };

	return opacities[ray_random() % 6] | faces[ray_random() % 3] |
	       (ray_random() & 1 ? RAY_SKIP_BOXES : 0);
}

static void test_random_flags(void)
{
	struct ray_soup soups[2] = { 0 };
	struct ray_world world = { 0 };
	struct ray *list = calloc(MANY_RAYS, sizeof(*list));

	random_world(soups, &world, true);
	for (uint32_t i = 0; i < MANY_RAYS; i++) {
		list[i] = ray_random_ray(30);
		list[i].mask = ray_random() & 0xff;
		list[i].confirm = ray_random();
		list[i].flags = random_flags();
	}
	tap(ray_compare(&test.tracer, &world, list, MANY_RAYS),
	    "random rays with masks, flags and candidates commit the closest confirmed triangle");
	free(list);
	ray_world_del(&world);
	ray_soup_del(&soups[1]);
	ray_soup_del(&soups[0]);
}

static void test_candidates(void)
{
	const VkGeometryFlagsKHR flags[] = { once, once | VK_GEOMETRY_OPAQUE_BIT_KHR };
	struct ray *list = calloc(MANY_RAYS, sizeof(*list));
	uint32_t clear = 0, wrong = 0;
	const struct ray_hit *hits;
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };

	random_soup(&soup, 2, 500, 2, flags);
	ray_random_transform(&ray_world_add(&world, &soup)->transform, 5);
	ray_random_transform(&ray_world_add(&world, &soup)->transform, 5);
	ray_world_build(&world, 0);
	for (uint32_t i = 0; i < MANY_RAYS; i++) {
		list[i] = ray_random_ray(30);
		list[i].flags = RAY_NO_OPAQUE;
	}
	hits = ray_trace(&test.tracer, &world.structure, list, MANY_RAYS);
	for (uint32_t i = 0; i < MANY_RAYS; i++) {
		const struct ray_model model = ray_model(&world, &list[i]);

		if (model.unclear)
			continue;
		clear++;
		wrong += hits[i].type != RAY_MISS || hits[i].triangles != model.candidates;
	}
	printf("# %u rays clear, %u wrong\n", clear, wrong);
	tap(!wrong && clear > MANY_RAYS / 4,
	    "each non-opaque triangle that a ray meets is a candidate exactly once");
	free(list);
	ray_world_del(&world);
	ray_soup_del(&soup);
}

/* Flags, with four triangles in a row: two non-opaque ones at t 1 and 3, opaque ones at 5 and 7 */

enum { UNKNOWN = 255 };		/* order of traversal decides */

static const struct flags_case {
	const char *rule;
	uint32_t flags;
	VkGeometryInstanceFlagsKHR instance;
	uint32_t confirm;
	float t;			/* committed t, 0: none */
	uint32_t candidates;
} flags_cases[] = {
	{ "non-opaque triangles that are not confirmed are dropped", 0, 0, 0, 5, 2 },
	{ "a confirmed candidate is committed if it is the closest", 0, 0, 3, 1, UNKNOWN },
	{ "a candidate that is not confirmed leaves others", 0, 0, 2, 3, 2 },
	{ "Opaque: non-opaque triangles commit without the shader", RAY_OPAQUE, 0, 0, 1, 0 },
	{ "NoOpaque: opaque triangles are candidates", RAY_NO_OPAQUE, 0, 0, 0, 4 },
	{ "CullBackFacingTriangles drops back faces", RAY_CULL_BACK, 0, 0, 5, 1 },
	{ "CullFrontFacingTriangles drops front faces", RAY_CULL_FRONT, 0, 0, 7, 1 },
	{ "CullOpaque drops opaque triangles", RAY_CULL_OPAQUE, 0, 0, 0, 2 },
	{ "CullNoOpaque drops non-opaque triangles", RAY_CULL_NO_OPAQUE, 0, 3, 5, 0 },
	{ "SkipTriangles drops all triangles", RAY_SKIP_TRIANGLES, 0, 3, 0, 0 },
	{ "SkipAABBs drops no triangle", RAY_SKIP_BOXES, 0, 0, 5, 2 },
	{ "TRIANGLE_FACING_CULL_DISABLE: no face is dropped", RAY_CULL_BACK,
	  VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR, 0, 5, 2 },
	{ "TRIANGLE_FLIP_FACING: front faces are back faces", RAY_CULL_BACK,
	  VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR, 0, 7, 1 },
	{ "FORCE_OPAQUE makes an instance opaque", 0, VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR, 0,
	  1, 0 },
	{ "FORCE_NO_OPAQUE makes an instance non-opaque", 0,
	  VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR, 0, 0, 4 },
	{ "NoOpaque overrides FORCE_OPAQUE", RAY_NO_OPAQUE,
	  VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR, 0, 0, 4 },
	{ "Opaque overrides FORCE_NO_OPAQUE", RAY_OPAQUE,
	  VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR, 0, 1, 0 },
	{ "CullOpaque drops nothing of an instance with FORCE_NO_OPAQUE", RAY_CULL_OPAQUE,
	  VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR, 0, 0, 4 },
	{ "CullNoOpaque drops all of an instance with FORCE_NO_OPAQUE", RAY_CULL_NO_OPAQUE,
	  VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR, 3, 0, 0 },
	{ "CullOpaque drops all of an instance with FORCE_OPAQUE", RAY_CULL_OPAQUE,
	  VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR, 3, 0, 0 },
	{ "CullNoOpaque drops nothing of an instance with FORCE_OPAQUE", RAY_CULL_NO_OPAQUE,
	  VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR, 0, 1, 0 },
};

static void row_of_triangles(struct ray_soup *soup)
{
	static const float clear[][3] = { FRONT(1), BACK(3) }, opaque[][3] = { FRONT(5), BACK(7) };

	ray_soup_triangles(soup, clear, 2, once);
	ray_soup_triangles(soup, opaque, 2, once | VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(soup, 0);
}

static void test_flags(void)
{
	struct ray_soup soup = { 0 };

	row_of_triangles(&soup);
	for (size_t i = 0; i < sizeof(flags_cases) / sizeof(flags_cases[0]); i++) {
		const struct flags_case *c = &flags_cases[i];
		struct ray ray = ray_from(-2, -3, 0, 0, 0, 1);
		struct ray_world world = { 0 };
		struct ray_hit hit;

		ray_world_add(&world, &soup)->flags = c->instance;
		ray_world_build(&world, 0);
		ray.flags = c->flags;
		ray.confirm = c->confirm;
		hit = ray_trace_one(&test.tracer, &world.structure, ray);
		tap(hit.type == (c->t ? RAY_TRIANGLE : RAY_MISS) &&
		    ray_is_near(hit.t, c->t, 1e-5) &&
		    (c->candidates == UNKNOWN || hit.triangles == c->candidates) && !hit.boxes,
		    "%s", c->rule);
		ray_world_del(&world);
	}
	ray_soup_del(&soup);
}

static void test_first_hit(void)
{
	struct ray ray = ray_from(-2, -3, 0, 0, 0, 1);
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	struct ray_hit hit;

	row_of_triangles(&soup);
	ray_world_add(&world, &soup);
	ray_world_build(&world, 0);
	ray.flags = RAY_TERMINATE | RAY_OPAQUE;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_TRIANGLE && hit.t > 0.9f && !hit.triangles,
	    "TerminateOnFirstHit commits an opaque triangle");
	ray.flags = RAY_TERMINATE | RAY_NO_OPAQUE;
	ray.confirm = 3;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_TRIANGLE && hit.triangles == 1 && hit.confirmed == 1 &&
	    hit.t == hit.listed_t[0] && !hit.again,
	    "TerminateOnFirstHit ends the query with the first confirmed candidate");
	ray.confirm = 0;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_MISS && hit.triangles == 4,
	    "TerminateOnFirstHit goes on after a candidate that is not confirmed");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

static void test_masks(void)
{
	static const struct {
		uint32_t instance, ray;
		bool hit;
	} masks[] = { { 0x0f, 0xf0, false }, { 0x0f, 0x18, true }, { 0, 0xff, false },
		      { 0xff, 0, false }, { 0x80, 0x80, true }, { 0x01, 0x101, true },
		      { 0x01, 0x100, false }, { 0x10, 0xffffff00, false } };
	struct ray_soup soup = { 0 };
	bool ok = true;

	row_of_triangles(&soup);
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct ray ray = ray_from(-2, -3, 0, 0, 0, 1);
		struct ray_world world = { 0 };

		ray_world_add(&world, &soup)->mask = masks[i].instance;
		ray_world_build(&world, 0);
		ray.mask = masks[i].ray;
		if ((ray_trace_one(&test.tracer, &world.structure, ray).type == RAY_TRIANGLE) !=
		    masks[i].hit) {
			printf("# mask %#x, ray %#x\n", masks[i].instance, masks[i].ray);
			ok = false;
		}
		ray_world_del(&world);
	}
	tap(ok, "an instance is hit if its mask and the low 8 bits of the cull mask share a bit");
	ray_soup_del(&soup);
}

/* Facing depends on object space, so that an instance's mirror does not change it. */
static void test_mirror(void)
{
	struct ray ray = ray_from(-2, -3, 0, 0, 0, 1);
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	struct ray_hit hit[2];

	row_of_triangles(&soup);
	for (int i = 0; i < 2; i++) {
		VkAccelerationStructureInstanceKHR *instance = ray_world_add(&world, &soup);

		instance->transform.matrix[0][0] = i ? -1 : 1;
		ray.flags = RAY_OPAQUE;
		instance->mask = 1 << i;
	}
	ray_world_build(&world, 0);
	for (int i = 0; i < 2; i++) {
		ray.mask = 1 << i;
		ray.origin[0] = i ? 2 : -2;
		hit[i] = ray_trace_one(&test.tracer, &world.structure, ray);
	}
	tap(hit[0].type == RAY_TRIANGLE && hit[0].front == 1 && hit[1].type == RAY_TRIANGLE &&
	    hit[1].front == 1, "the transform of an instance does not change the facing");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

/* Boxes: non-opaque ones at 1 to 2 and 3 to 4, an opaque one at 5 to 6, a triangle at 4.5 */

#define BOX(from, to) { -9, -9, from, 9, 9, to }

static const struct box_case {
	const char *rule;
	uint32_t flags, confirm, generate;
	uint32_t type;			/* committed */
	float t;
	uint32_t set, opaque_set;	/* boxes, UNKNOWN: order of traversal decides */
} box_cases[] = {
	{ "boxes are candidates, also opaque ones; none is committed by itself", 0, 0, 0,
	  RAY_MISS, 0, 7, 4 },
	{ "a generated intersection is committed with its t", 0, 0, 2, RAY_GENERATED, 3.5f,
	  UNKNOWN, UNKNOWN },
	{ "the closest generated intersection is committed", 0, 0, 7, RAY_GENERATED, 1.5f,
	  UNKNOWN, UNKNOWN },
	{ "Opaque: all boxes are opaque candidates", RAY_OPAQUE, 0, 0, RAY_TRIANGLE, 4.5f,
	  UNKNOWN, UNKNOWN },
	{ "Opaque: an opaque box is no hit by itself", RAY_OPAQUE | RAY_CULL_FRONT, 0, 0, RAY_MISS,
	  0, 7, 7 },
	{ "NoOpaque: no box is an opaque candidate", RAY_NO_OPAQUE, 0, 0, RAY_MISS, 0, 7, 0 },
	{ "CullOpaque drops opaque boxes", RAY_CULL_OPAQUE, 0, 0, RAY_MISS, 0, 3, 0 },
	{ "CullNoOpaque drops non-opaque boxes", RAY_CULL_NO_OPAQUE, 0, 0, RAY_MISS, 0, 4, 4 },
	{ "SkipAABBs drops boxes", RAY_SKIP_BOXES, 1, 7, RAY_TRIANGLE, 4.5f, 0, 0 },
	{ "SkipTriangles drops no box", RAY_SKIP_TRIANGLES, 1, 0, RAY_MISS, 0, 7, 4 },
	{ "culled faces concern no box", RAY_CULL_FRONT, 1, 4, RAY_GENERATED, 5.5f, 7, 4 },
	{ "a confirmed triangle and generated intersections compete", 0, 1, 4, RAY_TRIANGLE, 4.5f,
	  UNKNOWN, UNKNOWN },
};

static void test_boxes(void)
{
	static const VkAabbPositionsKHR clear[] = { BOX(1, 2), BOX(3, 4) };
	static const VkAabbPositionsKHR opaque[] = { BOX(50, 51), BOX(60, 61), BOX(5, 6) };
	static const float triangle[][3] = { FRONT(4.5f) };
	struct ray_soup soups[2] = { 0 };
	struct ray_world world = { 0 };

	ray_soup_boxes(&soups[0], clear, 2, once);
	ray_soup_boxes(&soups[0], opaque, 3, once | VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_triangles(&soups[1], triangle, 1, once);
	for (int i = 0; i < 2; i++) {
		ray_soup_build(&soups[i], 0);
		ray_world_add(&world, &soups[i])->instanceCustomIndex = 7 + i;
	}
	ray_world_build(&world, 0);
	for (size_t i = 0; i < sizeof(box_cases) / sizeof(box_cases[0]); i++) {
		const struct box_case *c = &box_cases[i];
		struct ray ray = ray_from(-2, -3, 0, 0, 0, 1);
		struct ray_hit hit;

		ray.tmax = 40;
		ray.flags = c->flags;
		ray.confirm = c->confirm;
		ray.generate = c->generate;
		ray.generated = 1.5f;
		ray.step = 2;
		hit = ray_trace_one(&test.tracer, &world.structure, ray);
		tap(hit.type == c->type && ray_is_near(hit.t, c->t, 1e-5) &&
		    (!c->t || (hit.instance == (c->type == RAY_TRIANGLE) &&
			       hit.custom == 7 + hit.instance)) &&
		    (c->set == UNKNOWN || hit.box_set == c->set) &&
		    (c->opaque_set == UNKNOWN || hit.opaque_boxes == c->opaque_set), "%s", c->rule);
	}
	ray_world_del(&world);
	ray_soup_del(&soups[1]);
	ray_soup_del(&soups[0]);
}

static void test_box_places(void)
{
	static const VkAabbPositionsKHR boxes[] = { { -1, -1, -1, 1, 1, 1 } };
	struct ray ray = ray_from(0.1f, 0.2f, 0.3f, 1, 2, 3);
	VkAccelerationStructureInstanceKHR *instance;
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	struct ray_hit hit;

	ray_soup_boxes(&soup, boxes, 1, once);
	ray_soup_build(&soup, 0);
	instance = ray_world_add(&world, &soup);
	instance->transform = turned;
	instance->mask = 1;
	ray_world_add(&world, &soup)->mask = 2;
	ray_world_build(&world, 0);
	ray.mask = 2;
	ray.generate = 1;
	ray.tmax = 0.01f;
	ray.generated = 0.005f;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_GENERATED && hit.boxes && hit.t == ray.generated,
	    "a ray that starts and ends in a box meets it");
	ray = ray_from(10, 10, 30, 0, 4, 0);
	ray.mask = 1;
	ray.generate = 1;
	ray.generated = 2.25f;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_GENERATED && are_near(hit.to_world, (const float *)turned.matrix, 12) &&
	    are_near(hit.to_object, turned_back, 12) &&
	    ray_is_near(hit.object_direction[2], -2, 1e-5),
	    "a generated intersection has the transforms of its instance");
	ray.flags = RAY_TERMINATE;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_GENERATED && hit.confirmed == 1 && !hit.again,
	    "TerminateOnFirstHit ends the query with a generated intersection");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

/* Candidates of a row of 100 triangles */

static void test_row(void)
{
	struct ray ray = ray_from(-2, -3, 0, 0, 0, 1);
	float corners[100][3][3];
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	struct ray_hit hit;

	for (uint32_t i = 0; i < 100; i++) {
		/* Neither the order of the triangles nor their t is sorted. */
		const float z = (i * 37) % 100 + 1;
		const float one[3][3] = { FRONT(z) };

		memcpy(corners[i], one, sizeof(one));
	}
	ray_soup_triangles(&soup, corners[0], 100, once);
	ray_soup_build(&soup, 0);
	ray_world_add(&world, &soup);
	ray_world_build(&world, 0);
	ray.confirm = ~0u;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_TRIANGLE && ray_is_near(hit.t, 1, 1e-5) && hit.primitive == 0 &&
	    !hit.late,
	    "no candidate is beyond the committed intersection");
	ray.confirm = 0;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_MISS && hit.triangles == 100, "all triangles of a row are candidates");
	ray.limit = 3;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_MISS && hit.triangles == 3 && !hit.again,
	    "OpRayQueryTerminate ends a query: OpRayQueryProceed returns false");
	ray.confirm = ~0u;
	ray.limit = 1;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(hit.type == RAY_TRIANGLE && hit.triangles == 1 && hit.t == hit.listed_t[0] &&
	    !hit.again, "a query that the shader terminates keeps its committed intersection");
	ray.limit = 0;
	hit = ray_trace_one(&test.tracer, &world.structure, ray);
	tap(!hit.again, "OpRayQueryProceed returns false after the end of a query");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

/* Watertightness */

/* Aims a ray at a point of a surface, so steeply that no edge of the surface is a silhouette. */
static struct ray ray_at(float x, float y, float z)
{
	const float origin[] = { x + ray_random_float(-6, 6), y + ray_random_float(-6, 6),
				 ray_random_float(10, 20) };

	return ray_from(origin[0], origin[1], origin[2], x - origin[0], y - origin[1],
			z - origin[2]);
}

/* The specification says "should": lavapipe loses some rays in its test of boxes. */
static bool all_hit(const struct ray_world *world, const struct ray *list, uint32_t count)
{
	const struct ray_hit *hits = ray_trace(&test.tracer, &world->structure, list, count);
	uint32_t misses = 0;

	for (uint32_t i = 0; i < count; i++)
		misses += hits[i].type != RAY_TRIANGLE;
	printf("# %u of %u rays miss\n", misses, count);
	return !misses || !ray_is_sundog();
}

static void test_fan(struct ray *list)
{
	const float center[3] = { 0.123f, -0.456f, 0.789f };
	float rim[24][3], corners[24][3][3];
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };

	for (uint32_t i = 0; i < 24; i++) {
		const float angle = 6.2831853f * i / 24, length = ray_random_float(5, 9);

		rim[i][0] = length * cosf(angle);
		rim[i][1] = length * sinf(angle);
		rim[i][2] = ray_random_float(-0.5f, 0.5f);
	}
	for (uint32_t i = 0; i < 24; i++) {
		memcpy(corners[i][0], center, 12);
		memcpy(corners[i][1], rim[i], 12);
		memcpy(corners[i][2], rim[(i + 1) % 24], 12);
	}
	ray_soup_triangles(&soup, corners[0], 24, VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(&soup, 0);
	ray_random_transform(&ray_world_add(&world, &soup)->transform, 0);
	world.instances[0].mask = 1;
	ray_world_add(&world, &soup)->mask = 2;
	ray_world_build(&world, 0);
	for (uint32_t i = 0; i < MANY_RAYS; i++) {
		const float *end = rim[i % 24], part = i % 3 ? ray_random_float(0, 0.9f) : 0;

		list[i] = ray_at(center[0] + part * (end[0] - center[0]),
				 center[1] + part * (end[1] - center[1]),
				 center[2] + part * (end[2] - center[2]));
		list[i].mask = 2;
	}
	tap(all_hit(&world, list, MANY_RAYS),
	    "rays at the shared vertex and edges of a closed fan do not pass through it");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

#define GRID 24

/* Two triangles for each cell of a grid, whose first corner is at (@x, @y). */
static void put_grid(float (*corners)[3][3], float (*heights)[GRID + 1], float x, float y)
{
	static const uint32_t order[2][3][2] = { { { 0, 0 }, { 1, 0 }, { 0, 1 } },
						 { { 1, 0 }, { 1, 1 }, { 0, 1 } } };

	for (uint32_t i = 0; i < GRID * GRID * 2; i++) {
		for (uint32_t c = 0; c < 3; c++) {
			const uint32_t column = i / 2 % GRID + order[i % 2][c][0];
			const uint32_t row = i / 2 / GRID + order[i % 2][c][1];
			const float corner[] = { column + x, row + y, heights[row][column] };

			memcpy(corners[i][c], corner, 12);
		}
	}
}

static void test_grid(struct ray *list)
{
	static float heights[GRID + 1][GRID + 1], corners[GRID * GRID * 2][3][3];
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };

	for (uint32_t i = 0; i < (GRID + 1) * (GRID + 1); i++)
		heights[i / (GRID + 1)][i % (GRID + 1)] = ray_random_float(0, 0.3f);
	put_grid(corners, heights, 0.3f, -0.7f);
	ray_soup_triangles(&soup, corners[0], GRID * GRID * 2, VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(&soup, 0);
	ray_world_add(&world, &soup);
	ray_world_build(&world, 0);
	for (uint32_t i = 0; i < MANY_RAYS; i++) {
		/* Neither row nor column is at the border, which rays may pass. */
		const uint32_t x = 1 + ray_random() % (GRID - 2), y = 1 + ray_random() % (GRID - 2);
		const float (*triangle)[3] = corners[2 * (y * GRID + x)];
		const float part = i % 3 ? ray_random_float(0, 1) : 0;
		const float *a = triangle[i % 2], *b = triangle[2];

		list[i] = ray_at(a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]),
				 a[2] + part * (b[2] - a[2]));
	}
	tap(all_hit(&world, list, MANY_RAYS),
	    "rays at shared edges and vertices of a grid do not pass through it");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

static void test_watertight(void)
{
	struct ray *list = calloc(MANY_RAYS, sizeof(*list));

	test_fan(list);
	test_grid(list);
	free(list);
}

/* Shared edges, with coordinates and rays for which the arithmetic is exact */

#define FAN 24
#define GRID_EDGES (3 * (GRID - 2) * (GRID - 2))

struct edge {
	float a[3], b[3];
};

/* Exchanges the axes: x becomes axis @x. */
static void turn(float *v, uint32_t x)
{
	const float old[] = { v[0], v[1], v[2] };

	for (uint32_t i = 0; i < 3; i++)
		v[(i + x) % 3] = old[i];
}

/* Aims a ray at point a of an edge, or at a point between a and b. */
static struct ray ray_at_edge(const struct edge *edge, uint32_t axis)
{
	static const float directions[][3] = {
		{ 0, 0, -1 }, { 0, 0, 2 }, { 0.5f, -0.25f, -1 }, { -1, 0.5f, 4 },
	};
	const float *d = directions[ray_random() % 4], part = ray_random() % 8 / 8.0f;
	struct ray ray = ray_from(0, 0, 0, d[0], d[1], d[2]);

	for (uint32_t i = 0; i < 3; i++)
		ray.origin[i] = edge->a[i] + part * (edge->b[i] - edge->a[i]) - 4 * d[i];
	turn(ray.origin, axis);
	turn(ray.direction, axis);
	return ray;
}

/* The specification says "should": lavapipe finds all triangles of an edge. */
static bool all_meet_one(const struct ray_world *world, const struct ray *list, uint32_t count)
{
	const struct ray_hit *hits = ray_trace(&test.tracer, &world->structure, list, count);
	uint32_t none = 0, several = 0;

	for (uint32_t i = 0; i < count; i++) {
		none += !hits[i].triangles;
		several += hits[i].triangles > 1;
	}
	printf("# of %u rays %u meet no triangle, %u meet several\n", count, none, several);
	return (!none && !several) || !ray_is_sundog();
}

/* Traces rays at edges of a surface that each of them crosses once, along each axis. */
static bool edges_are_shared(const float (*corners)[3], uint32_t triangles,
			     const struct edge *edges, uint32_t n_edges, struct ray *list)
{
	bool ok = true;

	for (uint32_t axis = 0; axis < 3; axis++) {
		struct ray_soup soup = { 0 };
		struct ray_world world = { 0 };

		ray_soup_triangles(&soup, corners, triangles, once);
		for (uint32_t i = 0; i < 3 * triangles; i++)
			turn((float *)soup.geometries[0].data.map + 3 * i, axis);
		ray_soup_build(&soup, 0);
		ray_world_add(&world, &soup);
		ray_world_build(&world, 0);
		for (uint32_t i = 0; i < MANY_RAYS; i++)
			list[i] = ray_at_edge(&edges[i % n_edges], axis);
		ok &= all_meet_one(&world, list, MANY_RAYS);
		for (uint32_t i = 0; i < MANY_RAYS; i++)
			list[i].flags = RAY_OPAQUE;
		ok &= all_hit(&world, list, MANY_RAYS);
		ray_world_del(&world);
		ray_soup_del(&soup);
	}
	return ok;
}

static void test_fan_edges(struct ray *list)
{
	float corners[FAN][3][3];
	struct edge edges[FAN];

	for (uint32_t i = 0; i < FAN; i++) {
		const float angle = 6.2831853f * i / FAN, length = ray_random_float(5, 9);

		/* Edges are parallel to an axis, too. */
		edges[i] = (struct edge){
			{ 0.25f, -0.5f, 0.75f },
			{ 0.25f + roundf(4 * length * cosf(angle)) / 4,
			  -0.5f + roundf(4 * length * sinf(angle)) / 4, ray_random() % 5 / 4.0f },
		};
	}
	for (uint32_t i = 0; i < FAN; i++) {
		memcpy(corners[i][0], edges[i].b, 12);
		memcpy(corners[i][1], edges[(i + 1) % FAN].b, 12);
		memcpy(corners[i][2], edges[i].a, 12);
	}
	tap(edges_are_shared(corners[0], FAN, edges, FAN, list),
	    "a ray through a shared edge or the shared vertex of a fan meets one triangle");
}

static void test_grid_edges(struct ray *list)
{
	static float heights[GRID + 1][GRID + 1], corners[GRID * GRID * 2][3][3];
	static struct edge edges[GRID_EDGES];

	for (uint32_t i = 0; i < (GRID + 1) * (GRID + 1); i++)
		heights[i / (GRID + 1)][i % (GRID + 1)] = ray_random() % 5 / 16.0f;
	put_grid(corners, heights, -8, -8);
	for (uint32_t i = 0; i < GRID_EDGES; i++) {
		/* Edges of the first column and row are at the border. */
		const uint32_t x = i / 3 % (GRID - 2) + 1, y = i / 3 / (GRID - 2) + 1;
		const float (*triangle)[3] = corners[2 * (y * GRID + x)];

		memcpy(edges[i].a, triangle[i % 3], 12);
		memcpy(edges[i].b, triangle[(i + 1) % 3], 12);
	}
	tap(edges_are_shared(corners[0], GRID * GRID * 2, edges, GRID_EDGES, list),
	    "a ray through a shared edge or vertex of a grid meets one triangle");
}

static void test_edges(void)
{
	struct ray *list = calloc(MANY_RAYS, sizeof(*list));

	test_fan_edges(list);
	test_grid_edges(list);
	free(list);
}

/* Many triangles */

static void test_many(void)
{
	const uint32_t triangles = 200000, count = tap_rounds(64, 512);
	float (*corners)[3] = malloc(triangles * 36);
	struct ray *list = calloc(count, sizeof(*list));
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };

	ray_random_corners(corners, triangles, 10, 0.2f);
	ray_soup_triangles(&soup, (const float (*)[3])corners, triangles,
			   VK_GEOMETRY_OPAQUE_BIT_KHR);
	free(corners);
	ray_soup_build(&soup, 0);
	ray_world_add(&world, &soup);
	ray_world_build(&world, 0);
	for (uint32_t i = 0; i < count; i++)
		list[i] = ray_random_ray(30);
	tap(ray_compare(&test.tracer, &world, list, count),
	    "a build of 200000 triangles finds the closest triangle of each ray");
	free(list);
	ray_world_del(&world);
	ray_soup_del(&soup);
}

int main(void)
{
	if (!ray_open())
		return 0;
	test.tracer = ray_tracer_new(MANY_RAYS, RAY_PLAIN);
	test_triangle();
	test_interval();
	test_positions();
	test_closest();
	test_random_flags();
	test_candidates();
	test_flags();
	test_first_hit();
	test_masks();
	test_mirror();
	test_boxes();
	test_box_places();
	test_row();
	test_watertight();
	test_edges();
	test_many();
	ray_tracer_del(&test.tracer);
	vk_close();
	return tap_failures() != 0;
}
