// SPDX-License-Identifier: MIT
/*
 * Vulkan: allocations of the driver that do not use the application's callbacks. While a pipeline
 * is created, commands are recorded or submitted, or memory is imported, each allocation fails
 * once. The call returns an error, or the pipeline, the commands and the memory work as usual; and
 * so for images that are presented without a screen. A submission that returns an error has no
 * effects, or the device is lost. Imports and presentation need a kernel driver. With one,
 * submissions wait for a fence of vgem. Prints TAP. With argument "submit" the program tests only
 * submissions, imports and presentation.
 */
#include <err.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gate.h"
#include "sundog.h"
#include "vk-pipeline.h"
#include "vk-swapchain.h"

#include "vk-grouped.h"
#include "vk-local-shaders.h"
#include "vk-replicas.h"

#define N 64			/* invocations */
#define SIDE 16
#define MOST 2000		/* allocations that are tried before all must have succeeded */
#define CALL_S 60		/* a submission or presentation that takes longer hangs */

/*
 * Memory: replaces malloc() and its relatives; in a thread that counts down, one allocation fails
 */

void __libc_free(void *p);
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static _Thread_local int until = -1;	/* allocations that succeed; negative: all */
static _Thread_local bool failed;	/* an allocation failed */
static _Thread_local bool spoils;	/* free() spoils the memory, and keeps it */

static bool fails(void)
{
	if (until < 0 || until--)
		return false;
	failed = true;
	return true;
}

static void begin_failing(int allocations)
{
	failed = false;
	until = allocations;
}

static void end_failing(void)
{
	until = -1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return size && fails() ? NULL : __libc_realloc(old, size);
}

/* Spoiled memory looks like an object with one reference whose pointers are no addresses: a second
 * release of the object crashes. */
void free(void *p)
{
	volatile uint32_t *words = p;

	if (!p || !spoils) {
		__libc_free(p);
		return;
	}
	for (size_t i = 0; i < malloc_usable_size(p) / 4; i++)
		words[i] = 1;
}

/* Objects */

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer words, counter, pixels;
	struct vk_image picture;
	VkImageView view;
} test;

static VkPhysicalDeviceDynamicRenderingFeatures rendering_features = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
};
static VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR local = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR,
	.pNext = &rendering_features,
};
static VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT replicas = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
	.pNext = &local,
};

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};

	test.words = vk_buffer_new(N * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.counter = vk_buffer_new(4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	*(uint32_t *)test.counter.map = 1000;
	test.pixels = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.picture = vk_picture_new(VK_FORMAT_R32_UINT, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				      &test.view);
	test.set = vk_set_new(bindings, 2);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.words);
	vk_write_buffer(test.set.set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.counter);
	test.layout = vk_layout_new(&test.set.layout, 1, VK_SHADER_STAGE_FRAGMENT_BIT, 4);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.picture);
	vk_buffer_del(&test.pixels);
	vk_buffer_del(&test.counter);
	vk_buffer_del(&test.words);
}

/* Pipelines: how to create one from @what, and how to check it */

struct what {
	const char *name;
	VkResult (*make)(const struct what *what, int allocations, VkPipeline *pipeline);
	bool (*is_right)(const struct what *what, VkPipeline pipeline);
	const uint32_t *code;
	size_t size;
	uint32_t values[2];	/* of specialization constants */
};

static VkResult make_compute(const struct what *what, int allocations, VkPipeline *pipeline)
{
	const VkSpecializationMapEntry entries[] = { { UINT32_MAX, 0, 4 }, { 0, 4, 4 } };
	const VkSpecializationInfo special = { 2, entries, sizeof(what->values), what->values };
	VkComputePipelineCreateInfo info = vk_compute_info(test.layout, what->code, what->size);
	VkResult result;

	info.stage.pSpecializationInfo = &special;
	begin_failing(allocations);
	result = vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
	end_failing();
	vkDestroyShaderModule(vk.device, info.stage.module, NULL);
	return result;
}

/* Returns true if the results of either shader, on words that are their own indices, are right. */
static bool computes(const struct what *what, VkPipeline pipeline)
{
	const bool groups = what->code == vk_grouped;
	uint32_t *words = test.words.map;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		words[i] = i;
	vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] ==
		      (groups ? i * what->values[0] + what->values[1] + 1000 : 1047 + 2 * i);
	return ok;
}

/* The second output goes to the only attachment, with sample shading. */
static const uint32_t location = 1;
static const VkRenderingAttachmentLocationInfoKHR locations = {
	VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR, NULL, 1, &location,
};

