// SPDX-License-Identifier: MIT
/*
 * Vulkan: modules that the renderer refuses, here since an array exceeds one of its limits. The
 * call that creates the pipeline or shader object fails with the reason as a message of
 * VK_EXT_debug_utils, other pipelines of the same call do not, and the device is not lost. Prints
 * TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-refused-shaders.h"

#define N 3

static VkPhysicalDeviceShaderObjectFeaturesEXT objects = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
};
static VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
	.pNext = &objects,
};
static VkPhysicalDevicePipelineCreationCacheControlFeatures control = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
	.pNext = &libraries,
};
static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
	.pNext = &control,
};

static struct {
	VkDebugUtilsMessengerEXT messenger;
	char message[512];	/* the last one */
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer words;
} test;

static VkBool32 VKAPI_PTR keep_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
				       VkDebugUtilsMessageTypeFlagsEXT types,
				       const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	(void)severity;
	(void)types;
	(void)user;
	snprintf(test.message, sizeof(test.message), "%s", data->pMessage);
	return false;
}

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL,
	};
	const VkDebugUtilsMessengerCreateInfoEXT messenger = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
				   VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
			       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = keep_message,
	};

	VK_CHECK(VK_ASK(vkCreateDebugUtilsMessengerEXT)(vk.instance, &messenger, NULL,
							&test.messenger));
	test.words = vk_buffer_new(8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.set = vk_set_new(&binding, 1);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.words);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vk_buffer_del(&test.words);
	VK_ASK(vkDestroyDebugUtilsMessengerEXT)(vk.instance, test.messenger, NULL);
}

/* Returns true if the last message names a refused shader of @stage, and the limit; forgets it. */
static bool has_message(const char *stage)
{
	char words[64];
	bool ok;

	snprintf(words, sizeof(words), "refuses a %s shader", stage);
	ok = strstr(test.message, words) && strstr(test.message, "exceed 65536 bytes");
	if (!ok)
		printf("# message: %s\n", test.message);
	test.message[0] = 0;
	return ok;
}

static bool works(VkPipeline pipeline)
{
	uint32_t *words = test.words.map;

	words[0] = 3;
	words[1] = 0;
	if (pipeline)
		vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
	return words[1] == 5;
}

/* Creates small, large and small. */
static VkResult create_computes(VkPipelineCreateFlags flags_of_second, VkPipeline *pipelines)
{
	VkComputePipelineCreateInfo infos[N];
	VkResult result;

	for (int i = 0; i < N; i++)
		infos[i] = i == 1 ? vk_compute_info(test.layout, VK_CODE(refused_large))
				  : vk_compute_info(test.layout, VK_CODE(refused_small));
	infos[1].flags = flags_of_second;
	memset(pipelines, 0xff, N * sizeof(*pipelines));
	result = vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, N, infos, NULL, pipelines);
	for (int i = 0; i < N; i++)
		vkDestroyShaderModule(vk.device, infos[i].stage.module, NULL);
	return result;
}

static void destroy_pipelines(const VkPipeline *pipelines, int n)
{
	for (int i = 0; i < n; i++)
		vkDestroyPipeline(vk.device, pipelines[i], NULL);
}

static void test_compute(void)
{
	VkPipeline pipelines[N];
	VkResult result = create_computes(0, pipelines);

	tap(result == VK_ERROR_UNKNOWN && !pipelines[1],
	    "vkCreateComputePipelines refuses an array of 128 KiB (%d)", result);
	tap(has_message("compute"), "a debug-utils message says why a compute pipeline is refused");
	tap(works(pipelines[0]) && works(pipelines[2]),
	    "vkCreateComputePipelines creates the pipelines beside a refused one");
	destroy_pipelines(pipelines, N);

	result = create_computes(VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT, pipelines);
	tap(result == VK_ERROR_UNKNOWN && works(pipelines[0]) && !pipelines[1] && !pipelines[2],
	    "EARLY_RETURN_ON_FAILURE: no pipeline behind a refused one is created (%d)", result);
	destroy_pipelines(pipelines, N);
}

