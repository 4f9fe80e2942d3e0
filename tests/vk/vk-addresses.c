// SPDX-License-Identifier: MIT
/*
 * Vulkan: shaders that read and write memory at addresses (VK_KHR_buffer_device_address), with
 * capture and replay of addresses and with evictions. Prints TAP.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-addresses-shaders.h"

#define SIDE 16
#define N_NODES 40
#define STEPS 8			/* of an invocation's group */
#define N_PARTS 7
#define OTHER_SIZE (4u << 20)	/* bytes of an allocation of the competing clients */
#define MAX_OTHER 16u

static struct {
	PFN_vkGetBufferDeviceAddressKHR address_of;
	PFN_vkGetDeviceMemoryOpaqueCaptureAddressKHR captured_of;
	bool captures;
	VkPipelineLayout layout;
} test;

/* Memory with an address */

static VkBuffer buffer_new(VkDeviceSize size)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
			 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
	};
	VkBuffer buffer;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &buffer));
	return buffer;
}

/* @captured: the opaque capture address to replay, or 0. */
static VkDeviceMemory memory_new(VkBuffer buffer, VkMemoryAllocateFlags more, uint64_t captured)
{
	const VkMemoryOpaqueCaptureAddressAllocateInfo replay = {
		VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO, NULL, captured,
	};
	const VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.pNext = captured ? &replay : NULL,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT | more,
	};
	VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				      .pNext = &flags };
	VkMemoryRequirements needs;
	VkDeviceMemory memory;

	vkGetBufferMemoryRequirements(vk.device, buffer, &needs);
	info.allocationSize = 2 * needs.size;
	info.memoryTypeIndex = vk_memory_type(needs.memoryTypeBits);
	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
	return memory;
}

static struct vk_buffer place_new(VkDeviceSize size, VkMemoryAllocateFlags more, uint64_t captured)
{
	struct vk_buffer b = { .buffer = buffer_new(size), .size = size };

	b.memory = memory_new(b.buffer, more, captured);
	VK_CHECK(vkBindBufferMemory(vk.device, b.buffer, b.memory, 0));
	VK_CHECK(vkMapMemory(vk.device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
	memset(b.map, 0, size);
	return b;
}

static uint64_t address_of(VkBuffer buffer)
{
	const VkBufferDeviceAddressInfo info = { VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL,
						 buffer };

	return test.address_of(vk.device, &info);
}

/* Pipelines */

static void compute(VkPipeline pipeline, const void *push, uint32_t size)
{
	VkCommandBuffer cmd = vk_begin();

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_ALL, 0, size, push);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
}

/* A render pass without attachments, for shaders that only store. */
static VkRenderPass pass_new(void)
{
	const VkSubpassDescription subpass = { 0 };
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.subpassCount = 1,
		.pSubpasses = &subpass,
	};
	VkRenderPass pass;

	VK_CHECK(vkCreateRenderPass(vk.device, &info, NULL, &pass));
	return pass;
}

static VkPipeline graphics_new(VkRenderPass pass)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(vk_addresses_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(vk_addresses_frag));
	p.info.pColorBlendState = NULL;
	p.info.renderPass = pass;
	return vk_pipeline_new(&p);
}

/* Lists */

struct node {
	uint64_t next;
	uint32_t value, visits;
};

/*
 * Links the nodes alternately through two buffers, backwards in the second one; values count from
 * @first. Returns the address of the first node.
 */
static uint64_t link_nodes(const struct vk_buffer places[2], uint32_t first)
{
	uint64_t next = 0;

	for (uint32_t i = N_NODES; i--;) {
		const uint32_t at = i % 2 ? N_NODES - i : i;
		struct node *node = (struct node *)places[i % 2].map + at;

		*node = (struct node){ next, first + i, 0 };
		next = address_of(places[i % 2].buffer) + at * sizeof(*node);
	}
	return next;
}