static VkResult make_drawing(const struct what *what, int allocations, VkPipeline *pipeline)
{
	struct vk_pipeline p;
	VkResult result;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(local_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, what->code, what->size);
	vk_pipeline_formats(&p, VK_FORMAT_R32_UINT, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	p.rendering.pNext = &locations;
	p.samples.sampleShadingEnable = true;
	p.samples.minSampleShading = 1;
	begin_failing(allocations);
	result = vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &p.info, NULL, pipeline);
	end_failing();
	for (uint32_t i = 0; i < p.info.stageCount; i++)
		vkDestroyShaderModule(vk.device, p.stages[i].module, NULL);
	return result;
}

static bool draws(const struct what *what, VkPipeline pipeline)
{
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = test.view,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea.extent = { SIDE, SIDE },
		.layerCount = 1,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
	};
	const uint32_t *pixels = test.pixels.map, number = what->values[0];
	const VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
	VK_FUNCTION(vkCmdSetRenderingAttachmentLocationsKHR)(cmd, &locations);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4, &number);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_image_read(cmd, &test.picture, SIDE, &test.pixels);
	vk_run(cmd);
	for (uint32_t i = 0; i < SIDE * SIDE; i++) {
		const uint32_t x = i % SIDE, y = i / SIDE, part = x ? 2000 + y : number + 1;

		ok &= pixels[i] == (what->code == local_write_array ? part : y + 2 * number);
	}
	return ok;
}

static bool out_of_memory(VkResult result)
{
	return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* Each allocation of a pipeline's creation fails once. */
static void test_pipeline(const struct what *what)
{
	VkResult result = VK_ERROR_UNKNOWN;
	bool says = true, right = true, all = false;
	int n, errors = 0;

	for (n = 0; n < MOST && !all; n++) {
		VkPipeline pipeline = VK_NULL_HANDLE;

		result = what->make(what, n, &pipeline);
		all = !failed;
		errors += result != VK_SUCCESS;
		says &= result == VK_SUCCESS || (failed && out_of_memory(result) && !pipeline);
		if (result == VK_SUCCESS)
			right &= what->is_right(what, pipeline);
		vkDestroyPipeline(vk.device, pipeline, NULL);
	}
	printf("# %d allocations, %d of which matter\n", n - 1, errors);
	tap(all && errors > 10 && says, "%s: what an allocation that fails matters to is an error",
	    what->name);
	tap(result == VK_SUCCESS && right, "%s: and all else is right", what->name);
}

/* Commands: a dispatch, and timestamps in the command buffer and in one that it executes */

static VkResult record(VkCommandBuffer cmd, VkCommandBuffer other, VkPipeline pipeline,
		       VkQueryPool queries)
{
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .pInheritanceInfo = &inherits,
	};
	const VkPipelineStageFlagBits stage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
	VkResult result = vkBeginCommandBuffer(other, &begin);

	if (result != VK_SUCCESS)
		return result;
	vkCmdWriteTimestamp(other, stage, queries, 2);
	result = vkEndCommandBuffer(other);
	if (result == VK_SUCCESS)
		result = vkBeginCommandBuffer(cmd, &begin);
	if (result != VK_SUCCESS)
		return result;
	vkCmdResetQueryPool(cmd, queries, 0, 3);
	vkCmdWriteTimestamp(cmd, stage, queries, 0);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	vkCmdDispatch(cmd, 1, 1, 1);
	vkCmdExecuteCommands(cmd, 1, &other);
	return vkEndCommandBuffer(cmd);
}

/* If an allocation fails, recording returns an error and the command buffer is not submitted. */
static VkResult record_and_run(int allocations, VkPipeline pipeline, VkQueryPool queries)
{
	const VkCommandPoolCreateInfo info = { .sType =
						       VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	VkCommandBufferAllocateInfo one = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1,
	};
	VkCommandBuffer cmds[2];
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = cmds,
	};
	VkResult result;

	VK_CHECK(vkCreateCommandPool(vk.device, &info, NULL, &one.commandPool));
	for (uint32_t i = 0; i < 2; i++) {
		one.level = i ? VK_COMMAND_BUFFER_LEVEL_SECONDARY : VK_COMMAND_BUFFER_LEVEL_PRIMARY;
		VK_CHECK(vkAllocateCommandBuffers(vk.device, &one, &cmds[i]));
	}
	begin_failing(allocations);
	result = record(cmds[0], cmds[1], pipeline, queries);
	end_failing();
	if (result == VK_SUCCESS)
		VK_CHECK(vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkDestroyCommandPool(vk.device, one.commandPool, NULL);
	return result;
}

