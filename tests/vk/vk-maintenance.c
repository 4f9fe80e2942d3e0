// SPDX-License-Identifier: MIT
/*
 * Vulkan: VK_KHR_maintenance5 with the extensions of its time, and VK_KHR_maintenance6: other forms
 * of existing commands, and relaxed rules. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-maintenance-shaders.h"

#define SIDE 16
#define LAYERS 3
#define SIZE (SIDE * SIDE * 4)
#define FILLED 0x80808080u
#define GREEN 0xff00ff00u
#define INDEX_AT 8		/* offset of the indices in bytes */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
static const VkClearColorValue fill = { .float32 = { 0x80 / 255.0f, 0x80 / 255.0f, 0x80 / 255.0f,
						     0x80 / 255.0f } };

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
};
static VkPhysicalDevicePipelineCreationCacheControlFeatures cache_control = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
	.pNext = &rendering,
};
static VkPhysicalDevicePipelineRobustnessFeaturesEXT robustness = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT,
	.pNext = &cache_control,
};
static VkPhysicalDeviceGlobalPriorityQueryFeaturesKHR priorities = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GLOBAL_PRIORITY_QUERY_FEATURES_KHR,
	.pNext = &robustness,
};
static VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR, .pNext = &priorities,
};

static VkPhysicalDeviceRobustness2FeaturesEXT robustness2 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
	.pNext = &maintenance5,
};
static VkPhysicalDeviceMaintenance6FeaturesKHR maintenance6 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR,
	.pNext = &robustness2,
};

static void test_features(void)
{
	tap(maintenance6.maintenance6 && robustness2.nullDescriptor && maintenance5.maintenance5 &&
		    priorities.globalPriorityQuery && robustness.pipelineRobustness,
	    "the features of the extensions are there");
}

/* Memory */

static void test_map(void)
{
	const struct vk_buffer b = vk_buffer_new(4096, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	const VkMemoryMapInfoKHR map = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_MAP_INFO_KHR,
		.memory = b.memory,
		.offset = 256,
		.size = 64,
	};
	const VkMemoryUnmapInfoKHR unmap = { .sType = VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO_KHR,
					     .memory = b.memory };
	void *part;

	memcpy((char *)b.map + 256, "as it was", 10);
	vkUnmapMemory(vk.device, b.memory);
	VK_CHECK(VK_FUNCTION(vkMapMemory2KHR)(vk.device, &map, &part));
	tap(!strcmp(part, "as it was"), "memory is mapped in the second way, from where one says");
	tap(VK_FUNCTION(vkUnmapMemory2KHR)(vk.device, &unmap) == VK_SUCCESS, "and unmapped");
	vk_buffer_del(&b);
}

static bool same_layout(const VkSubresourceLayout *a, const VkSubresourceLayout *b)
{
	return a->offset == b->offset && a->size == b->size && a->rowPitch == b->rowPitch &&
	       a->depthPitch == b->depthPitch;
}

static void test_layouts(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { 37, 11, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.tiling = VK_IMAGE_TILING_LINEAR,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	const VkImageSubresource2KHR which = {
		VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_KHR,
		NULL,
		{ VK_IMAGE_ASPECT_COLOR_BIT, 0, 0 },
	};
	const VkDeviceImageSubresourceInfoKHR of = {
		VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO_KHR, NULL, &info, &which,
	};
	VkSubresourceLayout2KHR second = { .sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_KHR },
				third = second;
	VkSubresourceLayout first;
	VkImage image;

	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &image));
	vkGetImageSubresourceLayout(vk.device, image, &which.imageSubresource, &first);
	VK_FUNCTION(vkGetImageSubresourceLayout2KHR)(vk.device, image, &which, &second);
	VK_FUNCTION(vkGetDeviceImageSubresourceLayoutKHR)(vk.device, &of, &third);
	tap(first.rowPitch >= 37 * 4 && same_layout(&first, &second.subresourceLayout),
	    "an image's layout is the same in the second way");
	tap(same_layout(&first, &third.subresourceLayout), "and before there is an image");
	vkDestroyImage(vk.device, image, NULL);
}