static bool list_is_right(VkPipeline pipeline, const struct vk_buffer places[2],
			  const struct vk_buffer *sums, uint32_t first)
{
	const uint64_t push[] = { link_nodes(places, first), address_of(sums->buffer) };
	bool ok = true;

	memset(sums->map, 0x5d, STEPS * 4);
	compute(pipeline, push, sizeof(push));
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t sum = 0;

		for (uint32_t k = i; k < N_NODES; k++)
			sum += first + k;
		ok &= ((uint32_t *)sums->map)[i] == sum;
	}
	for (uint32_t i = 0; i < N_NODES; i++) {
		const struct node *node =
			(struct node *)places[i % 2].map + (i % 2 ? N_NODES - i : i);

		ok &= node->visits == (i < STEPS ? i + 1 : STEPS);
	}
	return ok;
}

static void test_lists(void)
{
	VkPipeline pipeline = vk_compute_new(test.layout, VK_CODE(vk_addresses_list_comp));
	struct vk_buffer places[2] = { place_new(4096, 0, 0), place_new(4096, 0, 0) };
	const struct vk_buffer sums = place_new(4096, 0, 0);
	bool ok = list_is_right(pipeline, places, &sums, 100);

	tap(ok, "a list in several buffers, with atomic operations on its nodes");
	for (uint32_t i = 0; i < 20; i++) {
		vk_buffer_del(&places[i % 2]);
		places[i % 2] = place_new(4096 << i % 5, 0, 0);
		ok &= list_is_right(pipeline, places, &sums, 1000 * i);
	}
	tap(ok, "memory that is freed, and other memory in its place");
	vk_buffer_del(&places[0]);
	vk_buffer_del(&places[1]);
	vk_buffer_del(&sums);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Structures */

struct part {
	float f, v[3];
	uint32_t w[3];
	int64_t l;
	double d;
	float m[3][2];
};

struct parts {
	uint32_t n;
	struct part part[N_PARTS];
};

struct matrices {
	float rows[4][4], columns[2][4][4], more[2][4][4];
};

static struct part part_of(uint32_t i)
{
	struct part p = {
		.f = i,
		.v = { 10 + i, 20 + i, 30 + i },
		.w = { 40 + i, 50 + i, 60 + i },
		.l = (1ll << 40) + i,
		.d = 0.5 + i,
	};

	for (uint32_t k = 0; k < 6; k++)
		p.m[k / 2][k % 2] = 70 + i + k;
	return p;
}

static struct part expected_part(uint32_t i)
{
	const struct part from = part_of(i), next = part_of((i + 1) % N_PARTS);
	struct part p = from;

	p.f += 1;
	p.v[0] = from.v[2];
	p.w[i % 3] += 5;
	p.l *= -3;
	p.d = -p.d;
	p.m[i % 3][i % 2] = 9;
	p.w[(i + 1) % 3] = next.w[i % 3];
	p.v[2] = from.v[i % 3];
	return p;
}

static bool parts_are_right(const struct parts *to)
{
	for (uint32_t i = 0; i < N_PARTS; i++) {
		const struct part p = expected_part(i), *is = &to->part[i];

		if (p.f != is->f || memcmp(p.v, is->v, sizeof(p.v)) ||
		    memcmp(p.w, is->w, sizeof(p.w)) || p.l != is->l || p.d != is->d ||
		    memcmp(p.m, is->m, sizeof(p.m))) {
			printf("# part %u is wrong\n", i);
			return false;
		}
	}
	return true;
}

/*
 * Both matrices are in the shader's order: element [c][r] of a row-major matrix is at [r][c] here.
 */
static bool matrices_are_right(const struct matrices *before, const struct matrices *after)
{
	bool ok = true;

	for (uint32_t c = 0; c < 4; c++) {
		for (uint32_t r = 0; r < 4; r++) {
			float sum = 0;

			for (uint32_t k = 0; k < 4; k++)
				sum += before->rows[r][k] * before->columns[1][c][k];
			ok &= after->columns[0][c][r] == sum;
			ok &= after->rows[r][c] == before->rows[c][r];
			ok &= after->columns[1][c][r] == before->columns[1][c][r];
		}
	}
	/* Columns 0 and 3 are stored to the same address. */
	for (uint32_t i = 1; i < 3; i++) {
		for (uint32_t r = 0; r < 4; r++)
			ok &= after->more[1][r][i] == before->rows[r][i];
		ok &= after->more[0][i][i] == before->rows[3 - i][i];
	}
	return ok;
}

static void test_parts(void)
{
	VkPipeline pipeline = vk_compute_new(test.layout, VK_CODE(vk_addresses_parts_comp));
	const struct vk_buffer from = place_new(4096, 0, 0), to = place_new(4096, 0, 0),
			       m = place_new(4096, 0, 0);
	const struct vk_buffer places = place_new(4096, 0, 0);
	const uint64_t push = address_of(places.buffer);
	struct parts *parts = from.map;
	struct matrices before;

	parts->n = N_PARTS;
	for (uint32_t i = 0; i < N_PARTS; i++)
		parts->part[i] = part_of(i);
	for (uint32_t i = 0; i < sizeof(before) / 4; i++)
		((float *)m.map)[i] = i * i % 23;
	before = *(struct matrices *)m.map;
	((uint64_t *)places.map)[0] = address_of(from.buffer);
	((uint64_t *)places.map)[1] = address_of(to.buffer);
	((uint64_t *)places.map)[2] = address_of(m.buffer);
	compute(pipeline, &push, sizeof(push));
	tap(parts_are_right(to.map), "structs of numbers of all widths, whole and in part");
	tap(matrices_are_right(&before, m.map), "matrices by rows and by columns");
	vk_buffer_del(&from);
	vk_buffer_del(&to);
	vk_buffer_del(&m);
	vk_buffer_del(&places);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Draws */

static void draw(VkRenderPass pass, VkPipeline pipeline, const uint64_t push[3])
{
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass,
		.framebuffer = vk_framebuffer_new(pass, NULL, 0, SIDE),
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_ALL, 0, 24, push);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	vkCmdEndRenderPass(cmd);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroyFramebuffer(vk.device, begin.framebuffer, NULL);
}

static void test_draws(void)
{
	static const float corners[][2] = { { -1, -1 }, { 3, -1 }, { -1, 3 } };
	VkRenderPass pass = pass_new();
	VkPipeline pipeline = graphics_new(pass);
	const struct vk_buffer vertices = place_new(4096, 0, 0), words = place_new(4096, 0, 0);
	const uint64_t push[] = { address_of(vertices.buffer), address_of(words.buffer), SIDE };
	uint32_t *word = words.map;
	bool ok = true;

	memcpy(vertices.map, corners, sizeof(corners));
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		word[i] = 1000;
	draw(pass, pipeline, push);
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		ok &= word[i] == 1000 + i;
	tap(ok && word[SIDE * SIDE] == SIDE * SIDE,
	    "vertices from an address, fragments that change words there");
	vk_buffer_del(&vertices);
	vk_buffer_del(&words);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyRenderPass(vk.device, pass, NULL);
}

/* Addresses */

static void test_offsets(void)
{
	const struct vk_buffer first = place_new(4096, 0, 0);
	VkBuffer second = buffer_new(4096);
	VkMemoryRequirements needs;

	vkGetBufferMemoryRequirements(vk.device, second, &needs);
	VK_CHECK(vkBindBufferMemory(vk.device, second, first.memory, needs.size));
	tap(address_of(first.buffer) && address_of(second) == address_of(first.buffer) + needs.size,
	    "two buffers in one piece of memory");
	vkDestroyBuffer(vk.device, second, NULL);
	vk_buffer_del(&first);
}

/*
 * Memory that is allocated with a captured address gets that address again, while other allocations
 * have been made meanwhile.
 */
static void test_replay(void)
{
	const VkMemoryAllocateFlags flag = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
	VkPipeline pipeline = vk_compute_new(test.layout, VK_CODE(vk_addresses_list_comp));
	struct vk_buffer places[2], sums = place_new(4096, 0, 0);
	uint64_t captured[2], before[2];
	bool ok = true;

	for (int i = 0; i < 2; i++) {
		VkDeviceMemoryOpaqueCaptureAddressInfo info = {
			.sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO,
		};

		places[i] = place_new(8192, flag, 0);
		info.memory = places[i].memory;
		captured[i] = test.captured_of(vk.device, &info);
		before[i] = address_of(places[i].buffer);
	}
	vk_buffer_del(&places[0]);
	vk_buffer_del(&places[1]);
	vk_buffer_del(&sums);
	sums = place_new(65536, 0, 0);
	for (int i = 1; i >= 0; i--) {
		places[i] = place_new(8192, flag, captured[i]);
		ok &= address_of(places[i].buffer) == before[i];
	}
	tap(ok && list_is_right(pipeline, places, &sums, 7),
	    "addresses that are captured and replayed");
	vk_buffer_del(&places[0]);
	vk_buffer_del(&places[1]);
	vk_buffer_del(&sums);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/*
 * Another client, which uses 5/8 of the heap if that is at most MAX_OTHER allocations of
 * OTHER_SIZE.
 */
struct other {
	VkDevice device;
	VkQueue queue;
	VkDeviceMemory memory[MAX_OTHER];
	uint32_t n;
};

static void other_new(struct other *o)
{
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					.allocationSize = OTHER_SIZE };
	VkPhysicalDeviceMemoryProperties has;
	uint64_t most;

	VK_CHECK(vkCreateDevice(vk.physical, &info, NULL, &o->device));
	vkGetDeviceQueue(o->device, 0, 0, &o->queue);
	vkGetPhysicalDeviceMemoryProperties(vk.physical, &has);
	memory.memoryTypeIndex = vk_memory_type(~0u);
	most = has.memoryHeaps[has.memoryTypes[memory.memoryTypeIndex].heapIndex].size * 5 / 8 /
	       OTHER_SIZE;
	for (o->n = 0; o->n < most && o->n < MAX_OTHER; o->n++)
		VK_CHECK(vkAllocateMemory(o->device, &memory, NULL, &o->memory[o->n]));
}

static void other_work(struct other *o)
{
	const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };

	VK_CHECK(vkQueueSubmit(o->queue, 1, &info, VK_NULL_HANDLE));
	VK_CHECK(vkQueueWaitIdle(o->queue));
}

