// SPDX-License-Identifier: MIT
/*
 * Vulkan: memory imported from host pointers (VK_EXT_external_memory_host). Copies read and write
 * pages of the process, and nothing else in those pages changes; ranges that cannot be imported are
 * refused. Runs on the first Vulkan device, in one thread but for test_early_free(). Prints TAP.
 */
#define _GNU_SOURCE
#include <err.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vk.h"

#define HOST VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT
#define FOREIGN VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_MAPPED_FOREIGN_MEMORY_BIT_EXT
#define COPIES (VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)
/* Not a multiple of what a driver may copy at once. */
#define PAGES 100
#define SIDE 32

static PFN_vkGetMemoryHostPointerPropertiesEXT get_properties;
static uint64_t page;

/* A buffer that begins where @at does, in imported memory. */
struct import {
	VkDeviceMemory memory;
	VkBuffer buffer;
	uint8_t *at;
	VkDeviceSize size;
};

static uint8_t *pages_new(int n, int protection)
{
	uint8_t *at = mmap(NULL, n * page, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

/* Returns shared pages of a memfd, which another process could map, too. */
static uint8_t *shared_pages_new(int n)
{
	const int fd = memfd_create("vk-host-memory", MFD_CLOEXEC);
	uint8_t *at = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, n * page))
		at = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		err(1, "memfd");
	close(fd);
	return at;
}

static uint32_t type_bits(const void *at, VkExternalMemoryHandleTypeFlagBits type)
{
	VkMemoryHostPointerPropertiesEXT p = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
	};

	return get_properties(vk.device, type, at, &p) == VK_SUCCESS ? p.memoryTypeBits : 0;
}

static VkResult allocate(void *at, VkDeviceSize size, uint32_t bits, VkDeviceMemory *memory)
{
	const VkImportMemoryHostPointerInfoEXT from = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = HOST, .pHostPointer = at,
	};
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &from, size, (uint32_t)__builtin_ctz(bits),
	};

	return vkAllocateMemory(vk.device, &info, NULL, memory);
}

static struct import import_as(uint8_t *at, VkDeviceSize size, VkBufferUsageFlags usage)
{
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = HOST,
	};
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external,
		.size = size, .usage = usage,
	};
	struct import i = { .at = at, .size = size };
	VkMemoryRequirements needs;
	uint32_t bits;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &i.buffer));
	vkGetBufferMemoryRequirements(vk.device, i.buffer, &needs);
	bits = type_bits(at, HOST) & needs.memoryTypeBits;
	if (!bits)
		errx(1, "no memory type is for both the pointer and the buffer");
	VK_CHECK(allocate(at, size, bits, &i.memory));
	VK_CHECK(vkBindBufferMemory(vk.device, i.buffer, i.memory, 0));
	return i;
}

static struct import import_new(uint8_t *at, int n_pages)
{
	return import_as(at, n_pages * page, COPIES);
}

static void import_del(const struct import *i)
{
	vkDestroyBuffer(vk.device, i->buffer, NULL);
	vkFreeMemory(vk.device, i->memory, NULL);
}

static uint8_t byte_of(size_t i, int seed)
{
	return (i * 7 + (i >> 8) * 13 + seed) & 0xff;
}

static void fill(uint8_t *at, size_t size, int seed)
{
	for (size_t i = 0; i < size; i++)
		at[i] = byte_of(i, seed);
}

static bool is_filled(const uint8_t *at, size_t size, int seed)
{
	for (size_t i = 0; i < size; i++)
		if (at[i] != byte_of(i, seed)) {
			printf("# byte %zu is %u, not %u\n", i, at[i], byte_of(i, seed));
			return false;
		}
	return true;
}

static void copy(VkCommandBuffer cmd, VkBuffer from, VkBuffer to, VkDeviceSize from_offset,
		 VkDeviceSize to_offset, VkDeviceSize size)
{
	const VkBufferCopy region = { from_offset, to_offset, size };

	vkCmdCopyBuffer(cmd, from, to, 1, &region);
	vk_barrier(cmd);
}

static void run_copy(VkBuffer from, VkBuffer to, VkDeviceSize from_offset, VkDeviceSize to_offset,
		     VkDeviceSize size)
{
	VkCommandBuffer cmd = vk_begin();

	copy(cmd, from, to, from_offset, to_offset, size);
	vk_run(cmd);
}