/* Drawing */

static struct {
	struct vk_image image;
	VkImageView view;
	struct vk_buffer vertices, out;
	VkPipelineLayout layout;
	VkPipeline pipeline;
} test;

/* Creates a pipeline from code without modules, with 64-bit flags. */
static VkResult make_pipeline(VkPipelineCreateFlags2KHR flags, VkPipeline *pipeline)
{
	const VkShaderModuleCreateInfo vertex_code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof(points_vert),
		.pCode = points_vert,
	};
	const VkShaderModuleCreateInfo fragment_code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof(green_frag),
		.pCode = green_frag,
	};
	const VkVertexInputBindingDescription binding = { 0, 8, VK_VERTEX_INPUT_RATE_VERTEX };
	const VkVertexInputAttributeDescription attribute = { 0, 0, VK_FORMAT_R32G32_SFLOAT, 0 };
	const VkPipelineRobustnessCreateInfoEXT robust = {
		VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT, NULL,
		VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT,
		VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT,
		VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT,
		VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED_EXT,
	};
	const VkPipelineCreateFlags2CreateInfoKHR flags2 = {
		VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, &robust, flags,
	};
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_NULL_HANDLE);
	p.stages[0].pNext = &vertex_code;
	vk_pipeline_stage(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_NULL_HANDLE);
	p.stages[1].pNext = &fragment_code;
	vk_pipeline_formats(&p, format, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	p.rendering.pNext = &flags2;
	vk_pipeline_inputs(&p, &binding, 1, &attribute, 1);
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	return vk_pipeline_try(&p, pipeline);
}

static void bind_vertices(void)
{
	VkResult result = VK_ERROR_UNKNOWN;
	const VkBindMemoryStatusKHR status = { VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR, NULL,
					       &result };
	const VkBindBufferMemoryInfo bind = {
		VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
		&status,
		test.vertices.buffer,
		test.vertices.memory,
		0,
	};

	VK_CHECK(vkBindBufferMemory2(vk.device, 1, &bind));
	tap(result == VK_SUCCESS, "a buffer tells how binding it went");
}

/* Vertices in the centers of pixels (i, i), and indices of some of them. */
static void make_vertices(void)
{
	const VkBufferUsageFlags2CreateInfoKHR usage = {
		VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR, NULL,
		VK_BUFFER_USAGE_2_VERTEX_BUFFER_BIT_KHR | VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR,
	};
	const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
					  .pNext = &usage,
					  .size = 1024 };
	static const uint16_t indices[] = { 7, 1, 3, 5 };
	VkMemoryRequirements needs;
	VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
	float *places;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &test.vertices.buffer));
	vkGetBufferMemoryRequirements(vk.device, test.vertices.buffer, &needs);
	memory.allocationSize = needs.size;
	memory.memoryTypeIndex = vk_memory_type(needs.memoryTypeBits);
	VK_CHECK(vkAllocateMemory(vk.device, &memory, NULL, &test.vertices.memory));
	bind_vertices();
	VK_CHECK(vkMapMemory(vk.device, test.vertices.memory, 0, VK_WHOLE_SIZE, 0,
			     &test.vertices.map));
	memcpy((char *)test.vertices.map + INDEX_AT, indices, sizeof(indices));
	places = (float *)((char *)test.vertices.map + 256);
	for (int i = 0; i < SIDE; i++)
		places[2 * i] = places[2 * i + 1] = (i + 0.5f) * 2 / SIDE - 1;
}

static void make_things(void)
{
	test.image = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.out = vk_buffer_new(SIZE * LAYERS, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	make_vertices();
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	VK_CHECK(make_pipeline(0, &test.pipeline));
}

static void delete_things(void)
{
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.image);
	vk_buffer_del(&test.vertices);
	vk_buffer_del(&test.out);
}

