// SPDX-License-Identifier: MIT
/*
 * Vulkan: device loss, because the renderer's worker ended, refused a command, or timed out. Every
 * call returns, the fault is described, all objects can be destroyed and created again, and other
 * devices, of this process and of others, are not affected. Prints TAP.
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"
#include "sundog_hw.h"
#include "vk-pipeline.h"
#include "workers.h"

#include "vk-lost.comp.h"

#define N 64			/* invocations */
#define FEW 10			/* iterations of a shader */
#define ENDLESS 0xffffffffu
#define NEVER 7			/* a value of a timeline semaphore that is never signaled */
#define PATTERN 0x600dda7a

/* A device with the objects for a compute dispatch. */
struct scene {
	struct vk vk;
	struct vk_buffer result, words;
	VkPipelineLayout layout;
	struct vk_set set;
	VkPipeline pipeline;
	VkFence fence, later;
	VkSemaphore timeline;
	VkEvent event;
	VkQueryPool queries;
	PFN_vkGetDeviceFaultInfoEXT get_fault;
};

/* A way to lose a device. */
struct way {
	const char *name;
	bool (*lose)(const struct scene *scene);
	uint64_t code;
	const char *words;	/* part of the fault description */
};

/* Scenes; use() makes the functions of vk.h use the device of a scene */

static void use(const struct scene *scene)
{
	vk = scene->vk;
}

static void make_set(struct scene *s)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL,
	};

	s->set = vk_set_new(&binding, 1);
	vk_write_buffer(s->set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &s->result);
}

static void make_pipeline(struct scene *s)
{
	s->layout = vk_layout_new(&s->set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 4);
	s->pipeline = vk_compute_new(s->layout, VK_CODE(vk_lost_comp));
}

static void make_syncs(struct scene *s)
{
	const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	const VkEventCreateInfo event = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };

	VK_CHECK(vkCreateFence(vk.device, &fence, NULL, &s->fence));
	VK_CHECK(vkCreateFence(vk.device, &fence, NULL, &s->later));
	s->timeline = vk_timeline_new(0);
	VK_CHECK(vkCreateEvent(vk.device, &event, NULL, &s->event));
	s->queries = vk_queries_new(VK_QUERY_TYPE_TIMESTAMP, 1, 0);
}

static struct scene scene_new(void)
{
	VkPhysicalDeviceFaultFeaturesEXT fault = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT, NULL, true, false,
	};
	struct scene s = { 0 };

	vk.features = &fault;
	vk_open_with(NULL, 0, &(const char *){ VK_EXT_DEVICE_FAULT_EXTENSION_NAME }, 1);
	vk.features = NULL;
	s.vk = vk;
	s.get_fault = (PFN_vkGetDeviceFaultInfoEXT)vkGetDeviceProcAddr(vk.device,
								       "vkGetDeviceFaultInfoEXT");
	s.result = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	s.words = vk_buffer_new(4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	memset(s.result.map, 0, 4096);
	*(uint32_t *)s.words.map = PATTERN;
	make_set(&s);
	make_pipeline(&s);
	make_syncs(&s);
	return s;
}

static void scene_del(const struct scene *s)
{
	use(s);
	vkDestroyFence(vk.device, s->fence, NULL);
	vkDestroyFence(vk.device, s->later, NULL);
	vkDestroySemaphore(vk.device, s->timeline, NULL);
	vkDestroyEvent(vk.device, s->event, NULL);
	vkDestroyQueryPool(vk.device, s->queries, NULL);
	vkDestroyPipeline(vk.device, s->pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, s->layout, NULL);
	vk_set_del(&s->set);
	vk_buffer_del(&s->result);
	vk_buffer_del(&s->words);
	vk_close();
}

static VkCommandBuffer record(const struct scene *s, uint32_t turns)
{
	VkCommandBuffer cmd = vk_begin();

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, s->pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1, &s->set.set,
				0, NULL);
	vkCmdPushConstants(cmd, s->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &turns);
	vkCmdDispatch(cmd, N, 1, 1);
	vk_barrier(cmd);
	return cmd;
}

/* Returns true if a dispatch has the expected results. */
static bool computes(const struct scene *s)
{
	const uint32_t *result = s->result.map;
	bool ok = true;

	use(s);
	memset(s->result.map, 0, N * 4);
	vk_run(record(s, FEW));
	for (uint32_t i = 0; i < N; i++)
		ok &= result[i] == i * 3 + 1;
	return ok;
}

static VkResult submit(const struct scene *s, VkCommandBuffer cmd, VkFence fence)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = !!cmd,
		.pCommandBuffers = &cmd,
	};

	return vkQueueSubmit(s->vk.queue, 1, &info, fence);
}

static void submit_dispatch(const struct scene *s, uint32_t turns)
{
	VkCommandBuffer cmd = record(s, turns);

	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(submit(s, cmd, s->fence));
}

/*
 * Submits a wait for a value that is never signaled. If a command before it is refused, the device
 * may be lost by now.
 */
