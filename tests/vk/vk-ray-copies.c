// SPDX-License-Identifier: MIT
/*
 * Vulkan: queries of the sizes of acceleration structures, and their copies: clones, compaction,
 * serialized structures (VK_KHR_acceleration_structure, VK_KHR_ray_tracing_maintenance1). A copy
 * must have the hits of the model on the CPU after its source was destroyed. Prints TAP.
 */
#include <stdlib.h>
#include <string.h>

#include "ray-scene.h"

#define TRIANGLES 300
#define INSTANCES 6
#define COMPACTED VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR
#define SERIALIZED VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR
#define POINTERS VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR
#define SIZE VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR

static struct {
	struct ray_tracer tracer;
	PFN_vkCmdWriteAccelerationStructuresPropertiesKHR write;
	PFN_vkCmdCopyAccelerationStructureKHR copy;
	PFN_vkCmdCopyAccelerationStructureToMemoryKHR serialize;
	PFN_vkCmdCopyMemoryToAccelerationStructureKHR deserialize;
	PFN_vkGetDeviceAccelerationStructureCompatibilityKHR compatible;
} test;

/* Two bottom-level structures, and instances of both. */
struct scene {
	struct ray_soup soups[2];
	struct ray_world world;
};

static void build_world(struct scene *s, VkBuildAccelerationStructureFlagsKHR flags)
{
	for (uint32_t i = 0; i < INSTANCES; i++) {
		const struct ray_soup *soup = &s->soups[i % 3 == 2];
		VkAccelerationStructureInstanceKHR *instance = ray_world_add(&s->world, soup);

		ray_random_transform(&instance->transform, 8);
		instance->instanceCustomIndex = ray_random() & 0xffffff;
	}
	ray_world_build(&s->world, flags);
}

static void scene_new(struct scene *s, VkBuildAccelerationStructureFlagsKHR flags)
{
	float (*corners)[3] = malloc(TRIANGLES * 36);

	memset(s, 0, sizeof(*s));
	for (int i = 0; i < 4; i++) {
		ray_random_corners(corners, TRIANGLES, 6, 2);
		ray_soup_triangles(&s->soups[i / 2], (const float (*)[3])corners,
				   i ? TRIANGLES : TRIANGLES / 3, VK_GEOMETRY_OPAQUE_BIT_KHR);
	}
	free(corners);
	ray_soup_build(&s->soups[0], flags);
	ray_soup_build(&s->soups[1], flags);
	build_world(s, flags);
}

static void scene_del(struct scene *s)
{
	ray_world_del(&s->world);
	ray_soup_del(&s->soups[1]);
	ray_soup_del(&s->soups[0]);
}

/* Replaces a structure; the old one is overwritten, then destroyed. */
static void replace(struct ray_structure *structure, const struct ray_structure *by)
{
	memset(structure->map, 0, structure->size);
	ray_structure_del(structure);
	*structure = *by;
}

/* Queries */

/* Writes properties of structures to queries 1 and following of a pool. */
static void query(VkQueryType type, const VkAccelerationStructureKHR *structures, uint32_t count,
		  uint64_t *results)
{
	const VkQueryPool pool = vk_queries_new(type, count + 2, 0);
	VkCommandBuffer cmd = vk_begin();

	vkCmdResetQueryPool(cmd, pool, 0, count + 2);
	vk_barrier(cmd);
	test.write(cmd, count, structures, type, pool, 1);
	vk_run(cmd);
	memset(results, 0xff, count * 8);
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 1, count, count * 8, results, 8,
				       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	vkDestroyQueryPool(vk.device, pool, NULL);
}

static uint64_t query_one(VkQueryType type, const struct ray_structure *structure)
{
	uint64_t result;

	query(type, &structure->handle, 1, &result);
	return result;
}