/* Submits a copy. The caller waits for it and frees the command buffer. */
static VkCommandBuffer submit_copy(VkBuffer from, VkBuffer to, VkDeviceSize size, VkFence fence)
{
	VkCommandBuffer cmd = vk_begin();
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1, .pCommandBuffers = &cmd,
	};

	copy(cmd, from, to, 0, 0, size);
	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, fence));
	return cmd;
}

static void test_properties(void)
{
	const VkPhysicalDeviceExternalBufferInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
		.usage = COPIES, .handleType = HOST,
	};
	VkExternalBufferProperties p = { .sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES };
	VkPhysicalDeviceMemoryProperties memory;
	uint8_t *at = pages_new(1, PROT_READ | PROT_WRITE);
	const uint32_t bits = type_bits(at, HOST);
	bool visible = bits;

	vkGetPhysicalDeviceExternalBufferProperties(vk.physical, &info, &p);
	tap((p.externalMemoryProperties.externalMemoryFeatures &
	     VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) &&
	    (p.externalMemoryProperties.compatibleHandleTypes & HOST), "buffers can be imported");
	tap(page && !(page & (page - 1)) && page <= 65536, "the alignment is that of pages");
	vkGetPhysicalDeviceMemoryProperties(vk.physical, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
		if (bits >> i & 1 && !(memory.memoryTypes[i].propertyFlags &
				       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
			visible = false;
	tap(visible, "the CPU sees memory of the types that a pointer has");
	munmap(at, page);
}

/* VkPhysicalDeviceMemoryProperties: a type with some of the flags of another comes before it. */
static void test_types(void)
{
	VkPhysicalDeviceMemoryProperties p;
	bool ok = true;

	vkGetPhysicalDeviceMemoryProperties(vk.physical, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++)
		for (uint32_t j = 0; j < i; j++) {
			const uint32_t later = p.memoryTypes[i].propertyFlags;
			const uint32_t earlier = p.memoryTypes[j].propertyFlags;

			ok = ok && !(later != earlier && (later & earlier) == later);
		}
	tap(ok, "memory types are in order");
}

static void test_upload(uint8_t *at, const char *what)
{
	struct vk_buffer b = vk_buffer_new(PAGES * page, COPIES);
	struct import i = import_new(at, PAGES);
	bool ok;

	fill(at, i.size, 1);
	run_copy(i.buffer, b.buffer, 0, 0, i.size);
	ok = is_filled(b.map, i.size, 1);
	fill(at, i.size, 2);
	run_copy(i.buffer, b.buffer, 0, 0, i.size);
	tap(is_filled(b.map, i.size, 2) && ok, "%s is read, and again when it has changed", what);
	tap(is_filled(at, i.size, 2), "%s stays as it is", what);
	import_del(&i);
	vk_buffer_del(&b);
}

static void test_download(uint8_t *at, const char *what)
{
	struct vk_buffer b = vk_buffer_new(PAGES * page, COPIES);
	struct import i = import_new(at, PAGES);
	const size_t begin = 999, end = 3 * page + 77;

	fill(b.map, b.size, 3);
	fill(at, i.size, 4);
	run_copy(b.buffer, i.buffer, begin, begin, end - begin);
	/* The value of a byte depends on its offset. */
	for (size_t k = 0; k < end; k++)
		((uint8_t *)b.map)[k] = k < begin ? byte_of(k, 4) : byte_of(k, 3);
	tap(!memcmp(at, b.map, end), "%s is written", what);
	for (size_t k = end; k < i.size; k++)
		((uint8_t *)b.map)[k] = byte_of(k, 4);
	tap(!memcmp(at + end, (uint8_t *)b.map + end, i.size - end), "%s is not written beyond",
	    what);
	import_del(&i);
	vk_buffer_del(&b);
}

/* Other threads' data in the same pages changes while the device writes. */
static void test_neighbours(void)
{
	uint8_t *at = pages_new(PAGES, PROT_READ | PROT_WRITE);
	struct vk_buffer b = vk_buffer_new(page, COPIES);
	struct import i = import_new(at, PAGES);
	VkCommandBuffer cmd;
	bool ok;

	fill(b.map, b.size, 5);
	memset(at, 0xaa, i.size);
	cmd = submit_copy(b.buffer, i.buffer, page, VK_NULL_HANDLE);
	memset(at + page, 0xbb, i.size - page);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	memset(at + 2 * page, 0xcc, page);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	ok = is_filled(at, page, 5);
	for (size_t k = page; k < i.size; k++)
		ok = ok && at[k] == (k >= 2 * page && k < 3 * page ? 0xcc : 0xbb);
	tap(ok, "bytes that the device does not write stay the CPU's");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	import_del(&i);
	vk_buffer_del(&b);
	munmap(at, PAGES * page);
}

/* Commands see what earlier commands wrote to the import before the CPU has waited. */
static void test_in_flight(void)
{
	uint8_t *at = pages_new(PAGES, PROT_READ | PROT_WRITE);
	struct vk_buffer a = vk_buffer_new(PAGES * page, COPIES);
	struct vk_buffer b = vk_buffer_new(PAGES * page, COPIES);
	struct import i = import_new(at, PAGES);
	VkCommandBuffer cmd = vk_begin(), later[2];

	fill(a.map, a.size, 6);
	copy(cmd, a.buffer, i.buffer, 0, 0, i.size);
	copy(cmd, i.buffer, b.buffer, 0, 0, i.size);
	vk_run(cmd);
	tap(is_filled(b.map, b.size, 6) && is_filled(at, i.size, 6),
	    "written and read by a submission");
	fill(a.map, a.size, 7);
	later[0] = submit_copy(a.buffer, i.buffer, i.size, VK_NULL_HANDLE);
	later[1] = submit_copy(i.buffer, b.buffer, i.size, VK_NULL_HANDLE);
	VK_CHECK(vkDeviceWaitIdle(vk.device));
	tap(is_filled(b.map, b.size, 7) && is_filled(at, i.size, 7),
	    "written by one, read by the next");
	vkFreeCommandBuffers(vk.device, vk.pool, 2, later);
	import_del(&i);
	vk_buffer_del(&a);
	vk_buffer_del(&b);
	munmap(at, PAGES * page);
}

static VkCommandBuffer submit_timeline(const struct vk_buffer *from, const struct import *to,
				       VkSemaphore timeline, uint64_t value)
{
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.signalSemaphoreValueCount = 1, .pSignalSemaphoreValues = &value,
	};
	VkCommandBuffer cmd = vk_begin();
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &values,
		.commandBufferCount = 1, .pCommandBuffers = &cmd,
		.signalSemaphoreCount = 1, .pSignalSemaphores = &timeline,
	};

	copy(cmd, from->buffer, to->buffer, 0, 0, to->size);
	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE));
	return cmd;
}

