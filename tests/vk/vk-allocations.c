// SPDX-License-Identifier: MIT
/*
 * Vulkan: each host allocation (VkAllocationCallbacks) fails once. The call that fails returns an
 * error, and no allocation is leaked. Prints TAP.
 */
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include "tap.h"

#include "vk-lost.comp.h"

#define MOST 1000		/* allocations that are tried before all must have succeeded */

static struct {
	int until;		/* allocations that succeed before one fails; negative: all */
	int live;
} memory;

static VKAPI_ATTR void *VKAPI_CALL allocate(void *data, size_t size, size_t align,
					    VkSystemAllocationScope scope)
{
	void *p;

	(void)data, (void)scope;
	if (!memory.until)
		return NULL;
	memory.until--;
	p = memalign(align, size);
	memory.live += !!p;
	return p;
}

static VKAPI_ATTR void VKAPI_CALL release(void *data, void *p)
{
	(void)data;
	memory.live -= !!p;
	free(p);
}

static VKAPI_ATTR void *VKAPI_CALL reallocate(void *data, void *old, size_t size, size_t align,
					      VkSystemAllocationScope scope)
{
	const size_t had = malloc_usable_size(old);
	void *p = size ? allocate(data, size, align, scope) : NULL;

	if (p && old)
		memcpy(p, old, had < size ? had : size);
	if (p || !size)
		release(data, old);
	return p;
}

static const VkAllocationCallbacks callbacks = {
	.pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release,
};

/* All handles of a run; VK_NULL_HANDLE: not created. */
struct things {
	VkInstance instance;
	VkDevice device;
	VkBuffer buffer;
	VkDeviceMemory memory;
	VkImage image;
	VkSampler sampler;
	VkDescriptorSetLayout sets;
	VkDescriptorPool pool;
	VkDescriptorSet set[2];
	VkPipelineLayout layout;
	VkShaderModule module;
	VkPipelineCache cache;
	VkPipeline pipeline;
	VkCommandPool commands;
	VkCommandBuffer cmd;
	VkQueryPool queries;
	VkEvent event;
	VkSemaphore semaphore;
	VkFence fence;
};

#define TRY(call) \
	do { \
		const VkResult r_ = call; \
		if (r_ != VK_SUCCESS) \
			return r_; \
	} while (0)

static VkResult make_device(struct things *t)
{
	const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					.apiVersion = VK_API_VERSION_1_1 };
	const VkInstanceCreateInfo instance = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
	};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo device = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	VkPhysicalDevice physical;
	uint32_t n = 1;

	TRY(vkCreateInstance(&instance, &callbacks, &t->instance));
	TRY(vkEnumeratePhysicalDevices(t->instance, &n, &physical));
	return vkCreateDevice(physical, &device, &callbacks, &t->device);
}

static VkResult make_memory(struct things *t)
{
	const VkBufferCreateInfo buffer = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = 256,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
	};
	const VkImageCreateInfo image = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { 4, 4, 1 }, .mipLevels = 1, .arrayLayers = 1, .samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	const VkSamplerCreateInfo sampler = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
	VkMemoryAllocateInfo allocation = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
	VkMemoryRequirements needs;

	TRY(vkCreateBuffer(t->device, &buffer, NULL, &t->buffer));
	vkGetBufferMemoryRequirements(t->device, t->buffer, &needs);
	allocation.allocationSize = needs.size;
	TRY(vkAllocateMemory(t->device, &allocation, NULL, &t->memory));
	TRY(vkBindBufferMemory(t->device, t->buffer, t->memory, 0));
	TRY(vkCreateImage(t->device, &image, NULL, &t->image));
	return vkCreateSampler(t->device, &sampler, NULL, &t->sampler);
}

static VkResult make_sets(struct things *t)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL,
	};
	const VkDescriptorSetLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding,
	};
	const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 };
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 2, .poolSizeCount = 1, .pPoolSizes = &size,
	};
	VkDescriptorSetAllocateInfo two = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorSetCount = 2,
	};

	TRY(vkCreateDescriptorSetLayout(t->device, &layout, NULL, &t->sets));
	TRY(vkCreateDescriptorPool(t->device, &pool, NULL, &t->pool));
	two.descriptorPool = t->pool;
	two.pSetLayouts = (VkDescriptorSetLayout[]){ t->sets, t->sets };
	return vkAllocateDescriptorSets(t->device, &two, t->set);
}

static VkResult make_pipeline(struct things *t)
{
	const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 };
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &t->sets,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};
	const VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof(vk_lost_comp), .pCode = vk_lost_comp,
	};
	const VkPipelineCacheCreateInfo cache = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO
	};
	VkComputePipelineCreateInfo pipeline = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT, .pName = "main",
		},
	};

	TRY(vkCreatePipelineLayout(t->device, &layout, NULL, &t->layout));
	TRY(vkCreateShaderModule(t->device, &module, NULL, &t->module));
	TRY(vkCreatePipelineCache(t->device, &cache, NULL, &t->cache));
	pipeline.layout = t->layout;
	pipeline.stage.module = t->module;
	return vkCreateComputePipelines(t->device, t->cache, 1, &pipeline, NULL, &t->pipeline);
}

