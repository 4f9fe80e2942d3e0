// SPDX-License-Identifier: MIT
/*
 * Vulkan: acceleration structures whose memory the application overwrites, and wild addresses in
 * instances, inputs, scratch memory and serialized structures. All of this is invalid usage. sundog
 * bounds the time of each ray and each build, and an access to an address without memory loses the
 * device: so each submission ends, the next device traces, and that of another process goes on all
 * the time. Other drivers skip this program. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ray-scene.h"

#define RAYS 64
#define TRIANGLES 200
#define INSTANCES 6
#define HEADER 128		/* bytes before the nodes of sundog's structures */

static const uint64_t wild_addresses[] = {
	0xdeadbeef000, 0xffffffffffffff00, 1, 16, 0x7fffffffffff, 1ull << 63, 0x100000000,
};
/* Each of them may cost a device, whose successor compiles its shaders again. */
#define WILD ((size_t)tap_rounds(1, sizeof(wild_addresses) / sizeof(wild_addresses[0])))

/* The device of this process and its scene; a lost one is replaced. */
static struct {
	struct ray_tracer tracer;
	struct ray_soup soup;
	struct ray_world world;
	bool boxes, lost;
	uint32_t losses;
} test;

/* Submits and waits. Returns false if the device is lost. */
static bool survives(VkCommandBuffer cmd)
{
	const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				    .commandBufferCount = 1, .pCommandBuffers = &cmd };
	VkResult result = vkEndCommandBuffer(cmd);

	if (!result)
		result = vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE);
	if (!result)
		result = vkQueueWaitIdle(vk.queue);
	if (result && result != VK_ERROR_DEVICE_LOST)
		vk_check(result, "submission");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	test.lost = result == VK_ERROR_DEVICE_LOST;
	return !test.lost;
}

/* Traces random rays, whose hits do not matter. Queries confirm most candidates. */
static bool traces(const struct ray_structure *structure)
{
	struct ray *list = test.tracer.rays.map;
	VkCommandBuffer cmd;

	for (uint32_t i = 0; i < RAYS; i++) {
		list[i] = ray_random_ray(20);
		list[i].confirm = list[i].generate = ray_random();
		list[i].flags = i % 2 ? RAY_NO_OPAQUE : 0;
		list[i].generated = 1;
	}
	ray_tracer_set(&test.tracer, structure->handle);
	cmd = vk_begin();
	ray_tracer_record(cmd, &test.tracer, RAYS, structure->address);
	return survives(cmd);
}

static bool is_right(void)
{
	struct ray list[RAYS];

	for (uint32_t i = 0; i < RAYS; i++)
		list[i] = ray_random_ray(20);
	return ray_compare(&test.tracer, &test.world, list, RAYS);
}

/* The device and its scene */

static void make_scene(bool boxes)
{
	float corners[3 * TRIANGLES][3];

	ray_random_corners(corners, TRIANGLES, 6, 2);
	test.boxes = boxes;
	if (boxes) {
		VkAabbPositionsKHR list[TRIANGLES];

		for (uint32_t i = 0; i < TRIANGLES; i++) {
			const float *c = corners[3 * i];

			list[i] = (VkAabbPositionsKHR){ c[0], c[1], c[2], c[0] + 1, c[1] + 1,
							c[2] + 1 };
		}
		ray_soup_boxes(&test.soup, list, TRIANGLES, 0);
	} else {
		ray_soup_triangles(&test.soup, (const float (*)[3])corners, TRIANGLES,
				   VK_GEOMETRY_OPAQUE_BIT_KHR);
	}
	ray_soup_build(&test.soup, 0);
	for (uint32_t i = 0; i < INSTANCES; i++)
		ray_random_transform(&ray_world_add(&test.world, &test.soup)->transform, 6);
	ray_world_build(&test.world, 0);
}

static void begin_device(bool boxes)
{
	if (!ray_open())
		exit(1);
	test.lost = false;
	test.tracer = ray_tracer_new(RAYS, RAY_PLAIN);
	make_scene(boxes);
}

static void end_device(void)
{
	ray_world_del(&test.world);
	ray_soup_del(&test.soup);
	ray_tracer_del(&test.tracer);
	vk_close();
}

/* Replaces the device if it is lost. Without this call, a lost device takes no more work. */
static void replace_lost(void)
{
	if (!test.lost)
		return;
	test.losses++;
	end_device();
	begin_device(test.boxes);
}