/* The CPU must see the data after each way to wait for a submission. */
static void test_waits(void)
{
	const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	uint8_t *at = pages_new(PAGES, PROT_READ | PROT_WRITE);
	struct vk_buffer b = vk_buffer_new(PAGES * page, COPIES);
	struct import i = import_new(at, PAGES);
	VkSemaphore timeline = vk_timeline_new(0);
	uint64_t value = 1;
	const VkSemaphoreWaitInfo wait = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.semaphoreCount = 1, .pSemaphores = &timeline, .pValues = &value,
	};
	const PFN_vkGetSemaphoreCounterValueKHR get_value =
		VK_FUNCTION(vkGetSemaphoreCounterValueKHR);
	VkCommandBuffer cmds[4];
	VkFence fence;

	VK_CHECK(vkCreateFence(vk.device, &fence_info, NULL, &fence));
	fill(b.map, b.size, 8);
	cmds[0] = submit_copy(b.buffer, i.buffer, i.size, fence);
	VK_CHECK(vkWaitForFences(vk.device, 1, &fence, VK_TRUE, UINT64_MAX));
	tap(is_filled(at, i.size, 8), "vkWaitForFences()");
	VK_CHECK(vkResetFences(vk.device, 1, &fence));
	fill(b.map, b.size, 9);
	cmds[1] = submit_copy(b.buffer, i.buffer, i.size, fence);
	while (vkGetFenceStatus(vk.device, fence) == VK_NOT_READY)
		;
	tap(is_filled(at, i.size, 9), "vkGetFenceStatus()");
	fill(b.map, b.size, 10);
	cmds[2] = submit_timeline(&b, &i, timeline, value);
	VK_CHECK(VK_FUNCTION(vkWaitSemaphoresKHR)(vk.device, &wait, UINT64_MAX));
	tap(is_filled(at, i.size, 10), "vkWaitSemaphores()");
	fill(b.map, b.size, 11);
	cmds[3] = submit_timeline(&b, &i, timeline, 2);
	do
		VK_CHECK(get_value(vk.device, timeline, &value));
	while (value < 2);
	tap(is_filled(at, i.size, 11), "vkGetSemaphoreCounterValue()");
	VK_CHECK(vkDeviceWaitIdle(vk.device));
	vkFreeCommandBuffers(vk.device, vk.pool, 4, cmds);
	vkDestroySemaphore(vk.device, timeline, NULL);
	vkDestroyFence(vk.device, fence, NULL);
	import_del(&i);
	vk_buffer_del(&b);
	munmap(at, PAGES * page);
}