static void begin_rendering(VkCommandBuffer cmd, VkAttachmentLoadOp load, VkAttachmentStoreOp store)
{
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.view,
		.imageLayout = general,
		.loadOp = load,
		.storeOp = store,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = 1,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
	};

	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
}

static const uint32_t *read_image(VkCommandBuffer cmd)
{
	vk_image_read(cmd, &test.image, SIDE, &test.out);
	vk_run(cmd);
	return test.out.map;
}

/* Returns true if just pixels 1, 3 and 5 of the diagonal are green. */
static bool points_are_right(const uint32_t *pixels)
{
	bool ok = true;

	for (int i = 0; i < SIDE * SIDE; i++) {
		const int x = i % SIDE, y = i / SIDE;

		ok &= pixels[i] == (x == y && (x == 1 || x == 3 || x == 5) ? GREEN : FILLED);
	}
	return ok;
}

static void test_points(void)
{
	const VkDeviceSize places = 256, whole = VK_WHOLE_SIZE, index_size = 2;
	VkCommandBuffer cmd;

	vk_image_fill(&test.image, &fill);
	cmd = vk_begin();
	begin_rendering(cmd, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.pipeline);
	VK_FUNCTION(vkCmdBindVertexBuffers2EXT)
	(cmd, 0, 1, &test.vertices.buffer, &places, &whole, NULL);
	VK_FUNCTION(vkCmdBindIndexBuffer2KHR)
	(cmd, test.vertices.buffer, INDEX_AT, 4 * index_size, VK_INDEX_TYPE_UINT16);
	vkCmdDrawIndexed(cmd, 3, 1, 1, 0, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	tap(points_are_right(read_image(cmd)),
	    "points without a size are a pixel each: of buffers bound by range and as a "
	    "whole, of shaders without a module");
}

/*
 * Without an index buffer all indices are zero: each one is the vertex at the vertex offset, for
 * any number of indices
 */

#define MANY 5000

static bool pixel_is(const uint32_t *pixels, int which)
{
	bool ok = true;

	for (int i = 0; i < SIDE * SIDE; i++)
		ok &= pixels[i] == (i % SIDE == which && i / SIDE == which ? GREEN : FILLED);
	return ok;
}

static void begin_null_indices(VkCommandBuffer cmd, VkQueryPool queries)
{
	const VkDeviceSize places = 256;

	vkCmdResetQueryPool(cmd, queries, 0, 1);
	begin_rendering(cmd, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.pipeline);
	vkCmdBindVertexBuffers(cmd, 0, 1, &test.vertices.buffer, &places);
	/* An index buffer that was bound earlier must have no effect. */
	vkCmdBindIndexBuffer(cmd, test.vertices.buffer, INDEX_AT, VK_INDEX_TYPE_UINT16);
	vkCmdBindIndexBuffer(cmd, VK_NULL_HANDLE, 0, VK_INDEX_TYPE_UINT16);
	vkCmdBeginQuery(cmd, queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
}

/* Returns the number of points that were drawn. */
static uint32_t end_null_indices(VkCommandBuffer cmd, VkQueryPool queries, const uint32_t **pixels)
{
	uint32_t count = 0;

	vkCmdEndQuery(cmd, queries, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	*pixels = read_image(cmd);
	VK_CHECK(vkGetQueryPoolResults(vk.device, queries, 0, 1, sizeof(count), &count,
				       sizeof(count), VK_QUERY_RESULT_WAIT_BIT));
	return count;
}

static void test_null_indices(uint32_t indices)
{
	const VkQueryPool queries = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 1, 0);
	const uint32_t *pixels;
	VkCommandBuffer cmd;
	uint32_t count;

	vk_image_fill(&test.image, &fill);
	cmd = vk_begin();
	begin_null_indices(cmd, queries);
	vkCmdDrawIndexed(cmd, indices, 1, 7, 5, 0);
	count = end_null_indices(cmd, queries, &pixels);
	tap(pixel_is(pixels, 5) && count == indices, "%u indices without a buffer are zero (%u)",
	    indices, count);
	vkDestroyQueryPool(vk.device, queries, NULL);
}

static void test_null_indices_indirect(void)
{
	const VkDrawIndexedIndirectCommand draw = { MANY, 1, 9, 3, 0 };
	const struct vk_buffer indirect =
		vk_buffer_new(sizeof(draw), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
	const VkQueryPool queries = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 1, 0);
	const uint32_t *pixels;
	VkCommandBuffer cmd;
	uint32_t count;

	memcpy(indirect.map, &draw, sizeof(draw));
	vk_image_fill(&test.image, &fill);
	cmd = vk_begin();
	begin_null_indices(cmd, queries);
	vkCmdDrawIndexedIndirect(cmd, indirect.buffer, 0, 1, sizeof(draw));
	count = end_null_indices(cmd, queries, &pixels);
	tap(pixel_is(pixels, 3) && count == MANY, "and of a draw that memory has (%u)", count);
	vkDestroyQueryPool(vk.device, queries, NULL);
	vk_buffer_del(&indirect);
}

static bool all_are(const uint32_t *pixels, uint32_t n, uint32_t color)
{
	for (uint32_t i = 0; i < n; i++)
		if (pixels[i] != color)
			return false;
	return true;
}

static void test_none(void)
{
	VkCommandBuffer cmd;

	vk_image_fill(&test.image, &fill);
	cmd = vk_begin();
	begin_rendering(cmd, VK_ATTACHMENT_LOAD_OP_NONE_KHR, VK_ATTACHMENT_STORE_OP_NONE);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	tap(all_are(read_image(cmd), SIDE * SIDE, FILLED),
	    "a rendering that neither loads nor stores leaves all as it was");
}

static void test_flags(void)
{
	VkPipeline pipeline = VK_NULL_HANDLE;
	const VkResult result = make_pipeline(
		VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_KHR, &pipeline);

	tap(result == VK_PIPELINE_COMPILE_REQUIRED ? !pipeline : result == VK_SUCCESS && pipeline,
	    "a pipeline that must not be compiled is none, or had been");
	tap(!strstr(vk.properties.deviceName, "sundog") || result == VK_PIPELINE_COMPILE_REQUIRED,
	    "by flags in 64 bits");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static void test_granularity(void)
{
	const VkRenderingAreaInfoKHR area = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_AREA_INFO_KHR, .colorAttachmentCount = 1,
		.pColorAttachmentFormats = &format,
	};
	VkExtent2D granularity = { 0 };

	VK_FUNCTION(vkGetRenderingAreaGranularityKHR)(vk.device, &area, &granularity);
	tap(granularity.width && granularity.height, "areas of renderings have a granularity");
}

/* Copies all layers from the second on, with VK_REMAINING_ARRAY_LAYERS. */
static void test_remaining_layers(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = LAYERS,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};
	const VkBufferImageCopy copy = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, VK_REMAINING_ARRAY_LAYERS },
		.imageExtent = { SIDE, SIDE, 1 },
	};
	const struct vk_image image = vk_image_new(&info);
	const uint32_t *pixels = test.out.map;
	VkCommandBuffer cmd;

	vk_image_fill(&image, &fill);
	memset(test.out.map, 0, SIZE * LAYERS);
	cmd = vk_begin();
	vkCmdCopyImageToBuffer(cmd, image.image, general, test.out.buffer, 1, &copy);
	vk_barrier(cmd);
	vk_run(cmd);
	tap(all_are(pixels, SIZE / 4 * (LAYERS - 1), FILLED) &&
		    all_are(pixels + SIZE / 4 * (LAYERS - 1), SIZE / 4, 0),
	    "copies take the remaining layers");
	vk_image_del(&image);
}