static void other_del(const struct other *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		vkFreeMemory(o->device, o->memory[i], NULL);
	vkDestroyDevice(o->device, NULL);
}

/*
 * On a device with little memory the allocations of the two other clients do not fit at the same
 * time, so that this client's memory is evicted and comes back.
 */
static void test_moves(void)
{
	VkPipeline pipeline = vk_compute_new(test.layout, VK_CODE(vk_addresses_list_comp));
	const struct vk_buffer places[2] = { place_new(4096, 0, 0), place_new(1 << 20, 0, 0) };
	const struct vk_buffer sums = place_new(4096, 0, 0);
	static struct other others[2];
	bool ok = true;

	other_new(&others[0]);
	other_new(&others[1]);
	for (uint32_t i = 0; i < 6; i++) {
		ok &= list_is_right(pipeline, places, &sums, 33 * i);
		other_work(&others[i % 2]);
	}
	tap(ok, "memory that had to make room meanwhile");
	other_del(&others[0]);
	other_del(&others[1]);
	vk_buffer_del(&places[0]);
	vk_buffer_del(&places[1]);
	vk_buffer_del(&sums);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
		VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME,
	};
	VkPhysicalDeviceScalarBlockLayoutFeatures scalar = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, NULL, true,
	};
	VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
		&scalar,
		true,
		true,
		true,
	};

	vk.features = &addresses;
	vk_open_with(NULL, 0, extensions, 2);
	test.captures = addresses.bufferDeviceAddressCaptureReplay;
	test.address_of = (PFN_vkGetBufferDeviceAddressKHR)vkGetDeviceProcAddr(
		vk.device, "vkGetBufferDeviceAddressKHR");
	test.captured_of = (PFN_vkGetDeviceMemoryOpaqueCaptureAddressKHR)
		vkGetDeviceProcAddr(vk.device, "vkGetDeviceMemoryOpaqueCaptureAddressKHR");
	test.layout = vk_layout_new(NULL, 0, VK_SHADER_STAGE_ALL, 24);
	test_lists();
	test_parts();
	test_draws();
	test_offsets();
	if (test.captures)
		test_replay();
	test_moves();
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_close();
	return tap_failures() != 0;
}