static void test_image(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM, .extent = { SIDE, SIDE, 1 },
		.mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	/* Rows have padding, and the first row does not begin at a page boundary. */
	const VkBufferImageCopy region = {
		.bufferOffset = 100, .bufferRowLength = SIDE + 5,
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = { SIDE, SIDE, 1 },
	};
	const size_t row = (SIDE + 5) * 4;
	uint8_t *from = pages_new(4, PROT_READ | PROT_WRITE);
	uint8_t *to = pages_new(4, PROT_READ | PROT_WRITE);
	struct import source = import_new(from, 4), target = import_new(to, 4);
	struct vk_image image = vk_image_new(&info);
	VkCommandBuffer cmd = vk_begin();
	bool rows = true, gaps = true;

	fill(from, source.size, 12);
	memset(to, 0xdd, target.size);
	vkCmdCopyBufferToImage(cmd, source.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1,
			       &region);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, target.buffer, 1,
			       &region);
	vk_barrier(cmd);
	vk_run(cmd);
	for (size_t k = 0; k < target.size; k++) {
		const size_t in_rows = k - 100;

		if (k >= 100 && in_rows / row < SIDE && in_rows % row < SIDE * 4)
			rows = rows && to[k] == from[k];
		else
			gaps = gaps && to[k] == 0xdd;
	}
	tap(rows, "rows of an image are read and written");
	tap(gaps, "bytes between rows are not");
	vk_image_del(&image);
	import_del(&source);
	import_del(&target);
	munmap(from, 4 * page);
	munmap(to, 4 * page);
}

/* The planes of a picture are adjacent, so that two imports share a page. */
static void test_overlap(void)
{
	uint8_t *at = pages_new(3, PROT_READ | PROT_WRITE);
	struct vk_buffer b = vk_buffer_new(3 * page, COPIES);
	struct import first = import_new(at, 2), second = import_new(at + page, 2);
	const size_t middle = page + page / 2;
	VkCommandBuffer cmd = vk_begin();

	fill(b.map, b.size, 13);
	memset(at, 0, 3 * page);
	copy(cmd, b.buffer, first.buffer, 0, 0, middle);
	copy(cmd, b.buffer, second.buffer, middle, middle - page, 3 * page - middle);
	vk_run(cmd);
	tap(is_filled(at, 3 * page, 13), "two imports with a page in common are written");
	import_del(&first);
	import_del(&second);
	vk_buffer_del(&b);
	munmap(at, 3 * page);
}

/* The data of the last submission must remain, whichever of the two imports is older. */
static void test_order(void)
{
	uint8_t *at = pages_new(1, PROT_READ | PROT_WRITE);
	struct vk_buffer b[2] = { vk_buffer_new(page, COPIES), vk_buffer_new(page, COPIES) };
	struct import imports[2] = { import_new(at, 1), import_new(at, 1) };
	bool ok = true;

	for (int last = 0; last < 2; last++) {
		VkCommandBuffer cmds[2];

		/* Each byte changes its value: the driver cannot detect a write that does not. */
		for (int i = 0; i < 2; i++)
			memset(b[i].map, 20 + last * 2 + i, page);
		cmds[0] = submit_copy(b[!last].buffer, imports[!last].buffer, page, VK_NULL_HANDLE);
		cmds[1] = submit_copy(b[last].buffer, imports[last].buffer, page, VK_NULL_HANDLE);
		VK_CHECK(vkQueueWaitIdle(vk.queue));
		for (size_t i = 0; i < page; i++)
			ok = ok && at[i] == 20 + last * 2 + last;
		vkFreeCommandBuffers(vk.device, vk.pool, 2, cmds);
	}
	tap(ok, "of two imports of a page the one written last counts");
	for (int i = 0; i < 2; i++) {
		import_del(&imports[i]);
		vk_buffer_del(&b[i]);
	}
	munmap(at, page);
}

