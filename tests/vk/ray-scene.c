// SPDX-License-Identifier: MIT
/*
 * Acceleration structures, scenes and the tracing shader of the tests of rays; see ray-scene.h.
 */
#include "ray-scene.h"

#include <string.h>

#include "vk-ray-scene-shaders.h"

#define ALIGNMENT 256		/* of structures and of serialized ones */
#define GROUP 64		/* invocations of a group of vk-rays.comp */

struct rays rays = {
	.structures = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
		.pNext = &rays.queries,
	},
	.queries = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
		.pNext = &rays.addresses,
	},
	.addresses = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
	},
	.positions = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_POSITION_FETCH_FEATURES_KHR,
	},
	.maintenance = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MAINTENANCE_1_FEATURES_KHR,
	},
	.robustness = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
	},
	.indexing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
	},
	.conditions = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
	},
	.mesh = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
	},
	.maintenance4 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES,
	},
	.float_controls = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES_KHR,
	},
	.limits = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR,
	},
};

static void *const features[] = {
	&rays.addresses, &rays.positions, &rays.maintenance, &rays.robustness, &rays.indexing,
	&rays.conditions, &rays.mesh, &rays.maintenance4, &rays.float_controls,
};

static const char *const extensions[] = {
	VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
	VK_KHR_RAY_QUERY_EXTENSION_NAME,
	VK_KHR_RAY_TRACING_POSITION_FETCH_EXTENSION_NAME,
	VK_KHR_RAY_TRACING_MAINTENANCE_1_EXTENSION_NAME,
	VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
	VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
	VK_KHR_SPIRV_1_4_EXTENSION_NAME,
	VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
	VK_KHR_SHADER_FLOAT_CONTROLS_2_EXTENSION_NAME,
	VK_KHR_MAINTENANCE_4_EXTENSION_NAME,
	VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
	VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME,
	VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
	VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
	VK_EXT_MESH_SHADER_EXTENSION_NAME,
	NULL,
};

/* Opening */

static bool has_ray_queries(void)
{
	return vk_has(VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME) &&
	       vk_has(VK_KHR_RAY_QUERY_EXTENSION_NAME) && rays.structures.accelerationStructure &&
	       rays.queries.rayQuery && rays.addresses.bufferDeviceAddress;
}

bool ray_open(void)
{
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &rays.limits,
	};

	for (size_t i = 0; i + 1 < sizeof(features) / sizeof(features[0]); i++)
		((VkBaseOutStructure *)features[i])->pNext = features[i + 1];
	vk.features = &rays.structures;
	vk.wishes = extensions;
	vk_open();
	if (!has_ray_queries()) {
		tap(true, "ray queries # SKIP there is no VK_KHR_ray_query");
		vk_close();
		return false;
	}
	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	rays.address_of = VK_FUNCTION(vkGetBufferDeviceAddressKHR);
	rays.create = VK_FUNCTION(vkCreateAccelerationStructureKHR);
	rays.destroy = VK_FUNCTION(vkDestroyAccelerationStructureKHR);
	rays.sizes_of = VK_FUNCTION(vkGetAccelerationStructureBuildSizesKHR);
	rays.structure_address = VK_FUNCTION(vkGetAccelerationStructureDeviceAddressKHR);
	rays.build = VK_FUNCTION(vkCmdBuildAccelerationStructuresKHR);
	return true;
}

bool ray_is_sundog(void)
{
	return strstr(vk.properties.deviceName, "sundog");
}

/* Buffers */

static VkDeviceMemory memory_new(VkBuffer buffer)
{
	const VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				      .pNext = &flags };
	VkMemoryRequirements needs;
	VkDeviceMemory memory;

	vkGetBufferMemoryRequirements(vk.device, buffer, &needs);
	info.allocationSize = needs.size;
	info.memoryTypeIndex = vk_memory_type(needs.memoryTypeBits);
	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	return memory;
}