/* The same by vkCmdCopyQueryPoolResults: a 32-bit result, a 64-bit one, and its availability. */
static bool copies_results(VkQueryType type, const struct ray_structure *structure)
{
	const uint64_t expected = query_one(type, structure);
	const VkQueryPool pool = vk_queries_new(type, 3, 0);
	const struct vk_buffer buffer = vk_buffer_new(64, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const uint64_t *results = buffer.map;
	VkCommandBuffer cmd = vk_begin();
	uint64_t unavailable[2];
	VkResult result;
	bool ok;

	memset(buffer.map, 0xff, 64);
	vkCmdResetQueryPool(cmd, pool, 0, 3);
	vk_barrier(cmd);
	test.write(cmd, 1, &structure->handle, type, pool, 1);
	vk_barrier(cmd);
	vkCmdCopyQueryPoolResults(cmd, pool, 1, 1, buffer.buffer, 8, 16,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT |
				  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	vkCmdCopyQueryPoolResults(cmd, pool, 1, 1, buffer.buffer, 32, 4, VK_QUERY_RESULT_WAIT_BIT);
	vk_barrier(cmd);
	vk_run(cmd);
	ok = results[1] == expected && results[2] && results[0] == ~0ull && results[3] == ~0ull &&
	     (uint32_t)results[4] == expected;
	result = vkGetQueryPoolResults(vk.device, pool, 2, 1, 16, unavailable, 16,
				       VK_QUERY_RESULT_64_BIT |
				       VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	/* For lavapipe, these queries are always available. */
	if (ray_is_sundog())
		ok &= result == VK_NOT_READY && !unavailable[1];
	vk_buffer_del(&buffer);
	vkDestroyQueryPool(vk.device, pool, NULL);
	return ok;
}

static void test_queries(struct scene *s)
{
	const VkAccelerationStructureKHR all[] = { s->soups[0].structure.handle,
						   s->soups[1].structure.handle,
						   s->world.structure.handle };
	const struct ray_structure *structures[] = { &s->soups[0].structure,
						     &s->soups[1].structure,
						     &s->world.structure };
	uint64_t compacted[3], serialized[3], pointers[3], sizes[3];
	bool ok = true;

	query(COMPACTED, all, 3, compacted);
	query(SERIALIZED, all, 3, serialized);
	for (int i = 0; i < 3; i++)
		ok &= compacted[i] && compacted[i] <= structures[i]->size;
	tap(ok, "the compacted size is at most the size of the build");
	ok = true;
	for (int i = 0; i < 3; i++)
		ok &= serialized[i] >= 56 && serialized[i] == query_one(SERIALIZED, structures[i]);
	tap(ok, "the serialization size has room for the header");
	tap(copies_results(COMPACTED, structures[0]) && copies_results(SERIALIZED, structures[2]),
	    "vkCmdCopyQueryPoolResults writes the same sizes as vkGetQueryPoolResults");
	if (!rays.maintenance.rayTracingMaintenance1) {
		tap(true, "queries of maintenance1 # SKIP not supported");
		return;
	}
	query(POINTERS, all, 3, pointers);
	query(SIZE, all, 3, sizes);
	tap(!pointers[0] && !pointers[1] && pointers[2] >= 2,
	    "only top-level structures have bottom-level pointers");
	ok = true;
	for (int i = 0; i < 3; i++)
		ok &= sizes[i] >= compacted[i] && sizes[i] <= structures[i]->size;
	tap(ok, "the size is between the compacted size and that of the build");
	tap(copies_results(POINTERS, structures[2]) && copies_results(SIZE, structures[1]),
	    "vkCmdCopyQueryPoolResults writes the results of maintenance1");
}

/* Copies */

static struct ray_structure copy_of(const struct ray_structure *from,
				    VkAccelerationStructureTypeKHR type, VkDeviceSize size,
				    VkCopyAccelerationStructureModeKHR mode)
{
	const struct ray_structure to = ray_structure_sized(type, size);
	const VkCopyAccelerationStructureInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
		.src = from->handle,
		.dst = to.handle,
		.mode = mode,
	};
	VkCommandBuffer cmd = vk_begin();

	vk_barrier(cmd);
	test.copy(cmd, &info);
	vk_barrier(cmd);
	vk_run(cmd);
	return to;
}

static void test_clones(void)
{
	const VkCopyAccelerationStructureModeKHR mode =
		VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR;
	struct ray_structure clone;
	struct scene s;
	bool ok;

	scene_new(&s, 0);
	clone = copy_of(&s.world.structure, RAY_TOP, s.world.structure.size, mode);
	replace(&s.world.structure, &clone);
	tap(ray_world_is_right(&test.tracer, &s.world, 25),
	    "a clone of a top-level structure has the hits of its source");
	for (int i = 0; i < 2; i++) {
		clone = copy_of(&s.soups[i].structure, RAY_BOTTOM,
				s.soups[i].structure.size, mode);
		replace(&s.soups[i].structure, &clone);
	}
	ray_world_del(&s.world);
	build_world(&s, 0);
	ok = ray_world_is_right(&test.tracer, &s.world, 25);
	tap(ok, "clones of bottom-level structures have the hits of their sources");
	scene_del(&s);
}

/* Moves the vertices and updates in place; @flags are those of the build. */
static void update_soup(const struct ray_soup *soup, VkBuildAccelerationStructureFlagsKHR flags)
{
	VkAccelerationStructureGeometryKHR geometries[2];
	VkAccelerationStructureBuildRangeInfoKHR ranges[2] = { 0 };
	const struct ray_build build = { RAY_BOTTOM, flags, 2, geometries, ranges };

	for (int i = 0; i < 2; i++) {
		float *values = soup->geometries[i].data.map;

		geometries[i] = ray_triangles(&soup->geometries[i].data, soup->geometries[i].flags);
		ranges[i].primitiveCount = soup->geometries[i].primitives;
		for (uint32_t n = 0; n < soup->geometries[i].primitives * 9; n++)
			values[n] += ray_random_float(-2, 2);
	}
	ray_build(&build, &soup->structure, &soup->structure);
}

static void test_updates_of_clones(void)
{
	const VkBuildAccelerationStructureFlagsKHR flags =
		VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR;
	struct ray_structure clone;
	struct scene s;

	scene_new(&s, flags);
	for (int i = 0; i < 2; i++) {
		clone = copy_of(&s.soups[i].structure, RAY_BOTTOM,
				s.soups[i].structure.size,
				VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
		replace(&s.soups[i].structure, &clone);
		update_soup(&s.soups[i], flags);
	}
	ray_world_del(&s.world);
	build_world(&s, 0);
	tap(ray_world_is_right(&test.tracer, &s.world, 25), "clones can be updated");
	scene_del(&s);
}

static void test_compaction(void)
{
	const VkBuildAccelerationStructureFlagsKHR flags =
		VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR |
		VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR;
	const VkCopyAccelerationStructureModeKHR mode =
		VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR;
	struct ray_structure compact;
	struct scene s;

	scene_new(&s, flags);
	test_queries(&s);
	compact = copy_of(&s.world.structure, RAY_TOP,
			  query_one(COMPACTED, &s.world.structure), mode);
	replace(&s.world.structure, &compact);
	tap(ray_world_is_right(&test.tracer, &s.world, 25),
	    "a compacted top-level structure has the hits of its source");
	for (int i = 0; i < 2; i++) {
		struct ray_structure *structure = &s.soups[i].structure;

		compact = copy_of(structure, RAY_BOTTOM, query_one(COMPACTED, structure), mode);
		replace(structure, &compact);
	}
	ray_world_del(&s.world);
	build_world(&s, 0);
	tap(ray_world_is_right(&test.tracer, &s.world, 25),
	    "compacted bottom-level structures have the hits of their sources");
	for (int i = 0; i < 2; i++)
		update_soup(&s.soups[i], flags);
	ray_world_del(&s.world);
	build_world(&s, 0);
	tap(ray_world_is_right(&test.tracer, &s.world, 25), "compacted structures can be updated");
	scene_del(&s);
}

/* Serialized structures */

/* The header, see vkCmdCopyAccelerationStructureToMemoryKHR. */
struct header {
	uint8_t driver[VK_UUID_SIZE], compatibility[VK_UUID_SIZE];
	uint64_t size, deserialized_size, handles;
	uint64_t handle[];
};

static struct ray_buffer serialize(const struct ray_structure *structure)
{
	const struct ray_buffer to = ray_buffer_new(query_one(SERIALIZED, structure));
	const VkCopyAccelerationStructureToMemoryInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
		.src = structure->handle,
		.dst.deviceAddress = to.address,
		.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR,
	};
	VkCommandBuffer cmd = vk_begin();

	vk_barrier(cmd);
	test.serialize(cmd, &info);
	vk_barrier(cmd);
	vk_run(cmd);
	return to;
}

static struct ray_structure deserialize(const struct ray_buffer *from,
					VkAccelerationStructureTypeKHR type)
{
	const struct header *header = from->map;
	const struct ray_structure to = ray_structure_sized(type, header->deserialized_size);
	const VkCopyMemoryToAccelerationStructureInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
		.src.deviceAddress = from->address,
		.dst = to.handle,
		.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR,
	};
	VkCommandBuffer cmd = vk_begin();

	vk_barrier(cmd);
	test.deserialize(cmd, &info);
	vk_barrier(cmd);
	vk_run(cmd);
	return to;
}

static bool has_handle(const struct header *header, uint64_t handle)
{
	for (uint64_t i = 0; i < header->handles; i++)
		if (header->handle[i] == handle)
			return true;
	return false;
}

static bool header_is_right(const struct ray_buffer *buffer)
{
	VkPhysicalDeviceIDProperties ids = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids };
	const struct header *header = buffer->map;

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	/* lavapipe has another UUID there. */
	return (!ray_is_sundog() || !memcmp(header->driver, ids.driverUUID, VK_UUID_SIZE)) &&
	       header->size == buffer->size && header->deserialized_size &&
	       header->deserialized_size <= 64 << 20;
}