struct race {
	VkSemaphore timeline;
	uint64_t value;
	VkFence other;			/* signalled */
	bool stop;
};

/*
 * Signals the semaphore after a moment, so that this thread makes the submission that waits for it.
 */
static void *signal_value(void *arg)
{
	const struct race *race = arg;
	const VkSemaphoreSignalInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
		.semaphore = race->timeline, .value = race->value,
	};

	usleep(10000);
	VK_CHECK(VK_FUNCTION(vkSignalSemaphoreKHR)(vk.device, &info));
	return NULL;
}

/* vkGetFenceStatus() makes the driver look at the large import most of the time. */
static void *ask_for_other(void *arg)
{
	struct race *race = arg;

	while (!__atomic_load_n(&race->stop, __ATOMIC_RELAXED))
		vkGetFenceStatus(vk.device, race->other);
	return NULL;
}

static VkFence fence_new(VkFenceCreateFlags flags)
{
	const VkFenceCreateInfo info = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, flags };
	VkFence fence;

	VK_CHECK(vkCreateFence(vk.device, &info, NULL, &fence));
	return fence;
}

/* Submits a copy to @to and a fill of 64 bytes of @large, which wait for race->value. */
static VkFence submit_waiting(const struct race *race, const struct vk_buffer *from,
			      const struct import *to, const struct import *large,
			      VkCommandPool pool)
{
	static const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = 1, .pWaitSemaphoreValues = &race->value,
	};
	const VkCommandBufferAllocateInfo allocate = {
		VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		NULL,
		pool,
		VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		1,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO
	};
	VkCommandBuffer cmd;
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &race->timeline,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &cmd,
	};
	const VkFence fence = fence_new(0);

	VK_CHECK(vkAllocateCommandBuffers(vk.device, &allocate, &cmd));
	VK_CHECK(vkBeginCommandBuffer(cmd, &begin));
	copy(cmd, from->buffer, to->buffer, 0, 0, to->size);
	vkCmdFillBuffer(cmd, large->buffer, 0, 64, (uint32_t)race->value);
	VK_CHECK(vkEndCommandBuffer(cmd));
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, fence));
	return fence;
}

/*
 * After a wait for a fence, a program may free all objects that the submission used, even before
 * vkQueueSubmit() has returned in another thread (Vulkan, Fences). M_PERTURB overwrites freed
 * memory, so that a use of it crashes.
 */
static void test_early_free(void)
{
	enum { LARGE_PAGES = 16384 };
	const VkCommandPoolCreateInfo pool_info = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
						    NULL, 0, 0 };
	uint8_t *at = pages_new(1, PROT_READ | PROT_WRITE),
		*large_at = pages_new(LARGE_PAGES, PROT_READ | PROT_WRITE);
	struct race race = { .timeline = vk_timeline_new(0),
			     .other = fence_new(VK_FENCE_CREATE_SIGNALED_BIT) };
	struct vk_buffer b = vk_buffer_new(page, COPIES);
	struct import large = import_new(large_at, LARGE_PAGES);
	const int rounds = tap_rounds(40, 400);
	pthread_t asker, signaller;
	bool ok = true;

	mallopt(M_PERTURB, 165);
	pthread_create(&asker, NULL, ask_for_other, &race);
	for (int k = 0; ok && k < rounds; k++) {
		struct import i = import_new(at, 1);
		VkCommandPool pool;
		VkFence fence;

		fill(b.map, b.size, k);
		VK_CHECK(vkCreateCommandPool(vk.device, &pool_info, NULL, &pool));
		race.value = k + 1;
		fence = submit_waiting(&race, &b, &i, &large, pool);
		pthread_create(&signaller, NULL, signal_value, &race);
		VK_CHECK(vkWaitForFences(vk.device, 1, &fence, VK_TRUE, UINT64_MAX));
		ok = is_filled(at, page, k);
		vkDestroyCommandPool(vk.device, pool, NULL);
		import_del(&i);
		pthread_join(signaller, NULL);
		vkDestroyFence(vk.device, fence, NULL);
	}
	__atomic_store_n(&race.stop, true, __ATOMIC_RELAXED);
	pthread_join(asker, NULL);
	mallopt(M_PERTURB, 0);
	tap(ok, "%d imports that are freed while another thread submits", rounds);
	vkDestroySemaphore(vk.device, race.timeline, NULL);
	vkDestroyFence(vk.device, race.other, NULL);
	import_del(&large);
	vk_buffer_del(&b);
	munmap(at, page);
	munmap(large_at, LARGE_PAGES * page);
}