/* Global queue priorities */

static VkResult try_priority(VkQueueGlobalPriorityKHR value)
{
	const VkDeviceQueueGlobalPriorityCreateInfoKHR global = {
		VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR, NULL, value,
	};
	const char *const extension = VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME;
	const float one = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.pNext = &global,
		.queueCount = 1,
		.pQueuePriorities = &one,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = 1,
		.ppEnabledExtensionNames = &extension,
	};
	VkDevice device;
	const VkResult result = vkCreateDevice(vk.physical, &info, NULL, &device);

	if (result == VK_SUCCESS)
		vkDestroyDevice(device, NULL);
	return result;
}

#define MEDIUM VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR

static const struct {
	VkQueueGlobalPriorityKHR value;
	const char *name;
} levels[] = {
	{ VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR, "LOW" },
	{ MEDIUM, "MEDIUM" },
	{ VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR, "HIGH" },
	{ VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR, "REALTIME" },
};

static bool lists(const VkQueueFamilyGlobalPriorityPropertiesKHR *global,
		  VkQueueGlobalPriorityKHR value)
{
	for (uint32_t i = 0; i < global->priorityCount; i++)
		if (global->priorities[i] == value)
			return true;
	return false;
}

static void test_priorities(void)
{
	VkQueueFamilyGlobalPriorityPropertiesKHR global = {
		.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR,
	};
	VkQueueFamilyProperties2 family = { .sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2,
					    .pNext = &global };
	uint32_t count = 1;

	vkGetPhysicalDeviceQueueFamilyProperties2(vk.physical, &count, &family);
	tap(global.priorityCount, "queues say what priorities there are");
	for (uint32_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		const bool listed = lists(&global, levels[i].value);
		const VkResult result = try_priority(levels[i].value);

		/* VK_EXT_global_priority: the system may deny more than medium. */
		tap(listed ? result == VK_SUCCESS || (result == VK_ERROR_NOT_PERMITTED_KHR &&
						      levels[i].value > MEDIUM) :
			     result != VK_SUCCESS,
		    "priority %s %s", levels[i].name,
		    listed ? "is listed and may be had" : "is not listed and may not be had");
	}
}