static void submit_later(const struct scene *s)
{
	const uint64_t value = NEVER;
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkTimelineSemaphoreSubmitInfo timeline = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = 1,
		.pWaitSemaphoreValues = &value,
	};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &timeline, .waitSemaphoreCount = 1,
		.pWaitSemaphores = &s->timeline, .pWaitDstStageMask = &stages,
	};
	VkResult result = vkQueueSubmit(s->vk.queue, 1, &info, s->later);

	if (result != VK_ERROR_DEVICE_LOST)
		VK_CHECK(result);
}

/* Ways to lose a device */

/* The worker is idle: the driver notices that it ended when work is submitted. */
static bool kill_idle(const struct scene *s)
{
	const int64_t end = patience_end();
	VkResult result;
	bool killed;

	submit_later(s);
	killed = workers_kill_youngest();
	do
		result = vkQueueWaitIdle(s->vk.queue);
	while (result == VK_SUCCESS && patience_pause(end));
	return killed && result == VK_ERROR_DEVICE_LOST;
}

static bool kill_busy(const struct scene *s)
{
	const bool stopped = workers_stop_youngest();

	submit_dispatch(s, FEW);
	submit_later(s);
	return stopped && workers_kill_youngest() &&
	       vkWaitForFences(s->vk.device, 1, &s->fence, true, UINT64_MAX) ==
		       VK_ERROR_DEVICE_LOST;
}

/* Writes far past the end of a buffer. */
static bool refuse(const struct scene *s)
{
	VkCommandBuffer cmd = record(s, FEW);

	vkCmdFillBuffer(cmd, s->words.buffer, 1 << 30, 4, 1);
	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(submit(s, cmd, s->fence));
	submit_later(s);
	return vkWaitForFences(s->vk.device, 1, &s->fence, true, UINT64_MAX) ==
	       VK_ERROR_DEVICE_LOST;
}

static bool hang(const struct scene *s)
{
	submit_dispatch(s, ENDLESS);
	submit_later(s);
	return vkDeviceWaitIdle(s->vk.device) == VK_ERROR_DEVICE_LOST;
}

static const struct way ways[] = {
	{ "a worker that is killed while it has nothing to do", kill_idle,
	  SUNDOG_FAULT_CODE_WORKER,
	  "the renderer's process for this device ended, not by its own work" },
	{ "a worker that is killed at work", kill_busy, SUNDOG_FAULT_CODE_WORKER,
	  "the renderer's process for this device ended, by its own work" },
	{ "a command that is refused", refuse, SUNDOG_FAULT_CODE_RANGE, "in fill_buffer" },
	{ "a shader that takes too long", hang, SUNDOG_FAULT_CODE_TIMEOUT,
	  "work took too long, by its own work" },
};

/* Waits that begin before the device is lost */

static VkResult wait_for_never(const struct scene *s)
{
	const uint64_t value = NEVER;
	const VkSemaphoreWaitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.semaphoreCount = 1,
		.pSemaphores = &s->timeline,
		.pValues = &value,
	};
	const PFN_vkWaitSemaphores wait =
		(PFN_vkWaitSemaphores)vkGetDeviceProcAddr(s->vk.device, "vkWaitSemaphoresKHR");

	return wait(s->vk.device, &info, UINT64_MAX);
}

/* Waits for a semaphore value that is never signaled. */
static void *wait_for_semaphore(void *scene)
{
	const struct scene *s = scene;

	return (void *)(intptr_t)wait_for_never(s);
}

/* Waits for a fence of a submission that cannot be submitted. */
static void *wait_for_later(void *scene)
{
	const struct scene *s = scene;

	return (void *)(intptr_t)vkWaitForFences(s->vk.device, 1, &s->later, true, UINT64_MAX);
}

static bool is_told(pthread_t thread)
{
	void *result;

	pthread_join(thread, &result);
	return (VkResult)(intptr_t)result == VK_ERROR_DEVICE_LOST;
}

/* Use of a lost device */

static bool fault_is(const struct scene *s, const struct way *way)
{
	VkDeviceFaultCountsEXT counts = { .sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT };
	VkDeviceFaultVendorInfoEXT infos[4] = { 0 };
	VkDeviceFaultInfoEXT info = { .sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT,
				      .pVendorInfos = infos };

	if (s->get_fault(vk.device, &counts, NULL) || !counts.vendorInfoCount ||
	    counts.vendorInfoCount > 4)
		return false;
	if (s->get_fault(vk.device, &counts, &info))
		return false;
	printf("# %s\n", info.description);
	return infos[0].vendorFaultCode == way->code && strstr(info.description, way->words);
}