/*
 * Commands other than copies: fills, updates, secondary command buffers; buffers with all usages.
 */
static void test_commands(void)
{
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
	};
	uint8_t *at = pages_new(2, PROT_READ | PROT_WRITE);
	struct vk_buffer b = vk_buffer_new(2 * page, COPIES);
	struct import i = import_new(at, 2);
	VkCommandBuffer cmd = vk_begin(), secondary;

	memset(at, 0xee, i.size);
	vkCmdFillBuffer(cmd, i.buffer, 64, 64, 0x01010101);
	vkCmdUpdateBuffer(cmd, i.buffer, 256, 4, "abcd");
	vk_barrier(cmd);
	vk_run(cmd);
	tap(at[63] == 0xee && at[64] == 1 && at[127] == 1 && at[128] == 0xee &&
	    !memcmp(at + 256, "abcd", 4) && at[260] == 0xee, "fills and updates");
	fill(b.map, b.size, 14);
	secondary = vk_begin_secondary(0, &inherits);
	copy(secondary, b.buffer, i.buffer, 0, 0, i.size);
	VK_CHECK(vkEndCommandBuffer(secondary));
	cmd = vk_begin();
	vkCmdExecuteCommands(cmd, 1, &secondary);
	vk_run(cmd);
	tap(is_filled(at, i.size, 14), "a secondary command buffer");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
	import_del(&i);

	i = import_as(at, 2 * page, COPIES | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
		      VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	fill(at, i.size, 15);
	run_copy(i.buffer, b.buffer, 0, 0, i.size);
	fill((uint8_t *)b.map + page, page, 16);
	run_copy(b.buffer, i.buffer, page, 0, page);
	tap(is_filled(b.map, page, 15) && is_filled(at, page, 16), "a buffer for other uses, too");
	import_del(&i);
	vk_buffer_del(&b);
	munmap(at, 2 * page);
}

static void test_mapping(void)
{
	uint8_t *at = pages_new(2, PROT_READ | PROT_WRITE);
	struct vk_buffer b = vk_buffer_new(2 * page, COPIES);
	struct import i = import_new(at, 2);
	const VkMappedMemoryRange range = {
		.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
		.memory = i.memory, .size = VK_WHOLE_SIZE,
	};
	void *map, *part;

	VK_CHECK(vkMapMemory(vk.device, i.memory, page, VK_WHOLE_SIZE, 0, &part));
	vkUnmapMemory(vk.device, i.memory);
	VK_CHECK(vkMapMemory(vk.device, i.memory, 0, VK_WHOLE_SIZE, 0, &map));
	tap(map == at && part == at + page, "a mapping is the pointer");
	fill(at, i.size, 17);
	VK_CHECK(vkFlushMappedMemoryRanges(vk.device, 1, &range));
	run_copy(i.buffer, b.buffer, 0, 0, i.size);
	tap(is_filled(b.map, b.size, 17), "ranges are flushed");
	fill(b.map, b.size, 18);
	run_copy(b.buffer, i.buffer, 0, 0, i.size);
	VK_CHECK(vkInvalidateMappedMemoryRanges(vk.device, 1, &range));
	tap(is_filled(at, i.size, 18), "ranges are invalidated");
	vkUnmapMemory(vk.device, i.memory);
	import_del(&i);
	vk_buffer_del(&b);
	munmap(at, 2 * page);
}