struct ray_buffer ray_buffer_new(VkDeviceSize size)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size + 2 * ALIGNMENT,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
			 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
			 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
			 VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
			 VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR,
	};
	VkBufferDeviceAddressInfo ask = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
	struct ray_buffer b = { .size = size };
	VkDeviceAddress first;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &b.whole.buffer));
	b.whole.size = info.size;
	b.whole.memory = memory_new(b.whole.buffer);
	VK_CHECK(vkBindBufferMemory(vk.device, b.whole.buffer, b.whole.memory, 0));
	VK_CHECK(vkMapMemory(vk.device, b.whole.memory, 0, VK_WHOLE_SIZE, 0, &b.whole.map));
	memset(b.whole.map, 0, info.size);
	ask.buffer = b.whole.buffer;
	first = rays.address_of(vk.device, &ask);
	b.address = (first + ALIGNMENT - 1) & ~(VkDeviceAddress)(ALIGNMENT - 1);
	b.offset = b.address - first;
	b.map = (char *)b.whole.map + b.offset;
	return b;
}

struct ray_buffer ray_buffer_of(const void *data, VkDeviceSize size)
{
	const struct ray_buffer b = ray_buffer_new(size);

	if (size)
		memcpy(b.map, data, size);
	return b;
}

void ray_buffer_del(const struct ray_buffer *b)
{
	vk_buffer_del(&b->whole);
}

/* Structures */

VkAccelerationStructureBuildGeometryInfoKHR
ray_build_info(const struct ray_build *build, const struct ray_structure *from,
	       const struct ray_structure *to, const struct ray_buffer *scratch)
{
	return (VkAccelerationStructureBuildGeometryInfoKHR){
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
		.type = build->type,
		.flags = build->flags,
		.mode = from ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR :
			       VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
		.srcAccelerationStructure = from ? from->handle : VK_NULL_HANDLE,
		.dstAccelerationStructure = to ? to->handle : VK_NULL_HANDLE,
		.geometryCount = build->count,
		.pGeometries = build->geometries,
		.scratchData.deviceAddress = scratch ? scratch->address : 0,
	};
}

VkAccelerationStructureBuildSizesInfoKHR ray_sizes(const struct ray_build *build)
{
	const VkAccelerationStructureBuildGeometryInfoKHR info =
		ray_build_info(build, NULL, NULL, NULL);
	VkAccelerationStructureBuildSizesInfoKHR sizes = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR };
	uint32_t counts[RAY_GEOMETRIES];

	for (uint32_t i = 0; i < build->count; i++)
		counts[i] = build->ranges[i].primitiveCount;
	rays.sizes_of(vk.device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info, counts,
		      &sizes);
	return sizes;
}

struct ray_structure ray_structure_sized(VkAccelerationStructureTypeKHR type, VkDeviceSize size)
{
	struct ray_structure s = { .size = size, .memory = ray_buffer_new(size + ALIGNMENT) };
	VkAccelerationStructureDeviceAddressInfoKHR ask = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR };
	const VkAccelerationStructureCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
		.buffer = s.memory.whole.buffer,
		.offset = ALIGNMENT,
		.size = size,
		.type = type,
	};

	VK_CHECK(rays.create(vk.device, &info, NULL, &s.handle));
	ask.accelerationStructure = s.handle;
	s.address = rays.structure_address(vk.device, &ask);
	s.map = (char *)s.memory.whole.map + ALIGNMENT;
	return s;
}

struct ray_structure ray_structure_new(const struct ray_build *build)
{
	return ray_structure_sized(build->type, ray_sizes(build).accelerationStructureSize);
}

void ray_structure_del(const struct ray_structure *s)
{
	rays.destroy(vk.device, s->handle, NULL);
	ray_buffer_del(&s->memory);
}

void ray_record(VkCommandBuffer cmd, const struct ray_build *build,
		const struct ray_structure *from, const struct ray_structure *to,
		const struct ray_buffer *scratch)
{
	const VkAccelerationStructureBuildGeometryInfoKHR info =
		ray_build_info(build, from, to, scratch);

	vk_barrier(cmd);
	rays.build(cmd, 1, &info, &build->ranges);
	vk_barrier(cmd);
}