static void test_robustness(void)
{
	VkPhysicalDevicePipelineRobustnessPropertiesEXT of = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_PROPERTIES_EXT,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &of
	};

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(of.defaultRobustnessStorageBuffers !=
			    VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT &&
		    of.defaultRobustnessVertexInputs !=
			    VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT &&
		    of.defaultRobustnessImages !=
			    VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DEVICE_DEFAULT_EXT,
	    "pipelines that ask for nothing are told how robust they are");
}

/* Memory budget */

static VkPhysicalDeviceMemoryBudgetPropertiesEXT budget_now(VkDeviceSize *heap)
{
	VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
	};
	VkPhysicalDeviceMemoryProperties2 memory = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget,
	};

	vkGetPhysicalDeviceMemoryProperties2(vk.physical, &memory);
	*heap = memory.memoryProperties.memoryHeaps[0].size;
	return budget;
}

static void test_budget(void)
{
	VkPhysicalDeviceMemoryBudgetPropertiesEXT before, with, after;
	struct vk_buffer b;
	VkDeviceSize heap;

	before = budget_now(&heap);
	b = vk_buffer_new(1 << 22, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	with = budget_now(&heap);
	vk_buffer_del(&b);
	after = budget_now(&heap);
	tap(with.heapBudget[0] && with.heapBudget[0] <= heap &&
		    !with.heapBudget[VK_MAX_MEMORY_HEAPS - 1],
	    "a heap has a budget, within its size");
	if (strstr(vk.properties.deviceName, "sundog"))
		tap(with.heapUsage[0] >= before.heapUsage[0] + (1 << 22) &&
			    after.heapUsage[0] == before.heapUsage[0],
		    "what is used of it is what the program allocated");
}

/* Samplers with a minimum or maximum instead of an average: samplerFilterMinmax */

static VkSampler sampler_new(VkSamplerReductionMode mode)
{
	const VkSamplerReductionModeCreateInfo reduction = {
		VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, NULL, mode,
	};

	return vk_sampler_new((VkSamplerCreateInfo){
		.pNext = &reduction, .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR,
	});
}

/* Makes an image of 2x2 texels: 0, 20, 40, 100 of 255. */
static struct vk_image corner_new(VkImageView *view)
{
	const struct vk_image image =
		vk_picture_new(VK_FORMAT_R8_UNORM, 2, VK_IMAGE_USAGE_SAMPLED_BIT, view);
	const struct vk_buffer from = vk_buffer_new(4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	const VkBufferImageCopy copy = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = { 2, 2, 1 },
	};
	VkCommandBuffer cmd = vk_begin();

	memcpy(from.map, (uint8_t[]){ 0, 20, 40, 100 }, 4);
	vkCmdCopyBufferToImage(cmd, from.buffer, image.image, general, 1, &copy);
	vk_run(cmd);
	vk_buffer_del(&from);
	return image;
}

static void write_set(const struct vk_set *set, const struct vk_buffer *result, VkImageView view,
		      const VkSampler *samplers)
{
	vk_write_buffer(set->set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, result);
	for (uint32_t i = 0; i < 3; i++)
		vk_write_image(set->set, 1, i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
			       samplers[i], view);
}

static void dispatch(const struct vk_set *set)
{
	const VkPipelineLayout layout = vk_layout_new(&set->layout, 1, 0, 0);
	const VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof(reduce_comp),
		.pCode = reduce_comp,
	};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.layout = layout,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			   .pNext = &code,
			   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			   .pName = "main" },
	};
	VkBindDescriptorSetsInfoKHR bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR,
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.descriptorSetCount = 1,
		.pDescriptorSets = &set->set,
	};
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	bind.layout = layout;
	VK_CHECK(vk_compute_try(&info, &pipeline));
	cmd = vk_begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	VK_FUNCTION(vkCmdBindDescriptorSets2KHR)(cmd, &bind);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
}

