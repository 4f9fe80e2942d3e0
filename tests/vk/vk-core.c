// SPDX-License-Identifier: MIT
/*
 * Vulkan 1.4 without extensions: its required features and limits, and the core names of commands
 * that were promoted. Prints TAP.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "vk.h"

#include "vk-core-shaders.h"

#define WORDS 16
/* byte offset: the last word of the 256 bytes that are always there */
#define PUSH_AT 240

static VkPhysicalDeviceVulkan11Features v11 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES
};
static VkPhysicalDeviceVulkan12Features v12 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v11,
};
static VkPhysicalDeviceVulkan13Features v13 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &v12,
};
static VkPhysicalDeviceVulkan14Features v14 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES, .pNext = &v13,
};
static VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &v14 };

static void make_instance(void)
{
	const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					.apiVersion = VK_API_VERSION_1_4 };
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
	};
	uint32_t count = 1;

	VK_CHECK(vkCreateInstance(&info, NULL, &vk.instance));
	if (vkEnumeratePhysicalDevices(vk.instance, &count, &vk.physical) < 0 || !count)
		errx(1, "there is no device");
	vkGetPhysicalDeviceProperties(vk.physical, &vk.properties);
	vkGetPhysicalDeviceFeatures2(vk.physical, &features);
	printf("# %s\n", vk.properties.deviceName);
}

/* Creates a device with all features that it supports. */
static void make_device(void)
{
	const float one = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &one,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &features,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	const VkCommandPoolCreateInfo pool = { .sType =
						       VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };

	VK_CHECK(vkCreateDevice(vk.physical, &info, NULL, &vk.device));
	vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
	VK_CHECK(vkCreateCommandPool(vk.device, &pool, NULL, &vk.pool));
}

/* Required features and limits */

static const struct {
	const char *name;
	const VkBool32 *value;
} required[] = {
#define FEATURE(of, name) { #name, &(of).name }
	FEATURE(features.features, fullDrawIndexUint32),
	FEATURE(features.features, imageCubeArray),
	FEATURE(features.features, independentBlend),
	FEATURE(features.features, sampleRateShading),
	FEATURE(features.features, drawIndirectFirstInstance),
	FEATURE(features.features, depthClamp),
	FEATURE(features.features, depthBiasClamp),
	FEATURE(features.features, samplerAnisotropy),
	FEATURE(features.features, fragmentStoresAndAtomics),
	FEATURE(features.features, shaderStorageImageExtendedFormats),
	FEATURE(features.features, shaderUniformBufferArrayDynamicIndexing),
	FEATURE(features.features, shaderSampledImageArrayDynamicIndexing),
	FEATURE(features.features, shaderStorageBufferArrayDynamicIndexing),
	FEATURE(features.features, shaderStorageImageArrayDynamicIndexing),
	FEATURE(features.features, shaderImageGatherExtended),
	FEATURE(features.features, shaderInt16),
	FEATURE(features.features, largePoints),
	FEATURE(v11, samplerYcbcrConversion),
	FEATURE(v11, storageBuffer16BitAccess),
	FEATURE(v11, multiview),
	FEATURE(v11, variablePointers),
	FEATURE(v11, variablePointersStorageBuffer),
	FEATURE(v12, samplerMirrorClampToEdge),
	FEATURE(v12, scalarBlockLayout),
	FEATURE(v12, shaderUniformTexelBufferArrayDynamicIndexing),
	FEATURE(v12, shaderStorageTexelBufferArrayDynamicIndexing),
	FEATURE(v12, shaderInt8),
	FEATURE(v12, storageBuffer8BitAccess),
	FEATURE(v14, globalPriorityQuery),
	FEATURE(v14, shaderSubgroupRotate),
	FEATURE(v14, shaderSubgroupRotateClustered),
	FEATURE(v14, shaderFloatControls2),
	FEATURE(v14, shaderExpectAssume),
	FEATURE(v14, bresenhamLines),
	FEATURE(v14, vertexAttributeInstanceRateDivisor),
	FEATURE(v14, indexTypeUint8),
	FEATURE(v14, dynamicRenderingLocalRead),
	FEATURE(v14, maintenance5),
	FEATURE(v14, maintenance6),
	FEATURE(v14, pipelineRobustness),
	FEATURE(v14, pushDescriptor),
	/* Required unless the device has a queue that only transfers. */
	FEATURE(v14, hostImageCopy),
#undef FEATURE
};

static void test_features(void)
{
	bool ok = true;

	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
		if (*required[i].value)
			continue;
		printf("# there is no %s\n", required[i].name);
		ok = false;
	}
	tap(ok, "all features are there that Vulkan 1.4 must have");
}

