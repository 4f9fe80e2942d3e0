// SPDX-License-Identifier: MIT
/*
 * Vulkan: updates of acceleration structures, in place and from another structure
 * (VK_KHR_acceleration_structure). A model on the CPU computes the hits of random rays from the
 * inputs. Prints TAP.
 */
#include <string.h>

#include "ray-scene.h"

#define TRIANGLES RAY_SOUP_TRIANGLES
#define CORNERS (3 * TRIANGLES)
#define UPDATED VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR

static struct {
	struct ray_tracer tracer;
} test;

/* Moves the vertices of a structure, at most by @distance. */
static void move_vertices(struct ray_soup *soup, float distance)
{
	for (uint32_t g = 0; g < soup->count; g++) {
		float *values = soup->geometries[g].data.map;

		for (uint32_t i = 0; i < soup->geometries[g].primitives * 9; i++)
			values[i] += ray_random_float(-distance, distance);
	}
}

static void update_soup(const struct ray_soup *soup, const struct ray_structure *from,
			const struct ray_structure *to)
{
	VkAccelerationStructureGeometryKHR geometries[RAY_GEOMETRIES];
	VkAccelerationStructureBuildRangeInfoKHR ranges[RAY_GEOMETRIES] = { 0 };
	const struct ray_build build = { RAY_BOTTOM, UPDATED, soup->count, geometries, ranges };

	for (uint32_t i = 0; i < soup->count; i++) {
		geometries[i] = ray_triangles(&soup->geometries[i].data, soup->geometries[i].flags);
		ranges[i].primitiveCount = soup->geometries[i].primitives;
	}
	ray_build(&build, from, to);
}

static void test_updates(void)
{
	float corners[CORNERS][3];
	struct ray_structure first;
	struct ray_soup soup = { 0 };
	bool ok = true;

	for (int i = 0; i < 3; i++) {
		ray_random_corners(corners, TRIANGLES, 5, 3);
		ray_soup_triangles(&soup, (const float (*)[3])corners, TRIANGLES - i,
				   VK_GEOMETRY_OPAQUE_BIT_KHR);
	}
	ray_soup_build(&soup, UPDATED);
	for (int i = 0; i < 4; i++) {
		move_vertices(&soup, i == 3 ? 12 : 1);
		update_soup(&soup, &soup.structure, &soup.structure);
		ok &= ray_soup_is_right(&test.tracer, &soup, 15);
	}
	tap(ok, "updates in place take the vertices of their time");
	first = soup.structure;
	soup.structure = ray_structure_sized(RAY_BOTTOM, first.size);
	move_vertices(&soup, 4);
	update_soup(&soup, &first, &soup.structure);
	tap(ray_soup_is_right(&test.tracer, &soup, 15),
	    "an update from another structure takes the new vertices");
	/* The source is read only: a second update from it is right, too. */
	move_vertices(&soup, 4);
	update_soup(&soup, &first, &soup.structure);
	ok = ray_soup_is_right(&test.tracer, &soup, 15);
	ray_structure_del(&first);
	tap(ok && ray_soup_is_right(&test.tracer, &soup, 15),
	    "an updated structure does not depend on its source");
	ray_soup_del(&soup);
}

static void test_update_of_source(void)
{
	float corners[CORNERS][3];
	struct ray_structure updated;
	struct ray_soup soup = { 0 };

	ray_soup_random(&soup, UPDATED);
	memcpy(corners, soup.geometries[0].data.map, sizeof(corners));
	updated = ray_structure_sized(RAY_BOTTOM, soup.structure.size);
	move_vertices(&soup, 5);
	update_soup(&soup, &soup.structure, &updated);
	memcpy(soup.geometries[0].data.map, corners, sizeof(corners));
	tap(ray_soup_is_right(&test.tracer, &soup, 15),
	    "an update to another structure leaves its source");
	ray_structure_del(&updated);
	ray_soup_del(&soup);
}