void ray_build(const struct ray_build *build, const struct ray_structure *from,
	       const struct ray_structure *to)
{
	const VkAccelerationStructureBuildSizesInfoKHR sizes = ray_sizes(build);
	const struct ray_buffer scratch =
		ray_buffer_new(from ? sizes.updateScratchSize : sizes.buildScratchSize);
	VkCommandBuffer cmd = vk_begin();

	ray_record(cmd, build, from, to, &scratch);
	vk_run(cmd);
	ray_buffer_del(&scratch);
}

/* Geometries */

VkAccelerationStructureGeometryKHR ray_triangles(const struct ray_buffer *vertices,
						 VkGeometryFlagsKHR flags)
{
	const uint32_t count = vertices->size / 12;

	return (VkAccelerationStructureGeometryKHR){
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
		.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
		.geometry.triangles = {
			.sType =
			VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
			.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
			.vertexData.deviceAddress = vertices->address,
			.vertexStride = 12,
			.maxVertex = count ? count - 1 : 0,
			.indexType = VK_INDEX_TYPE_NONE_KHR,
		},
		.flags = flags,
	};
}

VkAccelerationStructureGeometryKHR ray_boxes(const struct ray_buffer *boxes,
					     VkGeometryFlagsKHR flags)
{
	return (VkAccelerationStructureGeometryKHR){
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
		.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
		.geometry.aabbs = {
			.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
			.data.deviceAddress = boxes->address,
			.stride = sizeof(VkAabbPositionsKHR),
		},
		.flags = flags,
	};
}

VkAccelerationStructureGeometryKHR ray_instances(const struct ray_buffer *instances)
{
	return (VkAccelerationStructureGeometryKHR){
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
		.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
		.geometry.instances = {
			.sType =
			VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
			.data.deviceAddress = instances->address,
		},
	};
}

/* Scenes */

static void add_geometry(struct ray_soup *soup, VkGeometryTypeKHR type, const void *data,
			 uint32_t primitives, size_t size, VkGeometryFlagsKHR flags)
{
	soup->geometries[soup->count++] = (struct ray_geometry){
		type, primitives, flags, ray_buffer_of(data, primitives * size),
	};
}

void ray_soup_triangles(struct ray_soup *soup, const float (*corners)[3], uint32_t triangles,
			VkGeometryFlagsKHR flags)
{
	add_geometry(soup, VK_GEOMETRY_TYPE_TRIANGLES_KHR, corners, triangles,
		     3 * sizeof(corners[0]), flags);
}

void ray_soup_boxes(struct ray_soup *soup, const VkAabbPositionsKHR *boxes, uint32_t count,
		    VkGeometryFlagsKHR flags)
{
	add_geometry(soup, VK_GEOMETRY_TYPE_AABBS_KHR, boxes, count, sizeof(boxes[0]), flags);
}

void ray_soup_build(struct ray_soup *soup, VkBuildAccelerationStructureFlagsKHR flags)
{
	VkAccelerationStructureGeometryKHR geometries[RAY_GEOMETRIES];
	VkAccelerationStructureBuildRangeInfoKHR ranges[RAY_GEOMETRIES] = { 0 };
	const struct ray_build build = {
		RAY_BOTTOM, flags, soup->count, geometries,
		ranges,
	};

	for (uint32_t i = 0; i < soup->count; i++) {
		const struct ray_geometry *g = &soup->geometries[i];

		geometries[i] = g->type == VK_GEOMETRY_TYPE_AABBS_KHR ?
					ray_boxes(&g->data, g->flags) :
					ray_triangles(&g->data, g->flags);
		ranges[i].primitiveCount = g->primitives;
	}
	soup->structure = ray_structure_new(&build);
	ray_build(&build, NULL, &soup->structure);
}

void ray_soup_del(struct ray_soup *soup)
{
	ray_structure_del(&soup->structure);
	for (uint32_t i = 0; i < soup->count; i++)
		ray_buffer_del(&soup->geometries[i].data);
	memset(soup, 0, sizeof(*soup));
}

VkAccelerationStructureInstanceKHR *ray_world_add(struct ray_world *world,
						  const struct ray_soup *soup)
{
	VkAccelerationStructureInstanceKHR *instance = &world->instances[world->count];

	*instance = (VkAccelerationStructureInstanceKHR){
		.transform = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
		.mask = 0xff,
		.accelerationStructureReference = soup ? soup->structure.address : 0,
	};
	world->soups[world->count++] = soup;
	return instance;
}