static VkAccelerationStructureCompatibilityKHR compatibility_of(const uint8_t *version)
{
	const VkAccelerationStructureVersionInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_VERSION_INFO_KHR,
		.pVersionData = version,
	};
	VkAccelerationStructureCompatibilityKHR compatibility;

	test.compatible(vk.device, &info, &compatibility);
	return compatibility;
}

static void test_compatibility(const struct header *header)
{
	uint8_t version[2 * VK_UUID_SIZE];
	bool ok = true;

	memcpy(version, header, sizeof(version));
	tap(compatibility_of(version) == VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR,
	    "the device is compatible with structures that it serialized");
	/* lavapipe compares the first UUID only. */
	for (uint32_t i = 0; i < (ray_is_sundog() ? 2 : 1) * VK_UUID_SIZE; i++) {
		version[i] ^= 0x40;
		ok &= compatibility_of(version) ==
		      VK_ACCELERATION_STRUCTURE_COMPATIBILITY_INCOMPATIBLE_KHR;
		version[i] ^= 0x40;
	}
	tap(ok, "the device is not compatible with another driver or version");
}

static void test_serialization(void)
{
	struct ray_buffer bottoms[2], top;
	struct ray_structure copy;
	struct header *header;
	struct scene s;
	uint64_t old[2];

	scene_new(&s, 0);
	top = serialize(&s.world.structure);
	header = top.map;
	for (int i = 0; i < 2; i++) {
		old[i] = s.soups[i].structure.address;
		bottoms[i] = serialize(&s.soups[i].structure);
	}
	tap(header_is_right(&top) && header_is_right(&bottoms[0]) && header_is_right(&bottoms[1]),
	    "the header of a serialized structure has the driver's UUID and the size");
	tap(has_handle(header, old[0]) && has_handle(header, old[1]) &&
	    !((struct header *)bottoms[0].map)->handles,
	    "a serialized top-level structure lists the addresses of its bottom-level structures");
	if (rays.maintenance.rayTracingMaintenance1)
		tap(header->handles == query_one(POINTERS, &s.world.structure),
		    "the header has the queried number of bottom-level pointers");
	test_compatibility(header);
	copy = deserialize(&top, RAY_TOP);
	replace(&s.world.structure, &copy);
	tap(ray_world_is_right(&test.tracer, &s.world, 25),
	    "a deserialized top-level structure has the hits of its source");
	for (int i = 0; i < 2; i++) {
		copy = deserialize(&bottoms[i], RAY_BOTTOM);
		replace(&s.soups[i].structure, &copy);
		for (uint64_t n = 0; n < header->handles; n++)
			if (header->handle[n] == old[i])
				header->handle[n] = copy.address;
	}
	copy = deserialize(&top, RAY_TOP);
	replace(&s.world.structure, &copy);
	tap(ray_world_is_right(&test.tracer, &s.world, 25),
	    "handles that the application replaced name the new structures");
	ray_buffer_del(&bottoms[1]);
	ray_buffer_del(&bottoms[0]);
	ray_buffer_del(&top);
	scene_del(&s);
}

