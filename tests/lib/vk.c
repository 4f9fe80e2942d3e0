// SPDX-License-Identifier: MIT
/*
 * Instance, device, buffers and images of the Vulkan tests, see vk.h. The first error ends a test.
 */
#include "vk.h"

#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct vk vk;

void vk_check(VkResult result, const char *what)
{
	if (result)
		errx(1, "%s: %d", what, result);
}

static void make_instance(const char *const *extensions, uint32_t n_extensions)
{
	const VkApplicationInfo app = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1 };
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
		.enabledExtensionCount = n_extensions, .ppEnabledExtensionNames = extensions,
	};
	uint32_t count = 1;

	VK_CHECK(vkCreateInstance(&info, NULL, &vk.instance));
	if (vkEnumeratePhysicalDevices(vk.instance, &count, &vk.physical) < 0 || !count)
		errx(1, "there is no device");
	vkGetPhysicalDeviceProperties(vk.physical, &vk.properties);
}

/* Clears features that the device lacks. All members of the structure are booleans. */
static void leave_out_missing(VkPhysicalDeviceFeatures *features)
{
	VkPhysicalDeviceFeatures has;

	vkGetPhysicalDeviceFeatures(vk.physical, &has);
	for (size_t i = 0; i < sizeof(has) / sizeof(VkBool32); i++)
		((VkBool32 *)features)[i] &= ((VkBool32 *)&has)[i];
}

/* Features of extensions that most tests use; each starts as VkBaseInStructure does. */
static VkPhysicalDeviceSynchronization2Features sync2 = {
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, NULL, true,
};
static VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, NULL, true,
};
static VkPhysicalDeviceHostQueryResetFeatures reset = {
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, NULL, true,
};
static VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor = {
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT, NULL, true, true,
};
static VkPhysicalDeviceExtendedDynamicStateFeaturesEXT dynamic = {
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT, NULL, true,
};
static VkPhysicalDeviceExtendedDynamicState2FeaturesEXT dynamic2 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT,
};
static VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic3 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
};
static const struct {
	const char *name;
	void *features;
} common[] = {
	{ VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME, &sync2 },
	{ VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, &timeline },
	{ VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME, &reset },
	{ VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME, &divisor },
	{ VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, &dynamic },
	{ VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME, &dynamic2 },
	{ VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, &dynamic3 },
};

bool vk_has(const char *name)
{
	VkExtensionProperties found[512];
	uint32_t count = 512;

	VK_CHECK(vkEnumerateDeviceExtensionProperties(vk.physical, NULL, &count, found));
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(found[i].extensionName, name))
			return true;
	return false;
}

#define MAX_EXTENSIONS 32

/* Creates a device with the extensions of `common` that it supports, and with all of @more. */
static void make_device(const char *const *more, uint32_t n_more)
{
	const char *extensions[MAX_EXTENSIONS];
	VkBaseOutStructure *features_of = vk.features;
	VkPhysicalDeviceFeatures2 more_features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
	uint32_t n_extensions = 0;
	/* Features that the device lacks are cleared below. */
	VkPhysicalDeviceFeatures features = {
		.dualSrcBlend = true, .imageCubeArray = true, .shaderImageGatherExtended = true,
		.samplerAnisotropy = true, .shaderStorageImageExtendedFormats = true,
		.shaderStorageImageReadWithoutFormat = true,
		.shaderStorageImageWriteWithoutFormat = true, .robustBufferAccess = true,
		.independentBlend = true, .shaderUniformBufferArrayDynamicIndexing = true,
		.shaderSampledImageArrayDynamicIndexing = true,
		.shaderStorageBufferArrayDynamicIndexing = true, .occlusionQueryPrecise = true,
		.pipelineStatisticsQuery = true, .inheritedQueries = true,
		.geometryShader = true, .tessellationShader = true, .sampleRateShading = true,
		.shaderInt16 = true, .shaderInt64 = true, .shaderFloat64 = true,
		.fragmentStoresAndAtomics = true, .depthClamp = true, .depthBiasClamp = true,
		.fillModeNonSolid = true, .wideLines = true, .largePoints = true, .logicOp = true,
		.alphaToOne = true, .vertexPipelineStoresAndAtomics = true,
		.shaderTessellationAndGeometryPointSize = true, .multiDrawIndirect = true,
		.multiViewport = true, .drawIndirectFirstInstance = true,
		.shaderClipDistance = true, .shaderCullDistance = true, .sparseBinding = true,
		.sparseResidencyBuffer = true, .sparseResidencyImage2D = true,
		.sparseResidencyImage3D = true, .sparseResidencyAliased = true,
		.shaderResourceResidency = true,
	};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pEnabledFeatures = &features,
		.queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = extensions,
	};

	for (uint32_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
		VkBaseOutStructure *features = common[i].features;

		if (!vk_has(common[i].name))
			continue;
		extensions[n_extensions++] = common[i].name;
		features->pNext = features_of;
		features_of = features;
	}
	more_features.pNext = features_of;
	vkGetPhysicalDeviceFeatures2(vk.physical, &more_features);
	if (vk_has(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME))
		extensions[n_extensions++] = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
	for (uint32_t i = 0; i < n_more; i++)
		extensions[n_extensions++] = more[i];
	for (const char *const *wish = vk.wishes; wish && *wish; wish++)
		if (vk_has(*wish))
			extensions[n_extensions++] = *wish;
	info.pNext = features_of;
	info.enabledExtensionCount = n_extensions;
	leave_out_missing(&features);
	VK_CHECK(vkCreateDevice(vk.physical, &info, NULL, &vk.device));
	vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
}