static void test_update_of_degenerates(void)
{
	float whole[CORNERS][3], corners[CORNERS][3];
	struct ray_soup soup = { 0 };

	ray_random_corners(whole, TRIANGLES, 5, 3);
	memcpy(corners, whole, sizeof(corners));
	for (uint32_t i = 0; i < CORNERS; i++)
		if (i / 3 % 2)
			memset(corners[i], 0, 12);
	ray_soup_triangles(&soup, (const float (*)[3])corners, TRIANGLES,
			   VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(&soup, UPDATED);
	memcpy(soup.geometries[0].data.map, whole, sizeof(whole));
	update_soup(&soup, &soup.structure, &soup.structure);
	tap(ray_soup_is_right(&test.tracer, &soup, 15),
	    "an update makes triangles of degenerate ones");
	ray_soup_del(&soup);
}

static void test_update_of_boxes(void)
{
	const VkAabbPositionsKHR boxes[] = { { -9, -9, 1, 9, 9, 2 }, { 20, 20, 3, 29, 29, 4 },
					     { -9, -9, 5, 9, 9, 6 } };
	const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = 3 };
	VkAccelerationStructureGeometryKHR geometry;
	const struct ray_build build = { RAY_BOTTOM, UPDATED, 1, &geometry, &range };
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	VkAabbPositionsKHR *moved;
	struct ray_hit hit;

	ray_soup_boxes(&soup, boxes, 3, 0);
	ray_soup_build(&soup, UPDATED);
	moved = soup.geometries[0].data.map;
	moved[1] = boxes[2];
	moved[2] = boxes[1];
	geometry = ray_boxes(&soup.geometries[0].data, 0);
	ray_build(&build, &soup.structure, &soup.structure);
	ray_world_add(&world, &soup);
	ray_world_build(&world, 0);
	hit = ray_trace_one(&test.tracer, &world.structure, ray_from(-2, -3, 0, 0, 0, 1));
	tap(hit.type == RAY_MISS && hit.box_set == 3, "an update moves boxes");
	ray_world_del(&world);
	ray_soup_del(&soup);
}

static void test_update_of_instances(void)
{
	VkAccelerationStructureGeometryKHR geometry;
	const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = 6 };
	const struct ray_build build = { RAY_TOP, UPDATED, 1, &geometry, &range };
	struct ray_soup soups[2] = { 0 };
	struct ray_world world = { 0 };
	bool ok = true;

	ray_soup_random(&soups[0], 0);
	ray_soup_random(&soups[1], 0);
	ray_world_random(&world, &soups[0], 6);
	ray_world_build(&world, UPDATED);
	geometry = ray_instances(&world.data);
	for (int turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < 6; i++) {
			VkAccelerationStructureInstanceKHR *instance = &world.instances[i];

			ray_random_transform(&instance->transform, 12);
			instance->instanceCustomIndex = ray_random() & 0xffffff;
			instance->mask = ray_random() & 1;
			world.soups[i] = &soups[ray_random() & 1];
			instance->accelerationStructureReference =
				world.soups[i]->structure.address;
		}
		memcpy(world.data.map, world.instances, 6 * sizeof(world.instances[0]));
		ray_build(&build, &world.structure, &world.structure);
		ok &= ray_world_is_right(&test.tracer, &world, 30);
	}
	tap(ok, "updates of instances take transforms, masks, indices and references");
	ray_world_del(&world);
	ray_soup_del(&soups[1]);
	ray_soup_del(&soups[0]);
}

int main(void)
{
	if (!ray_open())
		return 0;
	test.tracer = ray_tracer_new(RAY_COMPARED, RAY_PLAIN);
	test_updates();
	test_update_of_source();
	test_update_of_degenerates();
	test_update_of_boxes();
	test_update_of_instances();
	ray_tracer_del(&test.tracer);
	vk_close();
	return tap_failures() != 0;
}