/* Calls that may wait, or that query progress, return VK_ERROR_DEVICE_LOST. */
static bool waits_end(const struct scene *s)
{
	const PFN_vkGetSemaphoreCounterValue get_value =
		(PFN_vkGetSemaphoreCounterValue)vkGetDeviceProcAddr(
			vk.device, "vkGetSemaphoreCounterValueKHR");
	uint64_t value;

	return vkWaitForFences(vk.device, 1, &s->later, true, UINT64_MAX) == VK_ERROR_DEVICE_LOST &&
	       vkGetFenceStatus(vk.device, s->later) == VK_ERROR_DEVICE_LOST &&
	       wait_for_never(s) == VK_ERROR_DEVICE_LOST &&
	       get_value(vk.device, s->timeline, &value) == VK_ERROR_DEVICE_LOST &&
	       vkQueueWaitIdle(vk.queue) == VK_ERROR_DEVICE_LOST &&
	       vkDeviceWaitIdle(vk.device) == VK_ERROR_DEVICE_LOST &&
	       vkGetEventStatus(vk.device, s->event) == VK_ERROR_DEVICE_LOST &&
	       vkGetQueryPoolResults(
		       vk.device, s->queries, 0, 1, sizeof(value), &value, sizeof(value),
		       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT) == VK_ERROR_DEVICE_LOST;
}

/* Calls that need the CPU only still work; submissions return VK_ERROR_DEVICE_LOST. */
static bool work_is_refused(const struct scene *s)
{
	const struct vk_buffer buffer = vk_buffer_new(4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	VkCommandBuffer cmd = record(s, FEW);
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = { 4, 4, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	VkImage image;
	bool ok;

	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &image));
	vkDestroyImage(vk.device, image, NULL);
	vkCmdFillBuffer(cmd, buffer.buffer, 0, 4, 1);
	VK_CHECK(vkEndCommandBuffer(cmd));
	ok = submit(s, cmd, VK_NULL_HANDLE) == VK_ERROR_DEVICE_LOST &&
	     submit(s, VK_NULL_HANDLE, VK_NULL_HANDLE) == VK_ERROR_DEVICE_LOST &&
	     vkSetEvent(vk.device, s->event) == VK_SUCCESS &&
	     vkResetEvent(vk.device, s->event) == VK_SUCCESS &&
	     vkResetFences(vk.device, 1, &s->fence) == VK_SUCCESS;
	vk_buffer_del(&buffer);
	return ok;
}

/* A device that is created now has another worker, and works. */
static bool begins_anew(void)
{
	const struct scene s = scene_new();
	const bool ok = computes(&s);

	scene_del(&s);
	return ok;
}

static void test_way(const struct way *way, const struct scene *beside)
{
	struct scene s = scene_new();
	pthread_t waiters[2];
	bool ok;

	pthread_create(&waiters[0], NULL, wait_for_semaphore, &s);
	pthread_create(&waiters[1], NULL, wait_for_later, &s);
	tap(computes(&s), "%s: a device works", way->name);
	tap(way->lose(&s), "%s: and is lost", way->name);
	tap(fault_is(&s, way), "%s: which is described", way->name);
	ok = is_told(waiters[0]);
	ok &= is_told(waiters[1]);
	tap(ok, "%s: who waits is told", way->name);
	use(&s);
	tap(waits_end(&s), "%s: and who would wait", way->name);
	tap(work_is_refused(&s), "%s: it takes no more work", way->name);
	tap(*(uint32_t *)s.words.map == PATTERN, "%s: its memory is there", way->name);
	tap(computes(beside), "%s: another device goes on", way->name);
	scene_del(&s);
	tap(begins_anew(), "%s: the next device works", way->name);
}

/* Another process with a device */

/* Dispatches until @until can be read. Closes @ready after the first result. */
static int compute_on(int until, int ready)
{
	const struct scene s = scene_new();
	bool ok = true;
	fd_set fds;
	struct timeval pause;

	do {
		ok &= computes(&s);
		if (ready >= 0)
			close(ready);
		ready = -1;
		FD_ZERO(&fds);
		FD_SET(until, &fds);
		pause = (struct timeval){ 0, 20000 };
	} while (!select(until + 1, &fds, NULL, NULL, &pause));
	scene_del(&s);
	return !ok;
}

static pid_t start_neighbour(int *until)
{
	int ready[2], end[2];
	pid_t child;
	char c;

	if (pipe(ready) || pipe(end))
		err(1, "pipe");
	child = fork();
	if (!child) {
		close(ready[0]);
		close(end[1]);
		_exit(compute_on(end[0], ready[1]));
	}
	close(ready[1]);
	close(end[0]);
	/* The child closes the pipe after its first result, or when it dies. */
	while (read(ready[0], &c, 1) > 0)
		;
	close(ready[0]);
	*until = end[1];
	return child;
}

static bool neighbour_was_well(pid_t child, int until)
{
	int status;

	close(until);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The test relies on how sundog loses devices: other drivers skip it. */
static bool is_sundog(void)
{
	bool is;

	vk_open();
	is = strstr(vk.properties.deviceName, "sundog");
	vk_close();
	return is;
}

int main(void)
{
	struct scene beside;
	pid_t neighbour;
	int until;

	if (!is_sundog()) {
		printf("ok - # SKIP it is not sundog\n");
		return 0;
	}
	neighbour = start_neighbour(&until);
	beside = scene_new();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		test_way(&ways[i], &beside);
	scene_del(&beside);
	tap(neighbour_was_well(neighbour, until),
	    "the device of another process went on all the time");
	return tap_failures() != 0;
}