void ray_world_build(struct ray_world *world, VkBuildAccelerationStructureFlagsKHR flags)
{
	const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = world->count };
	VkAccelerationStructureGeometryKHR geometry;
	const struct ray_build build = { RAY_TOP, flags, 1,
					 &geometry, &range };

	world->data = ray_buffer_of(world->instances, world->count * sizeof(world->instances[0]));
	geometry = ray_instances(&world->data);
	world->structure = ray_structure_new(&build);
	ray_build(&build, NULL, &world->structure);
}

void ray_world_del(struct ray_world *world)
{
	ray_structure_del(&world->structure);
	ray_buffer_del(&world->data);
	memset(world, 0, sizeof(*world));
}

/* Tracing */

struct ray ray_from(float x, float y, float z, float dx, float dy, float dz)
{
	return (struct ray){ .origin = { x, y, z }, .direction = { dx, dy, dz }, .tmax = 1000,
			     .mask = 0xff };
}

struct ray_tracer ray_tracer_new(uint32_t most, enum ray_form form)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	struct ray_tracer t = { .most = most };
	VkWriteDescriptorSet write;

	t.rays = ray_buffer_new(most * sizeof(struct ray));
	t.hits = ray_buffer_new(most * sizeof(struct ray_hit));
	t.set = vk_set_new(bindings, 3);
	for (uint32_t i = 1; i < 3; i++) {
		const struct ray_buffer *b = i == 1 ? &t.rays : &t.hits;
		const VkDescriptorBufferInfo info = { b->whole.buffer, b->offset, b->size };

		write = vk_write_of(t.set.set, i, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
		write.pBufferInfo = &info;
		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	}
	t.layout = vk_layout_new(&t.set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 16);
	if (form == RAY_POSITIONS)
		t.pipeline = vk_compute_new(t.layout, VK_CODE(rays_positions));
	else if (form == RAY_ADDRESS)
		t.pipeline = vk_compute_new(t.layout, VK_CODE(rays_address));
	else
		t.pipeline = vk_compute_new(t.layout, VK_CODE(rays_plain));
	return t;
}

void ray_tracer_del(const struct ray_tracer *t)
{
	vkDestroyPipeline(vk.device, t->pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, t->layout, NULL);
	vk_set_del(&t->set);
	ray_buffer_del(&t->hits);
	ray_buffer_del(&t->rays);
}

void ray_tracer_set(const struct ray_tracer *t, VkAccelerationStructureKHR structure)
{
	const VkWriteDescriptorSetAccelerationStructureKHR structures = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
		.accelerationStructureCount = 1,
		.pAccelerationStructures = &structure,
	};
	VkWriteDescriptorSet write =
		vk_write_of(t->set.set, 0, 1, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR);

	write.pNext = &structures;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

void ray_tracer_record(VkCommandBuffer cmd, const struct ray_tracer *t, uint32_t count,
		       VkDeviceAddress address)
{
	const struct {
		uint32_t count, unused;
		uint64_t address;
	} push = { count, 0, address };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, t->pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, t->layout, 0, 1, &t->set.set,
				0, NULL);
	vkCmdPushConstants(cmd, t->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
	vkCmdDispatch(cmd, (count + GROUP - 1) / GROUP, 1, 1);
	vk_barrier(cmd);
}

const struct ray_hit *ray_trace(const struct ray_tracer *t, const struct ray_structure *structure,
				const struct ray *list, uint32_t count)
{
	VkCommandBuffer cmd;

	memcpy(t->rays.map, list, count * sizeof(*list));
	memset(t->hits.map, 0, t->hits.size);
	if (structure)
		ray_tracer_set(t, structure->handle);
	cmd = vk_begin();
	ray_tracer_record(cmd, t, count, structure ? structure->address : 0);
	vk_run(cmd);
	return t->hits.map;
}

struct ray_hit ray_trace_one(const struct ray_tracer *t, const struct ray_structure *structure,
			     struct ray ray)
{
	return *ray_trace(t, structure, &ray, 1);
}