static void test_commands(void)
{
	const VkQueryPool queries = vk_queries_new(VK_QUERY_TYPE_TIMESTAMP, 3, 0);
	const VkPipeline pipeline = vk_compute_new(test.layout, VK_CODE(vk_grouped));
	uint32_t *words = test.words.map;
	VkResult result = VK_ERROR_UNKNOWN;
	bool says = true, right = true, all = false;
	int n, errors = 0;

	for (n = 0; n < MOST && !all; n++) {
		uint64_t times[3] = { 0 };

		words[1] = 0;
		result = record_and_run(n, pipeline, queries);
		all = !failed;
		errors += result != VK_SUCCESS;
		says &= result == VK_SUCCESS || (failed && out_of_memory(result));
		right &= !words[1] == (result != VK_SUCCESS);
		if (result != VK_SUCCESS)
			continue;
		vkGetQueryPoolResults(vk.device, queries, 0, 1, 8, &times[0], 8,
				      VK_QUERY_RESULT_64_BIT);
		vkGetQueryPoolResults(vk.device, queries, 2, 1, 8, &times[2], 8,
				      VK_QUERY_RESULT_64_BIT);
		right &= times[0] && times[0] <= times[2];
	}
	printf("# %d allocations, %d of which matter\n", n - 1, errors);
	tap(all && errors > 3 && says,
	    "commands: what an allocation that fails matters to is an error");
	tap(result == VK_SUCCESS && right, "commands: and all else is done");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyQueryPool(vk.device, queries, NULL);
}

/*
 * Submissions: two command buffers that do not fit into one stream, in one VkSubmitInfo or, with a
 * semaphore between them, in two. Each writes the same data again and again, and then a word. With
 * a kernel driver, the first one waits for a gate: the temporary payload of a semaphore.
 */

#define UPDATE_BYTES 4096	/* most bytes of an update that is in the stream */
#define UPDATES 1056		/* more than half of the largest stream, which has 8 MiB */
#define CLOSED_NS 20000000	/* a submission that does not wait for the gate runs meanwhile */

static struct {
	bool apart;
	struct vk_buffer words, data;
	VkCommandBuffer cmds[2];
	VkSemaphore between;
	VkFence fence;
	struct gate gate;
	VkSemaphore closed;	/* VK_NULL_HANDLE: submissions wait for nothing */
} work;

static VkCommandBuffer record_large(uint32_t word)
{
	static const uint8_t data[UPDATE_BYTES];
	const VkCommandBuffer cmd = vk_begin_with(0);

	for (uint32_t i = 0; i < UPDATES; i++)
		vkCmdUpdateBuffer(cmd, work.data.buffer, 0, UPDATE_BYTES, data);
	vkCmdFillBuffer(cmd, work.words.buffer, word * 4, 4, 1);
	vk_barrier(cmd);
	VK_CHECK(vkEndCommandBuffer(cmd));
	return cmd;
}

static VkFence fence_new(void)
{
	const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	VkFence fence;

	VK_CHECK(vkCreateFence(vk.device, &info, NULL, &fence));
	return fence;
}