void vk_open_with(const char *const *of_instance, uint32_t n_instance,
		  const char *const *of_device, uint32_t n_device)
{
	const VkCommandPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };

	make_instance(of_instance, n_instance);
	printf("# %s\n", vk.properties.deviceName);
	make_device(of_device, n_device);
	VK_CHECK(vkCreateCommandPool(vk.device, &info, NULL, &vk.pool));
}

void vk_open(void)
{
	vk_open_with(NULL, 0, NULL, 0);
}

void vk_close(void)
{
	vkDestroyCommandPool(vk.device, vk.pool, NULL);
	vkDestroyDevice(vk.device, NULL);
	vkDestroyInstance(vk.instance, NULL);
}

uint32_t vk_memory_type(uint32_t bits)
{
	const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
					     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties memory;

	vkGetPhysicalDeviceMemoryProperties(vk.physical, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
		if (bits >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	errx(1, "there is no memory that the CPU sees");
}

static VkDeviceMemory allocate(const VkMemoryRequirements *needs)
{
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, needs->size,
		vk_memory_type(needs->memoryTypeBits),
	};
	VkDeviceMemory memory;

	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	return memory;
}

struct vk_buffer vk_buffer_new(VkDeviceSize size, VkBufferUsageFlags usage)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage };
	struct vk_buffer b = { .size = size };
	VkMemoryRequirements needs;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &b.buffer));
	vkGetBufferMemoryRequirements(vk.device, b.buffer, &needs);
	b.memory = allocate(&needs);
	VK_CHECK(vkBindBufferMemory(vk.device, b.buffer, b.memory, 0));
	VK_CHECK(vkMapMemory(vk.device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
	return b;
}

void vk_buffer_del(const struct vk_buffer *b)
{
	vkDestroyBuffer(vk.device, b->buffer, NULL);
	vkFreeMemory(vk.device, b->memory, NULL);
}

static VkImageAspectFlags aspects_of(VkFormat format)
{
	switch (format) {
	case VK_FORMAT_D16_UNORM:
	case VK_FORMAT_D32_SFLOAT:
		return VK_IMAGE_ASPECT_DEPTH_BIT;
	case VK_FORMAT_S8_UINT:
		return VK_IMAGE_ASPECT_STENCIL_BIT;
	case VK_FORMAT_D24_UNORM_S8_UINT:
	case VK_FORMAT_D32_SFLOAT_S8_UINT:
		return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
	default:
		return VK_IMAGE_ASPECT_COLOR_BIT;
	}
}

VkImageSubresourceRange vk_image_all(const struct vk_image *image)
{
	return (VkImageSubresourceRange){ image->aspects, 0, image->levels, 0, image->layers };
}

static void make_general(const struct vk_image *image)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->image, .subresourceRange = vk_image_all(image),
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	vk_run(cmd);
}

void vk_image_fill(const struct vk_image *image, const VkClearColorValue *color)
{
	const VkImageSubresourceRange all = vk_image_all(image);
	VkCommandBuffer cmd = vk_begin();

	vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, color, 1, &all);
	vk_run(cmd);
}

void vk_image_clear(const struct vk_image *image)
{
	vk_image_fill(image, &(VkClearColorValue){ .uint32 = { 0 } });
}

struct vk_image vk_image_new(const VkImageCreateInfo *info)
{
	struct vk_image image = {
		.aspects = aspects_of(info->format), .levels = info->mipLevels,
		.layers = info->arrayLayers,
	};
	VkMemoryRequirements needs;

	VK_CHECK(vkCreateImage(vk.device, info, NULL, &image.image));
	vkGetImageMemoryRequirements(vk.device, image.image, &needs);
	image.memory = allocate(&needs);
	VK_CHECK(vkBindImageMemory(vk.device, image.image, image.memory, 0));
	make_general(&image);
	return image;
}

VkImageView vk_view_new(const struct vk_image *image, VkImageViewType type, VkFormat format,
			VkImageSubresourceRange range)
{
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = image->image,
		.viewType = type, .format = format, .subresourceRange = range,
	};
	VkImageView view;

	VK_CHECK(vkCreateImageView(vk.device, &info, NULL, &view));
	return view;
}

struct vk_image vk_picture_new(VkFormat format, uint32_t side, VkImageUsageFlags usage,
			       VkImageView *view)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
		.format = format, .extent = { side, side, 1 }, .mipLevels = 1, .arrayLayers = 1,
		.samples = 1,
		.usage = usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};
	const struct vk_image image = vk_image_new(&info);

	*view = vk_view_new(&image, VK_IMAGE_VIEW_TYPE_2D, format, vk_image_all(&image));
	return image;
}