static void test_reduction(void)
{
	static const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
	};
	const VkSampler samplers[] = {
		sampler_new(VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE),
		sampler_new(VK_SAMPLER_REDUCTION_MODE_MIN),
		sampler_new(VK_SAMPLER_REDUCTION_MODE_MAX),
	};
	const struct vk_buffer result = vk_buffer_new(12, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	const struct vk_set set = vk_set_new(bindings, 2);
	const float *floats = result.map;
	VkImageView view;
	const struct vk_image corner = corner_new(&view);

	write_set(&set, &result, view, samplers);
	dispatch(&set);
	printf("# %f, %f, %f\n", floats[0] * 255, floats[1] * 255, floats[2] * 255);
	tap(floats[0] > 39.5f / 255 && floats[0] < 40.5f / 255,
	    "a sampler takes the average of four texels");
	tap(floats[1] == 0, "or the least");
	tap(floats[2] > 99.5f / 255 && floats[2] < 100.5f / 255, "or the greatest");
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&corner);
	vk_set_del(&set);
	vk_buffer_del(&result);
	for (int i = 0; i < 3; i++)
		vkDestroySampler(vk.device, samplers[i], NULL);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
		VK_KHR_MAP_MEMORY_2_EXTENSION_NAME,
		VK_KHR_LOAD_STORE_OP_NONE_EXTENSION_NAME,
		VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME,
		VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME,
		VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
		VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
		VK_EXT_SAMPLER_FILTER_MINMAX_EXTENSION_NAME,
		VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_6_EXTENSION_NAME,
	};

	vk.features = &maintenance6;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	test_features();
	test_map();
	test_layouts();
	make_things();
	test_points();
	test_null_indices(3);
	test_null_indices(MANY);
	test_null_indices_indirect();
	test_none();
	test_flags();
	test_granularity();
	test_remaining_layers();
	delete_things();
	test_priorities();
	test_robustness();
	test_budget();
	test_reduction();
	vk_close();
	return tap_failures() != 0;
}