static void make_work(void)
{
	const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };

	work.words = vk_buffer_new(8, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	work.data = vk_buffer_new(UPDATE_BYTES, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	for (uint32_t i = 0; i < 2; i++)
		work.cmds[i] = record_large(i);
	VK_CHECK(vkCreateSemaphore(vk.device, &info, NULL, &work.between));
	work.fence = fence_new();
}

static void drop_work(void)
{
	vkDestroyFence(vk.device, work.fence, NULL);
	vkDestroySemaphore(vk.device, work.between, NULL);
	vkFreeCommandBuffers(vk.device, vk.pool, 2, work.cmds);
	vk_buffer_del(&work.words);
	vk_buffer_del(&work.data);
}

static void close_gate(void)
{
	if (!vk_has("VK_KHR_external_semaphore_fd"))
		return;
	work.gate = gate_new();
	work.closed = vk_semaphore_of_file(work.gate.fd);
}

static void open_gate(void)
{
	if (work.closed)
		gate_open(&work.gate);
}

static VkResult submit_work(int allocations)
{
	static const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo submits[2] = {
		{
			.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			.waitSemaphoreCount = work.closed != VK_NULL_HANDLE,
			.pWaitSemaphores = &work.closed,
			.pWaitDstStageMask = &stage,
			.commandBufferCount = work.apart ? 1 : 2,
			.pCommandBuffers = work.cmds,
			.signalSemaphoreCount = work.apart,
			.pSignalSemaphores = &work.between,
		},
		{
			.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			.waitSemaphoreCount = 1,
			.pWaitSemaphores = &work.between,
			.pWaitDstStageMask = &stage,
			.commandBufferCount = 1,
			.pCommandBuffers = &work.cmds[1],
		},
	};
	VkResult result;

	memset(work.words.map, 0, 8);
	alarm(CALL_S);
	begin_failing(allocations);
	result = vkQueueSubmit(vk.queue, work.apart ? 2 : 1, submits, work.fence);
	end_failing();
	alarm(0);
	return result;
}

static bool nothing_ran(void)
{
	const uint32_t *words = work.words.map;

	return !words[0] && !words[1] && vkGetFenceStatus(vk.device, work.fence) == VK_NOT_READY;
}

/*
 * Returns true if both command buffers of a submission run, not before the gate opens, and then its
 * fence is signaled.
 */
static bool all_is_done(void)
{
	const uint32_t *words = work.words.map;
	bool waits = true;

	if (work.closed) {
		nanosleep(&(struct timespec){ .tv_nsec = CLOSED_NS }, NULL);
		waits = nothing_ran();
	}
	open_gate();
	VK_CHECK(vkWaitForFences(vk.device, 1, &work.fence, true, UINT64_MAX));
	VK_CHECK(vkResetFences(vk.device, 1, &work.fence));
	return waits && words[0] && words[1];
}

/* Returns true if a submission that failed has no effects, and succeeds the next time. */
static bool nothing_is_done(void)
{
	bool ok;

	/* If a part of it was queued, that waits for the gate. */
	nanosleep(&(struct timespec){ .tv_nsec = CLOSED_NS }, NULL);
	ok = nothing_ran();
	if (!work.closed)
		VK_CHECK(vkQueueWaitIdle(vk.queue));
	ok &= nothing_ran();
	return submit_work(-1) == VK_SUCCESS && all_is_done() && ok;
}

/* A new device keeps no memory of earlier submissions, which the next one would use. */
static void open_again(void)
{
	drop_work();
	vk_close();
	vk_open();
	make_work();
}

static void test_submissions(const char *name, bool apart)
{
	VkResult result = VK_ERROR_UNKNOWN;
	bool says = true, right = true, all = false;
	int n, errors = 0, losses = 0;

	work.apart = apart;
	make_work();
	for (n = 0; n < MOST && !all; n++) {
		close_gate();
		result = submit_work(n);
		all = !failed;
		errors += out_of_memory(result);
		losses += result == VK_ERROR_DEVICE_LOST;
		if (result == VK_SUCCESS)
			right &= all_is_done();
		else if (out_of_memory(result))
			right &= nothing_is_done();
		else if (result == VK_ERROR_DEVICE_LOST)
			open_gate();
		says &= result == VK_SUCCESS || out_of_memory(result) ||
			result == VK_ERROR_DEVICE_LOST;
		vkDestroySemaphore(vk.device, work.closed, NULL);
		work.closed = VK_NULL_HANDLE;
		open_again();
	}
	printf("# %d allocations, %d times out of memory, %d lost devices\n", n - 1, errors,
	       losses);
	tap(all && errors && says, "%s: each allocation that fails is an error", name);
	tap(losses, "%s: the device is lost if only a part was submitted", name);
	tap(result == VK_SUCCESS && right,
	    "%s: out of memory means that nothing was done, success that all was", name);
	drop_work();
}

/*
 * Presentation: images of a surface without a screen. The wait for a semaphore has its temporary
 * payload, from the acquisition.
 */

static VkResult present_image(const struct vk_swapchain *chain, uint32_t i, int allocations)
{
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &chain->there,
		.swapchainCount = 1,
		.pSwapchains = &chain->swapchain,
		.pImageIndices = &i,
	};
	VkResult result;

	alarm(CALL_S);
	begin_failing(allocations);
	result = vkQueuePresentKHR(vk.queue, &info);
	end_failing();
	alarm(0);
	return result;
}

/* An image whose presentation fails is presented again. */
static void test_presents(void)
{
	static const char *const of_instance[] = {
		VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
	};
	static const char *const of_device[] = { VK_KHR_SWAPCHAIN_EXTENSION_NAME };
	static const VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT
	};
	bool says = true, right = true, all = false;
	struct vk_swapchain chain;
	VkSurfaceKHR surface;
	int n, errors = 0;

	vk_open_with(of_instance, 2, of_device, 1);
	VK_CHECK(VK_ASK(vkCreateHeadlessSurfaceEXT)(vk.instance, &info, NULL, &surface));
	chain = vk_swapchain_new(surface, (VkExtent2D){ SIDE, SIDE }, 0);
	for (n = 0; n < MOST && !all; n++) {
		VkResult result;
		uint32_t i;

		VK_CHECK(vk_swapchain_acquire(&chain, UINT64_MAX, &i));
		result = present_image(&chain, i, n);
		all = !failed;
		errors += result != VK_SUCCESS;
		says &= result == VK_SUCCESS || out_of_memory(result);
		if (result != VK_SUCCESS)
			right &= present_image(&chain, i, -1) == VK_SUCCESS;
	}
	printf("# %d allocations, %d of which matter\n", n - 1, errors);
	tap(all && errors && says, "presentation: each allocation that fails is an error");
	tap(right, "presentation: and the image can be presented again");
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vk_swapchain_del(&chain);
	vkDestroySurfaceKHR(vk.instance, surface, NULL);
	vk_close();
}