static VkResult make_rest(struct things *t)
{
	const VkQueryPoolCreateInfo queries = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_OCCLUSION, .queryCount = 4,
	};
	const VkEventCreateInfo event = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
	const VkSemaphoreCreateInfo semaphore = { .sType =
							  VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
	const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };

	TRY(vkCreateQueryPool(t->device, &queries, NULL, &t->queries));
	TRY(vkCreateEvent(t->device, &event, NULL, &t->event));
	TRY(vkCreateSemaphore(t->device, &semaphore, NULL, &t->semaphore));
	return vkCreateFence(t->device, &fence, NULL, &t->fence);
}

static VkResult run(struct things *t)
{
	const VkCommandPoolCreateInfo pool = { .sType =
						       VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	VkCommandBufferAllocateInfo one = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO
	};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &t->cmd,
	};
	const VkDescriptorBufferInfo range = { t->buffer, 0, VK_WHOLE_SIZE };
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = t->set[0],
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = &range,
	};
	VkQueue queue;

	vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
	vkGetDeviceQueue(t->device, 0, 0, &queue);
	TRY(vkCreateCommandPool(t->device, &pool, NULL, &t->commands));
	one.commandPool = t->commands;
	TRY(vkAllocateCommandBuffers(t->device, &one, &t->cmd));
	TRY(vkBeginCommandBuffer(t->cmd, &begin));
	vkCmdBindPipeline(t->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, t->pipeline);
	vkCmdBindDescriptorSets(t->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, t->layout, 0, 1, t->set, 0,
				NULL);
	vkCmdPushConstants(t->cmd, t->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &(uint32_t){ 1 });
	vkCmdDispatch(t->cmd, 1, 1, 1);
	TRY(vkEndCommandBuffer(t->cmd));
	TRY(vkQueueSubmit(queue, 1, &submit, t->fence));
	return vkWaitForFences(t->device, 1, &t->fence, true, UINT64_MAX);
}

static VkResult make_all(struct things *t)
{
	TRY(make_device(t));
	TRY(make_memory(t));
	TRY(make_sets(t));
	TRY(make_pipeline(t));
	TRY(make_rest(t));
	return run(t);
}

static void drop_all(struct things *t)
{
	if (t->device) {
		vkDeviceWaitIdle(t->device);
		vkDestroyCommandPool(t->device, t->commands, NULL);
		vkDestroyFence(t->device, t->fence, NULL);
		vkDestroySemaphore(t->device, t->semaphore, NULL);
		vkDestroyEvent(t->device, t->event, NULL);
		vkDestroyQueryPool(t->device, t->queries, NULL);
		vkDestroyPipeline(t->device, t->pipeline, NULL);
		vkDestroyPipelineCache(t->device, t->cache, NULL);
		vkDestroyShaderModule(t->device, t->module, NULL);
		vkDestroyPipelineLayout(t->device, t->layout, NULL);
		vkDestroyDescriptorPool(t->device, t->pool, NULL);
		vkDestroyDescriptorSetLayout(t->device, t->sets, NULL);
		vkDestroySampler(t->device, t->sampler, NULL);
		vkDestroyImage(t->device, t->image, NULL);
		vkDestroyBuffer(t->device, t->buffer, NULL);
		vkFreeMemory(t->device, t->memory, NULL);
		vkDestroyDevice(t->device, &callbacks);
	}
	if (t->instance)
		vkDestroyInstance(t->instance, &callbacks);
}

int main(void)
{
	VkResult result = VK_ERROR_UNKNOWN;
	bool says = true, leaves = false;
	int n;

	/* The loader would read the manifests of all installed layers with the callbacks. */
	setenv("VK_LAYER_PATH", "/", 1);
	setenv("VK_IMPLICIT_LAYER_PATH", "/", 1);
	for (n = 0; n < MOST && result != VK_SUCCESS; n++) {
		struct things things = { 0 };

		memory.until = n;
		result = make_all(&things);
		memory.until = -1;
		drop_all(&things);
		/*
		 * The loader returns VK_ERROR_INITIALIZATION_FAILED if no driver can open its
		 * device.
		 */
		says &= result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
			result == VK_ERROR_INITIALIZATION_FAILED;
		if (memory.live || !says)
			printf("# after %d allocations: result %d, %d left\n", n, result,
			       memory.live);
		leaves |= memory.live;
		memory.live = 0;
	}
	tap(result == VK_SUCCESS && n > 20, "all of it needs %d allocations", n - 1);
	tap(says, "each that fails is an error");
	tap(!leaves, "and leaves no memory");
	return tap_failures() != 0;
}