static bool is_refused(void *at, VkDeviceSize size, uint32_t bits)
{
	VkDeviceMemory memory;
	const VkResult result = allocate(at, size, bits, &memory);

	if (result == VK_SUCCESS)
		vkFreeMemory(vk.device, memory, NULL);
	return result == VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

static void test_refusals(void)
{
	uint8_t *good = pages_new(1, PROT_READ | PROT_WRITE);
	uint8_t *read_only = pages_new(1, PROT_READ), *guard = pages_new(1, PROT_NONE);
	uint8_t *hole = pages_new(3, PROT_READ | PROT_WRITE), *gone = pages_new(1, PROT_READ);
	const uint32_t bits = type_bits(good, HOST);

	munmap(gone, page);
	munmap(hole + page, page);
	tap(!type_bits(gone, HOST) && is_refused(gone, page, bits), "pages that are not mapped");
	tap(!type_bits(read_only, HOST) && is_refused(read_only, page, bits), "read-only pages");
	tap(!type_bits(guard, HOST) && is_refused(guard, page, bits), "pages without access");
	tap(is_refused(hole, 3 * page, bits), "a range with a hole");
	tap(is_refused(NULL, page, bits), "a null pointer");
	tap(is_refused((void *)-page, page, bits), "the end of the address space");
	tap(is_refused(good + 8, page, bits), "a pointer within a page");
	tap(!type_bits(good, FOREIGN), "memory of another device");
	*good = 1;
	tap(*good == 1 && !good[1], "a pointer that was asked about keeps its bytes");
	munmap(good, page);
	munmap(read_only, page);
	munmap(guard, page);
	munmap(hole, page);
	munmap(hole + 2 * page, page);
}

/*
 * Invalid usage that occurs in programs: the pages are unmapped before the import is destroyed,
 * while commands use it.
 */
static void test_unmapped(void)
{
	uint8_t *at = pages_new(PAGES, PROT_READ | PROT_WRITE);
	struct vk_buffer b = vk_buffer_new(PAGES * page, COPIES);
	struct import i = import_new(at, PAGES);
	VkCommandBuffer cmd;

	fill(at, i.size, 19);
	cmd = submit_copy(i.buffer, b.buffer, i.size, VK_NULL_HANDLE);
	munmap(at, PAGES * page);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	tap(is_filled(b.map, b.size, 19), "pages that are unmapped behind a submission were read");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	run_copy(i.buffer, b.buffer, 0, 0, i.size);
	import_del(&i);
	vk_buffer_del(&b);

	at = pages_new(PAGES, PROT_READ | PROT_WRITE);
	b = vk_buffer_new(PAGES * page, COPIES);
	i = import_new(at, PAGES);
	fill(b.map, b.size, 20);
	cmd = submit_copy(b.buffer, i.buffer, i.size, VK_NULL_HANDLE);
	mprotect(at, PAGES * page, PROT_READ);
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	import_del(&i);
	vk_buffer_del(&b);
	tap(!at[5 * page], "pages that became read-only are not written");
	munmap(at, PAGES * page);
}

/* One import for each picture, as a video player makes them. */
static void test_many(void)
{
	struct vk_buffer b = vk_buffer_new(8 * page, COPIES);
	uint8_t *at = malloc(9 * page);
	uint8_t *begin = (uint8_t *)(((uintptr_t)at + page - 1) & ~(page - 1));
	const int rounds = tap_rounds(50, 1000);
	bool ok = true;

	for (int k = 0; ok && k < rounds; k++) {
		struct import i = import_new(begin, 8);

		fill(b.map, b.size, k);
		run_copy(b.buffer, i.buffer, 0, 0, i.size);
		ok = is_filled(begin, i.size, k);
		import_del(&i);
	}
	tap(ok, "%d imports after each other", rounds);
	free(at);
	vk_buffer_del(&b);
}

int main(void)
{
	static const char *const extension = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
	};
	VkPhysicalDeviceProperties2 properties = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &host, { 0 },
	};
	uint8_t *anonymous, *shared;

	vk_open_with(NULL, 0, &extension, 1);
	get_properties = VK_FUNCTION(vkGetMemoryHostPointerPropertiesEXT);
	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	page = host.minImportedHostPointerAlignment;
	anonymous = pages_new(PAGES, PROT_READ | PROT_WRITE);
	shared = shared_pages_new(PAGES);
	test_properties();
	test_types();
	test_upload(anonymous, "anonymous memory");
	test_upload(shared, "shared memory");
	test_download(anonymous, "anonymous memory");
	test_download(shared, "shared memory");
	test_neighbours();
	test_in_flight();
	test_waits();
	test_image();
	test_overlap();
	test_order();
	test_commands();
	test_mapping();
	test_refusals();
	test_unmapped();
	test_many();
	/* From here on, another thread submits work and reads pages later. */
	test_early_free();
	munmap(anonymous, PAGES * page);
	munmap(shared, PAGES * page);
	vk_close();
	return tap_failures() != 0;
}