/* Imports of a resource of another device file, which has private data. */

#define RENDER_NODE "/dev/dri/renderD128"

static const VkExternalMemoryHandleTypeFlagBits fd_type =
	VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

/* Returns a file descriptor of new memory of @size bytes. */
static int shared_memory(uint64_t size)
{
	const int node = open(RENDER_NODE, O_RDWR | O_CLOEXEC);
	struct sdrm_device *dev = sdrm_device_new(node);
	struct sdrm_resource *res;
	int fd;

	if (!dev || sdrm_resource_new(dev, SDRM_RESOURCE_SHARED, &size, 1, "private", 8, &res))
		errx(1, "no memory of " RENDER_NODE);
	fd = sdrm_bo_export(sdrm_resource_bo(res, 0));
	sdrm_resource_del(res);
	sdrm_device_del(dev);
	close(node);
	return fd;
}

static VkResult import_memory(int fd, int allocations)
{
	const VkImportMemoryFdInfoKHR import = {
		VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, NULL, fd_type, dup(fd),
	};
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, 4096, vk_memory_type(~0u),
	};
	VkDeviceMemory memory = VK_NULL_HANDLE;
	VkResult result;

	spoils = true;
	begin_failing(allocations);
	result = vkAllocateMemory(vk.device, &info, NULL, &memory);
	end_failing();
	if (result == VK_SUCCESS)
		vkFreeMemory(vk.device, memory, NULL);
	else
		close(import.fd);
	spoils = false;
	return result;
}

static void test_imports(void)
{
	VkResult result = VK_ERROR_UNKNOWN;
	bool says = true, all = false;
	const int fd = shared_memory(4096);
	int n, errors = 0;

	for (n = 0; n < MOST && !all; n++) {
		result = import_memory(fd, n);
		all = !failed;
		errors += result != VK_SUCCESS;
		says &= result == VK_SUCCESS ||
			(failed && result == VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	printf("# %d allocations, %d of which matter\n", n - 1, errors);
	tap(result == VK_SUCCESS && errors && says,
	    "imports: what an allocation that fails matters to is VK_ERROR_OUT_OF_HOST_MEMORY");
	close(fd);
}

int main(int argc, char **argv)
{
	static const struct what all[] = {
		{ "groups of decorations", make_compute, computes, VK_CODE(vk_grouped), { 40, 6 } },
		{ "composites of one value",
		  make_compute,
		  computes,
		  VK_CODE(vk_replicas),
		  { 40, 6 } },
		{ "outputs that are moved", make_drawing, draws, VK_CODE(local_write), { 77 } },
		{ "outputs that are parted",
		  make_drawing,
		  draws,
		  VK_CODE(local_write_array),
		  { 77 } },
	};
	static const char *const wishes[] = {
		"VK_KHR_dynamic_rendering",
		"VK_KHR_dynamic_rendering_local_read",
		"VK_EXT_shader_replicated_composites",
		"VK_KHR_external_memory_fd",
		"VK_KHR_external_semaphore_fd",
		NULL,
	};
	const bool everything = argc < 2 || strcmp(argv[1], "submit");
	bool presents;

	vk.features = &replicas;
	vk.wishes = wishes;
	vk_open();
	if (everything) {
		make_things();
		for (uint32_t i = 0; i < sizeof(all) / sizeof(*all); i++)
			test_pipeline(&all[i]);
		test_commands();
		drop_things();
	}
	if (vk_has("VK_KHR_external_memory_fd"))
		test_imports();
	/* They replace the device. */
	if (vk_has("VK_KHR_external_semaphore_fd"))
		gate_open_vgem();
	test_submissions("submissions", false);
	test_submissions("submissions in two parts", true);
	/* A direct device is lost if a submission fails. */
	presents = vk_has("VK_KHR_external_semaphore_fd");
	vk_close();
	if (presents)
		test_presents();
	return tap_failures() != 0;
}