/* Prints the result of an attack: the device, or the one that replaced it, works. */
static void survive_attack(const char *name)
{
	bool ok;

	replace_lost();
	ok = test.boxes ? traces(&test.world.structure) : is_right();
	printf("# devices lost: %u\n", test.losses);
	tap(ok, "%s: each submission ends, and a device traces", name);
	test.losses = 0;
}

/* Overwritten structures */

enum words { RANDOM, SMALL, FLOATS, ONES, SOME, WORDS };

static const char *const words_names[] = { "random words", "small numbers", "random floats",
					   "ones", "a few random words" };

static uint32_t word_of(enum words words)
{
	const float real = ray_random_float(-20, 20);
	uint32_t bits;

	switch (words) {
	case SMALL:
		return ray_random() % 512;
	case FLOATS:
		memcpy(&bits, &real, 4);
		return bits;
	case ONES:
		return ~0u;
	default:
		return ray_random();
	}
}

/* Overwrites the words of a structure from byte @from on. */
static void overwrite(const struct ray_structure *structure, enum words words, size_t from)
{
	uint32_t *map = structure->map;

	for (size_t i = from / 4; i < structure->size / 4; i++)
		if (words != SOME || ray_random() % 16 == 0)
			map[i] = word_of(words);
}

/* Overwrites the bottom-level structure, the top-level one or both, as bits of @which say. */
static void trace_words(enum words words, size_t from, int which)
{
	const struct ray_structure *all[] = { &test.soup.structure, &test.world.structure };
	void *kept[2];

	for (int i = 0; i < 2; i++) {
		kept[i] = malloc(all[i]->size);
		memcpy(kept[i], all[i]->map, all[i]->size);
		if (which >> i & 1)
			overwrite(all[i], words, from);
	}
	traces(&test.world.structure);
	for (int i = 0; i < 2; i++) {
		memcpy(all[i]->map, kept[i], all[i]->size);
		free(kept[i]);
	}
	replace_lost();
}

/* The short form leaves out kinds of words, and overwrites one of the structures at a time. */
static void test_words(size_t from)
{
	const int rounds = tap_rounds(1, 30);

	for (enum words words = 0; words < WORDS; words++) {
		char name[128];

		if (rounds == 1 && words && (!from || test.boxes))
			continue;
		for (int round = 0; round < rounds; round++)
			trace_words(words, from, 1 + (words + round) % 3);
		snprintf(name, sizeof(name), "%s of %s that are overwritten with %s",
			 from ? "nodes" : "structures", test.boxes ? "boxes" : "triangles",
			 words_names[words]);
		survive_attack(name);
	}
}

/* A bottom-level structure with the memory of a top-level one, and one that a query traces */
static void test_levels(void)
{
	const struct ray_structure *world = &test.world.structure, *soup = &test.soup.structure;
	const size_t size = world->size < soup->size ? world->size : soup->size;
	void *kept = malloc(size);

	memcpy(kept, soup->map, size);
	memcpy(soup->map, world->map, size);
	traces(world);
	if (!test.lost)
		memcpy(soup->map, kept, size);
	free(kept);
	replace_lost();
	traces(&test.soup.structure);
	survive_attack("levels that are exchanged");
}

/* Wild addresses */

/* Builds a structure of the scene's instances, most of which have @reference, and traces. */
static void trace_reference(uint64_t reference)
{
	const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = INSTANCES };
	VkAccelerationStructureInstanceKHR instances[INSTANCES];
	VkAccelerationStructureGeometryKHR geometry;
	const struct ray_build build = { RAY_TOP, 0, 1, &geometry, &range };
	struct ray_structure structure;
	struct ray_buffer data, scratch;
	VkCommandBuffer cmd;

	memcpy(instances, test.world.instances, sizeof(instances));
	for (uint32_t i = 0; i < INSTANCES; i++)
		if (i % 3)
			instances[i].accelerationStructureReference = reference;
	data = ray_buffer_of(instances, sizeof(instances));
	geometry = ray_instances(&data);
	structure = ray_structure_new(&build);
	scratch = ray_buffer_new(ray_sizes(&build).buildScratchSize);
	cmd = vk_begin();
	ray_record(cmd, &build, NULL, &structure, &scratch);
	if (survives(cmd))
		traces(&structure);
	ray_buffer_del(&scratch);
	ray_structure_del(&structure);
	ray_buffer_del(&data);
	replace_lost();
}