static void fill_graphics(struct vk_pipeline *p, VkPipelineLayout layout)
{
	vk_pipeline_init(p, layout, 16);
	vk_pipeline_code(p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(refused_vert));
	vk_pipeline_code(p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(refused_frag));
	vk_pipeline_formats(p, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
}

static void test_graphics(void)
{
	VkPipelineLayout layout = vk_layout_new(NULL, 0, 0, 0);
	struct vk_pipeline p;
	VkPipeline pipeline;
	VkResult result;

	fill_graphics(&p, layout);
	test.message[0] = 0;
	result = vk_pipeline_try(&p, &pipeline);
	tap(result == VK_ERROR_UNKNOWN && !pipeline,
	    "vkCreateGraphicsPipelines refuses an array of 128 KiB (%d)", result);
	tap(has_message("fragment"),
	    "a debug-utils message says why a graphics pipeline is refused");
	vkDestroyPipelineLayout(vk.device, layout, NULL);
}

static void test_library(void)
{
	VkGraphicsPipelineLibraryCreateInfoEXT parts = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
		.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
			 VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
	};
	VkPipelineLayout layout;
	struct vk_pipeline p;
	VkPipeline pipeline;
	VkResult result;

	if (!libraries.graphicsPipelineLibrary) {
		tap(true, "a library is refused # SKIP there are no libraries");
		return;
	}
	layout = vk_layout_new(NULL, 0, 0, 0);
	fill_graphics(&p, layout);
	parts.pNext = p.info.pNext;
	p.info.pNext = &parts;
	p.info.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
	result = vk_pipeline_try(&p, &pipeline);
	tap(result == VK_ERROR_UNKNOWN && !pipeline && has_message("fragment"),
	    "a library is refused (%d)", result);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
}

static VkShaderCreateInfoEXT object_info(const uint32_t *code, size_t size)
{
	return (VkShaderCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.stage = VK_SHADER_STAGE_COMPUTE_BIT,
		.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
		.codeSize = size,
		.pCode = code,
		.pName = "main",
		.setLayoutCount = 1,
		.pSetLayouts = &test.set.layout,
	};
}

static void test_objects(void)
{
	VkShaderCreateInfoEXT infos[2];
	VkShaderEXT shaders[2];
	VkResult result;

	if (!objects.shaderObject) {
		tap(true, "a shader object is refused # SKIP there are no shader objects");
		return;
	}
	infos[0] = object_info(VK_CODE(refused_large));
	infos[1] = object_info(VK_CODE(refused_small));
	result = VK_FUNCTION(vkCreateShadersEXT)(vk.device, 2, infos, NULL, shaders);
	tap(result == VK_ERROR_UNKNOWN && !shaders[0] && shaders[1] && has_message("compute"),
	    "a shader object is refused, another of the same call is not (%d)", result);
	VK_FUNCTION(vkDestroyShaderEXT)(vk.device, shaders[1], NULL);
}

/* The report must not wait for a submission that waits for the program. */
static void test_blocked_queue(void)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const uint64_t value = 1;
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = 1,
		.pWaitSemaphoreValues = &value,
	};
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = 1,
		.pWaitDstStageMask = &stage,
	};
	VkSemaphoreSignalInfo signal = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
		.value = value,
	};
	VkPipeline pipelines[N];
	const VkSemaphore semaphore = vk_timeline_new(0);

	submit.pWaitSemaphores = &semaphore;
	signal.semaphore = semaphore;
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE));
	create_computes(0, pipelines);
	VK_CHECK(VK_FUNCTION(vkSignalSemaphoreKHR)(vk.device, &signal));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	tap(works(pipelines[0]) && !pipelines[1] && works(pipelines[2]),
	    "a queue that waits for the program does not keep it from creating pipelines");
	destroy_pipelines(pipelines, N);
	vkDestroySemaphore(vk.device, semaphore, NULL);
}

int main(void)
{
	static const char *const of_instance[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
	static const char *const wishes[] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
		VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
		VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
		VK_EXT_SHADER_OBJECT_EXTENSION_NAME, NULL,
	};

	vk.features = &rendering;
	vk.wishes = wishes;
	vk_open_with(of_instance, 1, NULL, 0);
	make_things();
	test_compute();
	test_graphics();
	test_library();
	test_objects();
	test_blocked_queue();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