/* Structures without content */
static void test_empty(void)
{
	struct ray_world world = { 0 };
	struct ray_structure copy;
	struct ray_buffer data;
	bool ok;

	if (!ray_is_sundog()) {
		tap(true, "copies of a structure of no instance # SKIP lavapipe has no size of it");
		return;
	}
	ray_world_build(&world, VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR);
	copy = copy_of(&world.structure, RAY_TOP, query_one(COMPACTED, &world.structure),
		       VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
	replace(&world.structure, &copy);
	ok = ray_trace_one(&test.tracer, &world.structure, ray_from(0, 0, 0, 1, 1, 1)).type ==
	     RAY_MISS;
	data = serialize(&world.structure);
	copy = deserialize(&data, RAY_TOP);
	replace(&world.structure, &copy);
	ok &= ray_trace_one(&test.tracer, &world.structure, ray_from(0, 0, 0, 1, 1, 1)).type ==
	      RAY_MISS;
	tap(ok && header_is_right(&data) && !((struct header *)data.map)->handles,
	    "a structure of no instance can be compacted and serialized");
	ray_buffer_del(&data);
	ray_world_del(&world);
}

int main(void)
{
	if (!ray_open())
		return 0;
	test.write = VK_FUNCTION(vkCmdWriteAccelerationStructuresPropertiesKHR);
	test.copy = VK_FUNCTION(vkCmdCopyAccelerationStructureKHR);
	test.serialize = VK_FUNCTION(vkCmdCopyAccelerationStructureToMemoryKHR);
	test.deserialize = VK_FUNCTION(vkCmdCopyMemoryToAccelerationStructureKHR);
	test.compatible = VK_FUNCTION(vkGetDeviceAccelerationStructureCompatibilityKHR);
	test.tracer = ray_tracer_new(RAY_COMPARED, RAY_PLAIN);
	test_compaction();
	test_clones();
	test_updates_of_clones();
	test_serialization();
	test_empty();
	ray_tracer_del(&test.tracer);
	vk_close();
	return tap_failures() != 0;
}