static void test_limits(void)
{
	const VkPhysicalDeviceLimits *l = &vk.properties.limits;
	VkPhysicalDeviceVulkan14Properties p14 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p14
	};

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(l->maxImageDimension1D >= 8192 && l->maxImageDimension2D >= 8192 &&
		    l->maxImageDimensionCube >= 8192 && l->maxUniformBufferRange >= 65536 &&
		    l->bufferImageGranularity <= 4096 && l->maxPerStageResources >= 200 &&
		    l->maxColorAttachments >= 8 && l->maxSamplerLodBias >= 14,
	    "images, buffers and attachments are large enough");
	tap(l->maxPushConstantsSize >= 256 && l->maxBoundDescriptorSets >= 7 &&
		    l->maxPerStageDescriptorUniformBuffers >= 15 &&
		    l->maxDescriptorSetStorageBuffers >= 96 &&
		    l->maxDescriptorSetStorageImages >= 144 && p14.maxPushDescriptors >= 32,
	    "and sets");
	tap(l->maxComputeWorkGroupInvocations >= 256 && l->maxComputeWorkGroupSize[0] >= 256 &&
		    l->maxComputeWorkGroupSize[2] >= 64 && l->timestampComputeAndGraphics &&
		    l->standardSampleLocations,
	    "and work groups");
	tap(p14.maxCombinedImageSamplerDescriptorCount >= 1 && p14.copySrcLayoutCount &&
		    p14.copyDstLayoutCount && p14.maxVertexAttribDivisor,
	    "what became a part of it says something of itself");
	if (strstr(vk.properties.deviceName, "sundog"))
		tap(p14.dynamicRenderingLocalReadDepthStencilAttachments &&
			    p14.dynamicRenderingLocalReadMultisampledAttachments,
		    "depths and samples are read locally, too");
}

/*
 * The core names of commands for memory, descriptors and push constants: a shader copies a buffer.
 */

static VkPipeline pipeline_new(VkPipelineLayout layout)
{
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.layout = layout,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			   .module = vk_module_new(core_comp, sizeof(core_comp)),
			   .pName = "main" },
	};
	VkPipeline pipeline;

	VK_CHECK(vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	vkDestroyShaderModule(vk.device, info.stage.module, NULL);
	return pipeline;
}

static VkDescriptorSetLayout set_layout_new(void)
{
	static const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT,
		.bindingCount = 2,
		.pBindings = bindings,
	};
	VkDescriptorSetLayout layout;

	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &info, NULL, &layout));
	return layout;
}

static VkPipelineLayout layout_new(VkDescriptorSetLayout set)
{
	const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 256 };
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &set,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};
	VkPipelineLayout layout;

	VK_CHECK(vkCreatePipelineLayout(vk.device, &info, NULL, &layout));
	return layout;
}

static void push(VkCommandBuffer cmd, VkPipelineLayout layout, const struct vk_buffer *from,
		 const struct vk_buffer *to, uint32_t number)
{
	const VkDescriptorBufferInfo buffers[] = { { from->buffer, 0, VK_WHOLE_SIZE },
						   { to->buffer, 0, VK_WHOLE_SIZE } };
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .descriptorCount = 2,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = buffers,
	};
	const VkPushConstantsInfo constants = {
		VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO,
		NULL,
		layout,
		VK_SHADER_STAGE_COMPUTE_BIT,
		PUSH_AT,
		4,
		&number,
	};

	VK_FUNCTION(vkCmdPushDescriptorSet)
	(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &write);
	VK_FUNCTION(vkCmdPushConstants2)(cmd, &constants);
}

static void dispatch(const struct vk_buffer *from, const struct vk_buffer *to, uint32_t number)
{
	const VkDescriptorSetLayout set = set_layout_new();
	const VkPipelineLayout layout = layout_new(set);
	const VkPipeline pipeline = pipeline_new(layout);
	VkCommandBuffer cmd = vk_begin();

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	push(cmd, layout, from, to, number);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, set, NULL);
}

static void test_commands(void)
{
	const struct vk_buffer from = vk_buffer_new(WORDS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	const struct vk_buffer to = vk_buffer_new(WORDS * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	const VkMemoryMapInfo map = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_MAP_INFO,
		.memory = to.memory,
		.size = VK_WHOLE_SIZE,
	};
	const VkMemoryUnmapInfo unmap = { .sType = VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO,
					  .memory = to.memory };
	bool ok = true;
	void *words;

	vkUnmapMemory(vk.device, to.memory);
	for (uint32_t i = 0; i < WORDS; i++)
		((uint32_t *)from.map)[i] = i * 5;
	dispatch(&from, &to, 1000);
	VK_CHECK(VK_FUNCTION(vkMapMemory2)(vk.device, &map, &words));
	for (uint32_t i = 0; i < WORDS; i++)
		ok &= ((uint32_t *)words)[i] == 1000 + i * 5;
	tap(ok, "descriptors and constants are pushed without an extension");
	VK_CHECK(VK_FUNCTION(vkUnmapMemory2)(vk.device, &unmap));
	vk_buffer_del(&from);
	vk_buffer_del(&to);
}

int main(void)
{
	uint32_t version = 0;

	VK_CHECK(vkEnumerateInstanceVersion(&version));
	make_instance();
	tap(version >= VK_API_VERSION_1_4 && vk.properties.apiVersion >= VK_API_VERSION_1_4,
	    "it is Vulkan 1.4");
	test_features();
	test_limits();
	make_device();
	test_commands();
	vk_close();
	return tap_failures() != 0;
}