static void test_references(void)
{
	struct ray_structure destroyed;

	for (size_t i = 0; i < WILD; i++)
		trace_reference(wild_addresses[i]);
	survive_attack("instances of structures at wild addresses");
	trace_reference(test.world.structure.address);
	trace_reference(test.soup.structure.address + 32);
	trace_reference(test.tracer.hits.address);
	survive_attack("instances of addresses that are no bottom-level structures");
	destroyed = ray_structure_sized(RAY_BOTTOM, 65536);
	ray_structure_del(&destroyed);
	trace_reference(destroyed.address);
	survive_attack("instances of a destroyed structure");
}

/* Builds a bottom-level structure of inputs, into scratch memory or a wild address, and traces. */
static void trace_build(const VkAccelerationStructureGeometryKHR *geometry, uint32_t count,
			uint64_t scratch_address)
{
	const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = count };
	const struct ray_build build = { RAY_BOTTOM, 0, 1, geometry, &range };
	struct ray_soup soup = { 0 };
	struct ray_world world = { 0 };
	struct ray_buffer scratch;
	VkCommandBuffer cmd;

	soup.structure = ray_structure_new(&build);
	scratch = ray_buffer_new(ray_sizes(&build).buildScratchSize);
	if (scratch_address)
		scratch.address = scratch_address;
	cmd = vk_begin();
	ray_record(cmd, &build, NULL, &soup.structure, &scratch);
	if (survives(cmd)) {
		ray_world_add(&world, &soup);
		ray_world_build(&world, 0);
		traces(&world.structure);
		ray_world_del(&world);
	}
	ray_buffer_del(&scratch);
	ray_structure_del(&soup.structure);
}

/* The triangles of the scene, which has another device after a loss. */
static VkAccelerationStructureGeometryKHR fine_triangles(void)
{
	replace_lost();
	return ray_triangles(&test.soup.geometries[0].data, 0);
}

static void test_inputs(void)
{
	VkAccelerationStructureGeometryKHR geometry;

	for (size_t i = 0; i < WILD; i++) {
		geometry = fine_triangles();
		geometry.geometry.triangles.vertexData.deviceAddress = wild_addresses[i] & ~3ull;
		trace_build(&geometry, TRIANGLES, 0);
		geometry = fine_triangles();
		geometry.geometry.triangles.transformData.deviceAddress =
			wild_addresses[i] & ~15ull;
		trace_build(&geometry, TRIANGLES, 0);
	}
	survive_attack("builds with vertices and transforms at wild addresses");
	geometry = fine_triangles();
	geometry.geometry.triangles.indexType = VK_INDEX_TYPE_UINT32;
	geometry.geometry.triangles.indexData.deviceAddress = wild_addresses[0];
	trace_build(&geometry, 1000, 0);
	survive_attack("builds with indices at a wild address");
	geometry = fine_triangles();
	trace_build(&geometry, 5000, 0);
	survive_attack("builds beyond the vertices");
	for (size_t i = 0; i < WILD; i++) {
		geometry = fine_triangles();
		trace_build(&geometry, TRIANGLES, wild_addresses[i] & ~255ull);
	}
	survive_attack("builds with scratch memory at wild addresses");
}

static void test_indices(void)
{
	struct ray_buffer indices = ray_buffer_new(3000 * 4);
	VkAccelerationStructureGeometryKHR geometry = fine_triangles();

	for (uint32_t i = 0; i < 3000; i++)
		((uint32_t *)indices.map)[i] = ray_random();
	geometry.geometry.triangles.indexType = VK_INDEX_TYPE_UINT32;
	geometry.geometry.triangles.indexData.deviceAddress = indices.address;
	trace_build(&geometry, 1000, 0);
	ray_buffer_del(&indices);
	survive_attack("builds with random indices");
}

/* Random floats, among them infinities and NaNs: no address depends on them. */
static void test_numbers(void)
{
	const int rounds = tap_rounds(4, 20);
	bool lost = false;

	for (int round = 0; round < rounds && !lost; round++) {
		const struct ray_buffer data = ray_buffer_new(9 * TRIANGLES * 4);
		VkAccelerationStructureGeometryKHR geometry;

		for (uint32_t i = 0; i < 9 * TRIANGLES; i++)
			((uint32_t *)data.map)[i] = ray_random() % 8 ? ray_random() :
						    ray_random() % 2 ? 0x7f800000 : 0xff800001;
		geometry = ray_triangles(&data, 0);
		trace_build(&geometry, TRIANGLES, 0);
		geometry = ray_boxes(&data, 0);
		if (!test.lost)
			trace_build(&geometry, TRIANGLES, 0);
		ray_buffer_del(&data);
		lost = test.lost;
	}
	tap(!lost, "vertices and boxes of random numbers do not lose the device");
	replace_lost();
}