void vk_image_read(VkCommandBuffer cmd, const struct vk_image *image, uint32_t side,
		   const struct vk_buffer *to)
{
	const VkBufferImageCopy all = {
		.imageSubresource = { image->aspects, 0, 0, image->layers },
		.imageExtent = { side, side, 1 },
	};

	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, to->buffer, 1, &all);
	vk_barrier(cmd);
}

void vk_image_del(const struct vk_image *image)
{
	vkDestroyImage(vk.device, image->image, NULL);
	vkFreeMemory(vk.device, image->memory, NULL);
}

VkSampler vk_sampler_new(VkSamplerCreateInfo info)
{
	VkSampler sampler;

	info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
	VK_CHECK(vkCreateSampler(vk.device, &info, NULL, &sampler));
	return sampler;
}

VkShaderModule vk_module_new(const uint32_t *code, size_t size)
{
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size,
		.pCode = code,
	};
	VkShaderModule module;

	VK_CHECK(vkCreateShaderModule(vk.device, &info, NULL, &module));
	return module;
}

static VkCommandBuffer begin_of(VkCommandBufferLevel level, VkCommandBufferUsageFlags usage,
				const VkCommandBufferInheritanceInfo *inherits)
{
	const VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = vk.pool,
		.level = level, .commandBufferCount = 1,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = usage,
		.pInheritanceInfo = inherits,
	};
	VkCommandBuffer cmd;

	VK_CHECK(vkAllocateCommandBuffers(vk.device, &info, &cmd));
	VK_CHECK(vkBeginCommandBuffer(cmd, &begin));
	return cmd;
}

VkCommandBuffer vk_begin_with(VkCommandBufferUsageFlags usage)
{
	return begin_of(VK_COMMAND_BUFFER_LEVEL_PRIMARY, usage, NULL);
}

VkCommandBuffer vk_begin_secondary(VkCommandBufferUsageFlags usage,
				   const VkCommandBufferInheritanceInfo *inherits)
{
	return begin_of(VK_COMMAND_BUFFER_LEVEL_SECONDARY, usage, inherits);
}

VkSemaphore vk_semaphore_of_file(int sync_file)
{
	static const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO
	};
	VkImportSemaphoreFdInfoKHR import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
		.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
		.fd = dup(sync_file),
	};

	VK_CHECK(vkCreateSemaphore(vk.device, &info, NULL, &import.semaphore));
	VK_CHECK(VK_FUNCTION(vkImportSemaphoreFdKHR)(vk.device, &import));
	return import.semaphore;
}

VkSemaphore vk_timeline_new(uint64_t value)
{
	const VkSemaphoreTypeCreateInfo type = {
		VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL, VK_SEMAPHORE_TYPE_TIMELINE,
		value,
	};
	const VkSemaphoreCreateInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0 };
	VkSemaphore semaphore;

	VK_CHECK(vkCreateSemaphore(vk.device, &info, NULL, &semaphore));
	return semaphore;
}

VkQueryPool vk_queries_new(VkQueryType type, uint32_t count,
			   VkQueryPipelineStatisticFlags statistics)
{
	const VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = type,
		.queryCount = count, .pipelineStatistics = statistics,
	};
	VkQueryPool pool;

	VK_CHECK(vkCreateQueryPool(vk.device, &info, NULL, &pool));
	return pool;
}

VkDescriptorSetLayout vk_set_layout_new(const VkDescriptorSetLayoutBinding *bindings,
					uint32_t count)
{
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = count, .pBindings = bindings,
	};
	VkDescriptorSetLayout layout;

	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &info, NULL, &layout));
	return layout;
}

struct vk_set vk_set_new(const VkDescriptorSetLayoutBinding *bindings, uint32_t count)
{
	VkDescriptorPoolSize sizes[count];
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1,
		.poolSizeCount = count, .pPoolSizes = sizes,
	};
	struct vk_set set;
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorSetCount = 1,
		.pSetLayouts = &set.layout,
	};

	for (uint32_t i = 0; i < count; i++)
		sizes[i] = (VkDescriptorPoolSize){
			bindings[i].descriptorType, bindings[i].descriptorCount };
	set.layout = vk_set_layout_new(bindings, count);
	VK_CHECK(vkCreateDescriptorPool(vk.device, &pool, NULL, &set.pool));
	info.descriptorPool = set.pool;
	VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, &set.set));
	return set;
}

void vk_set_del(const struct vk_set *set)
{
	vkDestroyDescriptorPool(vk.device, set->pool, NULL);
	vkDestroyDescriptorSetLayout(vk.device, set->layout, NULL);
}

VkCommandBuffer vk_begin(void)
{
	return vk_begin_with(0);
}

void vk_run(VkCommandBuffer cmd)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
		.pCommandBuffers = &cmd,
	};

	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
}

void vk_barrier(VkCommandBuffer cmd)
{
	const VkMemoryBarrier barrier = {
		VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT,
		VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
	};

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
			     0, 1, &barrier, 0, NULL, 0, NULL);
}