/* Copies of overwritten memory */

static void clone_and_serialize(const struct ray_structure *to, const struct ray_buffer *memory)
{
	const VkCopyAccelerationStructureInfoKHR clone = {
		.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
		.src = test.world.structure.handle, .dst = to->handle,
		.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR,
	};
	const VkCopyAccelerationStructureToMemoryInfoKHR serialize = {
		.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
		.src = test.world.structure.handle, .dst.deviceAddress = memory->address,
		.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR,
	};
	VkCommandBuffer cmd = vk_begin();

	VK_FUNCTION(vkCmdCopyAccelerationStructureKHR)(cmd, &clone);
	vk_barrier(cmd);
	VK_FUNCTION(vkCmdCopyAccelerationStructureToMemoryKHR)(cmd, &serialize);
	vk_barrier(cmd);
	survives(cmd);
}

static void deserialize(const struct ray_structure *to, const struct ray_buffer *memory)
{
	const VkCopyMemoryToAccelerationStructureInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
		.src.deviceAddress = memory->address, .dst = to->handle,
		.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR,
	};
	VkCommandBuffer cmd = vk_begin();

	VK_FUNCTION(vkCmdCopyMemoryToAccelerationStructureKHR)(cmd, &info);
	vk_barrier(cmd);
	survives(cmd);
}

static void test_copies(void)
{
	for (int round = 0; round < 2 * WORDS; round += tap_rounds(WORDS, 1)) {
		const size_t size = test.world.structure.size;
		const struct ray_structure to = ray_structure_sized(RAY_TOP, size);
		const struct ray_buffer memory = ray_buffer_new(size + 4096);
		void *kept = malloc(size);

		if (round < WORDS) {
			memcpy(kept, test.world.structure.map, size);
			overwrite(&test.world.structure, round, 0);
			clone_and_serialize(&to, &memory);
			memcpy(test.world.structure.map, kept, size);
		} else {
			for (uint32_t i = 0; i < memory.size / 4; i++)
				((uint32_t *)memory.map)[i] = word_of(round - WORDS);
			deserialize(&to, &memory);
		}
		free(kept);
		ray_buffer_del(&memory);
		ray_structure_del(&to);
		replace_lost();
	}
	survive_attack("copies of overwritten structures and of random serialized ones");
}

/* Another process */

/* Traces until @until can be read. */
static int trace_on(int until)
{
	bool ok = true;
	fd_set fds;
	struct timeval pause;

	begin_device(false);
	do {
		ok &= is_right();
		FD_ZERO(&fds);
		FD_SET(until, &fds);
		pause = (struct timeval){ 0, 500000 };
	} while (!select(until + 1, &fds, NULL, NULL, &pause));
	end_device();
	return !ok;
}

static pid_t start_neighbour(int *until)
{
	int end[2];
	pid_t child;

	fflush(stdout);
	if (pipe(end))
		exit(1);
	child = fork();
	if (!child) {
		close(end[1]);
		/* Its comments would be among those of the parent. */
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		_exit(trace_on(end[0]));
	}
	close(end[0]);
	*until = end[1];
	return child;
}

static bool neighbour_was_well(pid_t child, int until)
{
	int status;

	close(until);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool is_sundog(void)
{
	bool is;

	if (!ray_open())
		return false;
	is = ray_is_sundog();
	if (!is)
		tap(true, "overwritten structures # SKIP it is not sundog");
	vk_close();
	return is;
}

int main(void)
{
	pid_t neighbour;
	int until;

	if (!is_sundog())
		return 0;
	neighbour = start_neighbour(&until);
	begin_device(false);
	test_numbers();
	test_levels();
	test_references();
	test_inputs();
	test_indices();
	test_copies();
	test_words(HEADER);
	test_words(0);
	end_device();
	begin_device(true);
	test_words(HEADER);
	test_words(0);
	end_device();
	tap(neighbour_was_well(neighbour, until),
	    "the device of another process traces all the time");
	return tap_failures() != 0;
}
