// SPDX-License-Identifier: MIT
/*
 * Vulkan: sparse buffers and images: memory that queues bind in pieces, to several resources, and
 * other memory later; images of which only some blocks have memory. Prints TAP.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk.h"

#define PIECES 4		/* of a sparse buffer */
#define MAX_BLOCKS 512		/* of an image, in all levels and layers */
#define MAX_ROWS 16384		/* of a large image */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static VkPhysicalDeviceHostImageCopyFeaturesEXT host_copy = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT,
};

static struct {
	VkPhysicalDeviceFeatures features;
	struct vk_buffer out;	/* what the device copies for the CPU */
} test;

/* Memory and binds */

struct memory {
	VkDeviceMemory memory;
	uint32_t *words;
	VkDeviceSize size;
};

static struct memory memory_new(const VkMemoryRequirements *needs, VkDeviceSize size)
{
	const VkMemoryAllocateInfo info = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, size,
		vk_memory_type(needs->memoryTypeBits),
	};
	struct memory m = { .size = size };
	void *map;

	VK_CHECK(vkAllocateMemory(vk.device, &info, NULL, &m.memory));
	VK_CHECK(vkMapMemory(vk.device, m.memory, 0, VK_WHOLE_SIZE, 0, &map));
	memset(map, 0, size);
	m.words = map;
	return m;
}

static void memory_del(const struct memory *m)
{
	vkFreeMemory(vk.device, m->memory, NULL);
}

static bool is_full(const uint32_t *words, VkDeviceSize size, uint32_t value)
{
	for (VkDeviceSize i = 0; i < size / 4; i++)
		if (words[i] != value)
			return false;
	return true;
}

static void bind(const VkBindSparseInfo *info)
{
	VkBindSparseInfo bind = *info;

	bind.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO;
	VK_CHECK(vkQueueBindSparse(vk.queue, 1, &bind, VK_NULL_HANDLE));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
}

static void bind_buffer(VkBuffer buffer, const VkSparseMemoryBind *binds, uint32_t count)
{
	const VkSparseBufferMemoryBindInfo info = { buffer, count, binds };

	bind(&(VkBindSparseInfo){ .bufferBindCount = 1, .pBufferBinds = &info });
}

static void bind_image(VkImage image, const VkSparseMemoryBind *binds, uint32_t count)
{
	const VkSparseImageOpaqueMemoryBindInfo info = { image, count, binds };

	bind(&(VkBindSparseInfo){ .imageOpaqueBindCount = 1, .pImageOpaqueBinds = &info });
}

static void bind_blocks(VkImage image, const VkSparseImageMemoryBind *binds, uint32_t count)
{
	const VkSparseImageMemoryBindInfo info = { image, count, binds };

	bind(&(VkBindSparseInfo){ .imageBindCount = 1, .pImageBinds = &info });
}

/* Buffers */

static VkBuffer buffer_new(VkDeviceSize size, VkBufferCreateFlags flags,
			   VkMemoryRequirements *needs)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | flags,
		.size = size,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkBuffer buffer;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &buffer));
	vkGetBufferMemoryRequirements(vk.device, buffer, needs);
	return buffer;
}

static void fill(VkBuffer buffer, VkDeviceSize at, VkDeviceSize size, uint32_t value)
{
	VkCommandBuffer cmd = vk_begin();

	vkCmdFillBuffer(cmd, buffer, at, size, value);
	vk_barrier(cmd);
	vk_run(cmd);
}

/* Returns the bytes of the buffer as the device sees them. */
static const uint32_t *read_buffer(VkBuffer buffer, VkDeviceSize size)
{
	VkCommandBuffer cmd = vk_begin();

	vkCmdCopyBuffer(cmd, buffer, test.out.buffer, 1, &(VkBufferCopy){ 0, 0, size });
	vk_barrier(cmd);
	vk_run(cmd);
	return test.out.map;
}

/* Piece i of the buffer is piece PIECES - 1 - i of two memories. */
static void test_pieces(void)
{
	VkSparseMemoryBind binds[PIECES];
	VkMemoryRequirements needs;
	struct memory m[2];
	VkDeviceSize piece;
	VkBuffer buffer;
	bool ok = true;

	buffer_new(4, 0, &needs);
	piece = needs.alignment;
	buffer = buffer_new(PIECES * piece, 0, &needs);
	for (int i = 0; i < 2; i++)
		m[i] = memory_new(&needs, PIECES * piece);
	for (uint32_t i = 0; i < PIECES; i++)
		binds[i] = (VkSparseMemoryBind){ i * piece, piece, m[i % 2].memory,
						 (PIECES - 1 - i) * piece, 0 };
	bind_buffer(buffer, binds, PIECES);
	for (uint32_t i = 0; i < PIECES; i++)
		fill(buffer, i * piece, piece, i + 1);
	for (uint32_t i = 0; i < PIECES; i++)
		ok &= is_full(m[i % 2].words + (PIECES - 1 - i) * piece / 4, piece, i + 1) &&
		      is_full(m[!(i % 2)].words + (PIECES - 1 - i) * piece / 4, piece, 0);
	tap(ok, "the pieces of a buffer are in two memories, in another order");

	/* The third piece becomes a part of the second one's memory, and two pieces one. */
	binds[0] = (VkSparseMemoryBind){ piece, 2 * piece, m[0].memory, 0, 0 };
	m[0].words[0] = 77;
	m[0].words[piece / 4] = 78;
	bind_buffer(buffer, binds, 1);
	ok = read_buffer(buffer, needs.size)[0] == 1 &&
	     ((uint32_t *)test.out.map)[piece / 4] == 77 &&
	     ((uint32_t *)test.out.map)[2 * piece / 4] == 78 &&
	     ((uint32_t *)test.out.map)[3 * piece / 4] == 4;
	tap(ok, "other memory is bound in the middle");

	/* Pieces that follow one another are cut again. */
	for (uint32_t i = 0; i < PIECES; i++)
		binds[i] = (VkSparseMemoryBind){ i * piece, piece, m[1].memory, i * piece, 0 };
	bind_buffer(buffer, binds, PIECES);
	binds[0] = (VkSparseMemoryBind){ piece, piece, m[0].memory, 3 * piece, 0 };
	bind_buffer(buffer, binds, 1);
	fill(buffer, 0, PIECES * piece, 5);
	ok = is_full(m[1].words, piece, 5) && is_full(m[1].words + 2 * piece / 4, 2 * piece, 5) &&
	     !is_full(m[1].words + piece / 4, piece, 5) &&
	     is_full(m[0].words + 3 * piece / 4, piece, 5);
	tap(ok, "a piece is cut in the middle");

	vkDestroyBuffer(vk.device, buffer, NULL);
	memory_del(&m[0]);
	memory_del(&m[1]);
}

static void test_residency(void)
{
	VkMemoryRequirements needs;
	VkSparseMemoryBind one;
	struct memory m;
	VkDeviceSize piece, size;
	VkBuffer buffer;
	bool ok;

	if (!test.features.sparseResidencyBuffer) {
		tap(true, "buffers with parts that are not bound # SKIP not supported");
		return;
	}
	size = test.out.size;
	buffer = buffer_new(size, VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT, &needs);
	piece = needs.alignment;
	m = memory_new(&needs, piece);
	fill(buffer, 0, size, 1);
	read_buffer(buffer, size);
	tap(true, "a buffer without memory can be used");

	one = (VkSparseMemoryBind){ 2 * piece, piece, m.memory, 0, 0 };
	bind_buffer(buffer, &one, 1);
	fill(buffer, 0, size, 2);
	ok = is_full(m.words, piece, 2);
	m.words[1] = 3;
	ok = ok && read_buffer(buffer, size)[2 * piece / 4 + 1] == 3;
	tap(ok, "what is bound has its memory");

	one.memory = VK_NULL_HANDLE;
	bind_buffer(buffer, &one, 1);
	fill(buffer, 0, size, 4);
	ok = m.words[0] == 2;
	tap(ok, "what was unbound is not written");

	one.memory = m.memory;
	bind_buffer(buffer, &one, 1);
	memory_del(&m);
	fill(buffer, 0, 2 * piece, 5);
	m = memory_new(&needs, piece);
	one.memory = m.memory;
	bind_buffer(buffer, &one, 1);
	fill(buffer, 0, size, 6);
	tap(is_full(m.words, piece, 6), "memory that was freed is replaced");
	vkDestroyBuffer(vk.device, buffer, NULL);
	memory_del(&m);
}

static void test_alias(void)
{
	VkMemoryRequirements needs;
	VkSparseMemoryBind binds[2];
	VkBuffer buffers[2];
	struct memory m;
	bool ok;

	if (!test.features.sparseResidencyAliased) {
		tap(true, "memory at several places # SKIP not supported");
		return;
	}
	buffers[0] = buffer_new(4, VK_BUFFER_CREATE_SPARSE_ALIASED_BIT, &needs);
	vkDestroyBuffer(vk.device, buffers[0], NULL);
	for (int i = 0; i < 2; i++)
		buffers[i] = buffer_new(2 * needs.alignment, VK_BUFFER_CREATE_SPARSE_ALIASED_BIT,
					&needs);
	m = memory_new(&needs, needs.alignment);
	for (int i = 0; i < 2; i++)
		binds[i] = (VkSparseMemoryBind){ i * needs.alignment, needs.alignment, m.memory, 0,
						 0 };
	bind_buffer(buffers[0], binds, 2);
	bind_buffer(buffers[1], binds, 2);
	fill(buffers[0], 0, needs.alignment, 7);
	ok = is_full(read_buffer(buffers[1], 2 * needs.alignment), 2 * needs.alignment, 7) &&
	     is_full(m.words, needs.alignment, 7);
	tap(ok, "memory is at several places of two buffers");
	for (int i = 0; i < 2; i++)
		vkDestroyBuffer(vk.device, buffers[i], NULL);
	memory_del(&m);
}

static VkSemaphore semaphore_new(void)
{
	const VkSemaphoreCreateInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, NULL, 0 };
	VkSemaphore semaphore;

	VK_CHECK(vkCreateSemaphore(vk.device, &info, NULL, &semaphore));
	return semaphore;
}

/*
 * A fill of the old memory, a bind, and a fill of the new memory, ordered by semaphores; a fence
 * for the second bind, which has no resources.
 */
static void test_order(void)
{
	const VkFenceCreateInfo fence_info = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, 0 };
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSemaphore before = semaphore_new(), after = semaphore_new();
	VkSparseBufferMemoryBindInfo info = { .bindCount = 1 };
	VkBindSparseInfo binds = {
		.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .waitSemaphoreCount = 1,
		.pWaitSemaphores = &before, .bufferBindCount = 1, .pBufferBinds = &info,
		.signalSemaphoreCount = 1, .pSignalSemaphores = &after,
	};
	VkMemoryRequirements needs;
	VkSparseMemoryBind one;
	VkCommandBuffer cmd[2];
	struct memory m[2];
	VkBuffer buffer;
	VkFence fence;
	bool ok = true;

	VK_CHECK(vkCreateFence(vk.device, &fence_info, NULL, &fence));
	buffer = buffer_new(4, 0, &needs);
	for (int i = 0; i < 2; i++)
		m[i] = memory_new(&needs, needs.size);
	info.buffer = buffer;
	info.pBinds = &one;
	one = (VkSparseMemoryBind){ 0, needs.size, m[0].memory, 0, 0 };
	bind_buffer(buffer, &one, 1);
	for (uint32_t i = 0; i < 2; i++) {
		cmd[i] = vk_begin();
		vkCmdFillBuffer(cmd[i], buffer, 0, 4, 8 + i);
		vk_barrier(cmd[i]);
		VK_CHECK(vkEndCommandBuffer(cmd[i]));
	}
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &(VkSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
		.pCommandBuffers = &cmd[0], .signalSemaphoreCount = 1,
		.pSignalSemaphores = &before }, VK_NULL_HANDLE));
	one.memory = m[1].memory;
	VK_CHECK(vkQueueBindSparse(vk.queue, 1, &binds, VK_NULL_HANDLE));
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &(VkSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .waitSemaphoreCount = 1,
		.pWaitSemaphores = &after, .pWaitDstStageMask = &stage, .commandBufferCount = 1,
		.pCommandBuffers = &cmd[1] }, VK_NULL_HANDLE));
	VK_CHECK(vkQueueBindSparse(vk.queue, 0, NULL, fence));
	VK_CHECK(vkWaitForFences(vk.device, 1, &fence, true, UINT64_MAX));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	ok = m[0].words[0] == 8 && m[1].words[0] == 9;
	tap(ok, "binds wait for semaphores, and signal them and fences");
	vkFreeCommandBuffers(vk.device, vk.pool, 2, cmd);
	vkDestroyBuffer(vk.device, buffer, NULL);
	for (int i = 0; i < 2; i++)
		memory_del(&m[i]);
	vkDestroySemaphore(vk.device, before, NULL);
	vkDestroySemaphore(vk.device, after, NULL);
	vkDestroyFence(vk.device, fence, NULL);
}

/* Images */

struct kind {
	const char *name;
	VkFormat format;
	VkImageType type;
	VkExtent3D extent;
	uint32_t levels, layers;
	uint32_t texel, side;		/* bytes of a texel block, and its texels on a side */
};

static const struct kind kinds[] = {
	{ "a 2D image", VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, { 300, 9, 1 }, 1, 1, 4, 1 },
	{ "an image that is larger than its blocks", VK_FORMAT_R32G32B32A32_UINT,
	  VK_IMAGE_TYPE_2D, { 600, 70, 1 }, 1, 1, 16, 1 },
	{ "an array with levels", VK_FORMAT_R16_UINT, VK_IMAGE_TYPE_2D, { 130, 20, 1 }, 4, 3, 2,
	  1 },
	{ "a 3D image", VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_3D, { 70, 9, 5 }, 2, 1, 1, 1 },
	{ "a compressed image", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_TYPE_2D, { 64, 32, 1 }, 2,
	  1, 8, 4 },
};

struct blocks {
	VkSparseImageMemoryBind binds[MAX_BLOCKS];
	uint32_t count;
};

static VkImageCreateInfo image_info(const struct kind *k, VkImageCreateFlags flags)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | flags,
		.imageType = k->type,
		.format = k->format,
		.extent = k->extent,
		.mipLevels = k->levels,
		.arrayLayers = k->layers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

static bool is_supported(const VkImageCreateInfo *info)
{
	VkImageFormatProperties limits;

	return vkGetPhysicalDeviceImageFormatProperties(vk.physical, info->format, info->imageType,
							info->tiling, info->usage, info->flags,
							&limits) == VK_SUCCESS;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t minify(uint32_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

static uint32_t in_blocks(uint32_t size, uint32_t of)
{
	return (size + of - 1) / of;
}

static VkExtent3D extent_of(const struct kind *k, uint32_t level)
{
	return (VkExtent3D){ minify(k->extent.width, level), minify(k->extent.height, level),
			     minify(k->extent.depth, level) };
}

/* Bytes of a tightly packed level of one layer. */
static VkDeviceSize level_size(const struct kind *k, uint32_t level)
{
	const VkExtent3D e = extent_of(k, level);

	return (VkDeviceSize)in_blocks(e.width, k->side) * in_blocks(e.height, k->side) * e.depth *
	       k->texel;
}

/* Copies level @level of layer @layer to the image, or from it. */
static void copy_level(VkImage image, const struct kind *k, uint32_t level, uint32_t layer,
		       bool to_image)
{
	const VkBufferImageCopy copy = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1 },
		.imageExtent = extent_of(k, level),
	};
	VkCommandBuffer cmd = vk_begin();

	vk_barrier(cmd);
	if (to_image)
		vkCmdCopyBufferToImage(cmd, test.out.buffer, image, general, 1, &copy);
	else
		vkCmdCopyImageToBuffer(cmd, image, general, test.out.buffer, 1, &copy);
	vk_barrier(cmd);
	vk_run(cmd);
}

static void to_general(VkImage image, const struct kind *k)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.newLayout = general,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, k->levels, 0, k->layers },
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	vk_run(cmd);
}

/* A number for each byte of a level, different in each level and layer. */
static uint8_t byte_at(VkDeviceSize i, uint32_t level, uint32_t layer)
{
	return i * 31 + i / 251 + level * 7 + layer * 13 + 1;
}

static void write_levels(VkImage image, const struct kind *k)
{
	for (uint32_t layer = 0; layer < k->layers; layer++) {
		for (uint32_t level = 0; level < k->levels; level++) {
			uint8_t *bytes = test.out.map;

			for (VkDeviceSize i = 0; i < level_size(k, level); i++)
				bytes[i] = byte_at(i, level, layer);
			copy_level(image, k, level, layer, true);
		}
	}
}

/* Returns true if the block of a bind contains the texel block. */
static bool contains(const VkSparseImageMemoryBind *bind, const struct kind *k, uint32_t x,
		     uint32_t y, uint32_t z)
{
	const uint32_t left = x * k->side, top = y * k->side;

	return left >= (uint32_t)bind->offset.x && left < bind->offset.x + bind->extent.width &&
	       top >= (uint32_t)bind->offset.y && top < bind->offset.y + bind->extent.height &&
	       z >= (uint32_t)bind->offset.z && z < bind->offset.z + bind->extent.depth;
}

static bool is_bound(const struct blocks *blocks, const struct kind *k, uint32_t level,
		     uint32_t layer, uint32_t x, uint32_t y, uint32_t z)
{
	for (uint32_t i = 0; i < blocks->count; i++) {
		const VkSparseImageMemoryBind *b = &blocks->binds[i];

		if (b->memory && b->subresource.mipLevel == level &&
		    b->subresource.arrayLayer == layer && contains(b, k, x, y, z))
			return true;
	}
	return false;
}

/* Compares the level in test.out with what was written; of the blocks that are bound, or all. */
static bool level_is_right(const struct kind *k, uint32_t level, uint32_t layer,
			   const struct blocks *blocks)
{
	const VkExtent3D e = extent_of(k, level);
	const uint32_t width = in_blocks(e.width, k->side), height = in_blocks(e.height, k->side);
	const uint8_t *bytes = test.out.map;

	for (uint32_t z = 0; z < e.depth; z++)
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++) {
				const VkDeviceSize at =
					(((VkDeviceSize)z * height + y) * width + x) * k->texel;

				if (blocks && !is_bound(blocks, k, level, layer, x, y, z))
					continue;
				for (uint32_t i = 0; i < k->texel; i++)
					if (bytes[at + i] != byte_at(at + i, level, layer))
						return false;
			}
	return true;
}

static bool levels_are_right(VkImage image, const struct kind *k, const struct blocks *blocks)
{
	bool ok = true;

	for (uint32_t layer = 0; layer < k->layers; layer++)
		for (uint32_t level = 0; level < k->levels; level++) {
			memset(test.out.map, 0, level_size(k, level));
			copy_level(image, k, level, layer, false);
			ok &= level_is_right(k, level, layer, blocks);
		}
	return ok;
}

/* All of an image, in two pieces of memory. */
static void test_whole(const struct kind *k)
{
	const VkImageCreateInfo info = image_info(k, 0);
	VkSparseMemoryBind binds[2];
	VkMemoryRequirements needs;
	struct memory m;
	VkDeviceSize half;
	VkImage image;

	if (!is_supported(&info)) {
		tap(true, "%s in two pieces # SKIP not supported", k->name);
		return;
	}
	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &image));
	vkGetImageMemoryRequirements(vk.device, image, &needs);
	half = needs.size / needs.alignment / 2 * needs.alignment;
	m = memory_new(&needs, needs.size);
	/* The second half comes first. */
	binds[0] = (VkSparseMemoryBind){ 0, half, m.memory, needs.size - half, 0 };
	binds[1] = (VkSparseMemoryBind){ half, needs.size - half, m.memory, 0, 0 };
	bind_image(image, half ? binds : binds + 1, half ? 2 : 1);
	to_general(image, k);
	write_levels(image, k);
	tap(levels_are_right(image, k, NULL), "%s in two pieces", k->name);
	vkDestroyImage(vk.device, image, NULL);
	memory_del(&m);
}

static VkSparseImageMemoryRequirements requirements_of(VkImage image)
{
	VkSparseImageMemoryRequirements r;
	uint32_t n = 1;

	vkGetImageSparseMemoryRequirements(vk.device, image, &n, &r);
	if (!n)
		errx(1, "an image has no sparse blocks");
	return r;
}

static void check_granularity(const struct kind *k, const VkSparseImageMemoryRequirements *r)
{
	VkSparseImageFormatProperties p = { 0 };
	uint32_t n = 1;

	vkGetPhysicalDeviceSparseImageFormatProperties(
		vk.physical, k->format, k->type, VK_SAMPLE_COUNT_1_BIT,
		VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		VK_IMAGE_TILING_OPTIMAL, &n, &p);
	tap(n == 1 && p.aspectMask == VK_IMAGE_ASPECT_COLOR_BIT &&
	    !memcmp(&p.imageGranularity, &r->formatProperties.imageGranularity,
		    sizeof(p.imageGranularity)),
	    "%s has the blocks of its format", k->name);
}

/* Lists the blocks of a level that @every divides: their memory is in reverse order. */
static void list_blocks(const struct kind *k, const VkExtent3D *block, uint32_t level,
			uint32_t layer, uint32_t every, struct blocks *out)
{
	const VkExtent3D e = extent_of(k, level);
	uint32_t i = 0;

	for (uint32_t z = 0; z < e.depth; z += block->depth)
		for (uint32_t y = 0; y < e.height; y += block->height)
			for (uint32_t x = 0; x < e.width; x += block->width) {
				if (i++ % every)
					continue;
				if (out->count == MAX_BLOCKS)
					errx(1, "an image of too many blocks");
				out->binds[out->count++] = (VkSparseImageMemoryBind){
					.subresource = { VK_IMAGE_ASPECT_COLOR_BIT, level, layer },
					.offset = { x, y, z },
					.extent = { smaller(e.width - x, block->width),
						    smaller(e.height - y, block->height),
						    smaller(e.depth - z, block->depth) },
				};
			}
}

static void list_image(const struct kind *k, const VkSparseImageMemoryRequirements *r,
		       uint32_t every, struct blocks *out)
{
	out->count = 0;
	for (uint32_t layer = 0; layer < k->layers; layer++)
		for (uint32_t level = 0; level < k->levels && level < r->imageMipTailFirstLod;
		     level++)
			list_blocks(k, &r->formatProperties.imageGranularity, level, layer, every,
				    out);
}

/* Copies all levels by the CPU to memory and from there to the image, and checks them. */
static void test_host_copies(VkImage image, const struct kind *k, const struct blocks *blocks)
{
	const PFN_vkCopyImageToMemoryEXT to_memory = VK_FUNCTION(vkCopyImageToMemoryEXT);
	const PFN_vkCopyMemoryToImageEXT to_image = VK_FUNCTION(vkCopyMemoryToImageEXT);
	bool ok = true;

	for (uint32_t layer = 0; layer < k->layers; layer++)
		for (uint32_t level = 0; level < k->levels; level++) {
			const VkImageToMemoryCopyEXT out = {
				.sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
				.pHostPointer = test.out.map,
				.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1 },
				.imageExtent = extent_of(k, level),
			};
			const VkMemoryToImageCopyEXT in = {
				.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
				.pHostPointer = test.out.map,
				.imageSubresource = out.imageSubresource,
				.imageExtent = out.imageExtent,
			};

			memset(test.out.map, 0, level_size(k, level));
			VK_CHECK(to_memory(vk.device, &(VkCopyImageToMemoryInfoEXT){
				VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT, NULL, 0, image,
				general, 1, &out }));
			ok &= level_is_right(k, level, layer, blocks);
			memset(test.out.map, 0xee, level_size(k, level));
			VK_CHECK(to_image(vk.device, &(VkCopyMemoryToImageInfoEXT){
				VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT, NULL, 0, image,
				general, 1, &in }));
			for (VkDeviceSize i = 0; i < level_size(k, level); i++)
				((uint8_t *)test.out.map)[i] = byte_at(i, level, layer);
			VK_CHECK(to_image(vk.device, &(VkCopyMemoryToImageInfoEXT){
				VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT, NULL, 0, image,
				general, 1, &in }));
		}
	tap(ok && levels_are_right(image, k, blocks), "the CPU copies what is bound of %s",
	    k->name);
}

/* Every third block of an image has memory, then all of them have. */
static void test_blocks(const struct kind *k)
{
	static struct blocks blocks;
	VkImageCreateInfo info = image_info(k, VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT);
	VkSparseImageMemoryRequirements r;
	VkMemoryRequirements needs;
	struct memory m;
	VkImage image;
	bool ok = true;

	if (host_copy.hostImageCopy)
		info.usage |= VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT;
	if (!(k->type == VK_IMAGE_TYPE_3D ? test.features.sparseResidencyImage3D
					  : test.features.sparseResidencyImage2D) ||
	    !is_supported(&info)) {
		tap(true, "%s in blocks # SKIP not supported", k->name);
		return;
	}
	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &image));
	vkGetImageMemoryRequirements(vk.device, image, &needs);
	r = requirements_of(image);
	check_granularity(k, &r);
	to_general(image, k);
	write_levels(image, k);
	tap(true, "%s without memory can be used", k->name);

	list_image(k, &r, 3, &blocks);
	m = memory_new(&needs, (MAX_BLOCKS + 1) * needs.alignment);
	for (uint32_t i = 0; i < blocks.count; i++) {
		blocks.binds[i].memory = m.memory;
		blocks.binds[i].memoryOffset = (blocks.count - i) * needs.alignment;
	}
	bind_blocks(image, blocks.binds, blocks.count);
	write_levels(image, k);
	ok = levels_are_right(image, k, &blocks) && is_full(m.words, needs.alignment, 0) &&
	     is_full(m.words + (blocks.count + 1) * needs.alignment / 4, needs.alignment, 0);
	tap(ok, "%s: a third of the blocks", k->name);
	if (host_copy.hostImageCopy)
		test_host_copies(image, k, &blocks);

	/* The first block of the first level is the last one in memory. */
	ok = !memcmp((char *)m.words + blocks.count * needs.alignment,
		     (uint8_t[]){ byte_at(0, 0, 0) }, 1);
	tap(ok, "%s: a block begins where its memory does", k->name);

	list_image(k, &r, 1, &blocks);
	for (uint32_t i = 0; i < blocks.count; i++) {
		blocks.binds[i].memory = m.memory;
		blocks.binds[i].memoryOffset = i * needs.alignment;
	}
	bind_blocks(image, blocks.binds, blocks.count);
	write_levels(image, k);
	tap(levels_are_right(image, k, r.imageMipTailFirstLod < k->levels ? &blocks : NULL),
	    "%s: all blocks", k->name);

	for (uint32_t i = 0; i < blocks.count; i++)
		blocks.binds[i].memory = VK_NULL_HANDLE;
	bind_blocks(image, blocks.binds, blocks.count);
	memset(m.words, 0, m.size);
	write_levels(image, k);
	tap(is_full(m.words, m.size, 0), "%s: unbound blocks are not written", k->name);
	vkDestroyImage(vk.device, image, NULL);
	memory_del(&m);
}

/* Binds or unbinds one block of an image. */
static VkResult bind_one(const VkSparseImageMemoryBindInfo *image, VkSparseImageMemoryBind block,
			 VkDeviceMemory memory)
{
	const VkSparseImageMemoryBindInfo info = { image->image, 1, &block };
	const VkBindSparseInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
					.imageBindCount = 1, .pImageBinds = &info };

	block.memory = memory;
	return vkQueueBindSparse(vk.queue, 1, &bind, VK_NULL_HANDLE);
}

/* Several parts of a call, which Mesa joins. Later binds have as much room as before. */
static void test_together(const VkSparseImageMemoryBindInfo *image, VkSparseImageMemoryBind block)
{
	const VkSparseImageMemoryBindInfo info = { image->image, 1, &block };
	const VkBindSparseInfo part = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
					.imageBindCount = 1, .pImageBinds = &info };
	const VkBindSparseInfo parts[] = { part, part, part };

	block.memory = VK_NULL_HANDLE;
	VK_CHECK(vkQueueBindSparse(vk.queue, 3, parts, VK_NULL_HANDLE));
}

/* Binds one row after another: alone, and as many as there can be, which one bind unbinds. */
static void test_rows(const VkSparseImageMemoryBindInfo *image,
		      const VkSparseImageMemoryBind *blocks, VkDeviceMemory memory)
{
	VkResult result = VK_SUCCESS;
	VkSparseImageMemoryBind all = blocks[0];
	uint32_t n;

	for (n = 0; n < image->bindCount && result == VK_SUCCESS; n++) {
		result = bind_one(image, blocks[n], memory);
		if (result == VK_SUCCESS)
			result = bind_one(image, blocks[n], VK_NULL_HANDLE);
	}
	tap(result == VK_SUCCESS && vkQueueWaitIdle(vk.queue) == VK_SUCCESS,
	    "one row after another has memory");
	for (n = 0; n < image->bindCount; n++)
		if (bind_one(image, blocks[n], memory) != VK_SUCCESS)
			break;
	all.extent = (VkExtent3D){ 2048, MAX_ROWS, 1 };
	printf("# %u of %u rows at once\n", n, image->bindCount);
	tap(n && bind_one(image, all, VK_NULL_HANDLE) == VK_SUCCESS &&
	    vkQueueWaitIdle(vk.queue) == VK_SUCCESS &&
	    bind_one(image, blocks[0], memory) == VK_SUCCESS &&
	    vkQueueWaitIdle(vk.queue) == VK_SUCCESS,
	    "one bind unbinds all pieces of a device that has no room for more");
	VK_CHECK(bind_one(image, blocks[0], VK_NULL_HANDLE));
}

/* The binds wait for @value of one timeline, and set @value of the other. */
static VkResult bind_after(const VkSparseImageMemoryBindInfo *image, VkSparseImageMemoryBind block,
			   VkSemaphore wait, VkSemaphore done, uint64_t value)
{
	const VkSparseImageMemoryBindInfo info = { image->image, 1, &block };
	const VkTimelineSemaphoreSubmitInfo values = {
		VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, 1, &value, 1, &value,
	};
	const VkBindSparseInfo bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .pNext = &values,
		.waitSemaphoreCount = 1, .pWaitSemaphores = &wait,
		.imageBindCount = 1, .pImageBinds = &info,
		.signalSemaphoreCount = 1, .pSignalSemaphores = &done,
	};

	return vkQueueBindSparse(vk.queue, 1, &bind, VK_NULL_HANDLE);
}

#define WAITING_CALLS 9000

/* Binds one block again and again. When a call is executed, the next one waits already. */
static void test_waiting(const VkSparseImageMemoryBindInfo *image, VkSparseImageMemoryBind block,
			 VkDeviceMemory memory)
{
	const VkSemaphore go = vk_timeline_new(0), done = vk_timeline_new(0);
	const VkSemaphoreSignalInfo end = {
		VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, go, WAITING_CALLS,
	};
	VkResult result = VK_SUCCESS;
	uint64_t n;

	for (n = 1; n <= WAITING_CALLS && result == VK_SUCCESS; n++) {
		const uint64_t before = n - 1;
		const VkSemaphoreSignalInfo signal = {
			VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, go, before,
		};
		const VkSemaphoreWaitInfo wait = {
			VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &done, &before,
		};

		block.memory = n % 2 ? memory : VK_NULL_HANDLE;
		result = bind_after(image, block, go, done, n);
		if (!before)
			continue;
		VK_CHECK(VK_FUNCTION(vkSignalSemaphoreKHR)(vk.device, &signal));
		VK_CHECK(VK_FUNCTION(vkWaitSemaphoresKHR)(vk.device, &wait, UINT64_MAX));
	}
	VK_CHECK(VK_FUNCTION(vkSignalSemaphoreKHR)(vk.device, &end));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	tap(result == VK_SUCCESS, "binds go on while others wait: %u calls, at call %" PRIu64,
	    WAITING_CALLS, n);
	vkDestroySemaphore(vk.device, go, NULL);
	vkDestroySemaphore(vk.device, done, NULL);
}

/*
 * Binds the left block of each row of a large image, which needs more mappings than a process may
 * have: either that works, or the bind fails and changes nothing.
 */
static void test_many_pieces(void)
{
	static const struct kind large = { "a large image", VK_FORMAT_R8G8B8A8_UNORM,
					   VK_IMAGE_TYPE_2D, { 2048, MAX_ROWS, 1 }, 1, 1, 4, 1 };
	const VkImageCreateInfo info = image_info(&large, VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
							  VK_IMAGE_CREATE_SPARSE_ALIASED_BIT);
	static VkSparseImageMemoryBind blocks[MAX_ROWS];
	VkSparseImageMemoryRequirements r;
	VkSparseImageMemoryBindInfo binds = { .pBinds = blocks };
	const VkBindSparseInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
					.imageBindCount = 1, .pImageBinds = &binds };
	VkMemoryRequirements needs;
	VkExtent3D block;
	struct memory m;
	VkResult result;

	if (!test.features.sparseResidencyImage2D || !test.features.sparseResidencyAliased ||
	    !is_supported(&info)) {
		tap(true, "more pieces than there can be # SKIP not supported");
		return;
	}
	VK_CHECK(vkCreateImage(vk.device, &info, NULL, &binds.image));
	vkGetImageMemoryRequirements(vk.device, binds.image, &needs);
	r = requirements_of(binds.image);
	block = r.formatProperties.imageGranularity;
	m = memory_new(&needs, needs.alignment);
	for (uint32_t y = 0; y < MAX_ROWS; y += block.height)
		blocks[binds.bindCount++] = (VkSparseImageMemoryBind){
			.subresource.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
			.offset.y = (int32_t)y, .extent = block, .memory = m.memory,
		};
	result = vkQueueBindSparse(vk.queue, 1, &bind, VK_NULL_HANDLE);
	tap((result == VK_SUCCESS || result == VK_ERROR_OUT_OF_DEVICE_MEMORY) &&
	    vkQueueWaitIdle(vk.queue) == VK_SUCCESS,
	    "more pieces than there can be are an error of the bind");
	for (uint32_t i = 0; result == VK_SUCCESS && i < binds.bindCount; i++)
		blocks[i].memory = VK_NULL_HANDLE;
	if (result == VK_SUCCESS)
		VK_CHECK(vkQueueBindSparse(vk.queue, 1, &bind, VK_NULL_HANDLE));
	test_together(&binds, blocks[0]);
	test_rows(&binds, blocks, m.memory);
	test_waiting(&binds, blocks[0], m.memory);
	/* The offset of no memory is ignored. */
	binds.bindCount = 1;
	blocks[0].memory = VK_NULL_HANDLE;
	blocks[0].memoryOffset = 1;
	tap(vkQueueBindSparse(vk.queue, 1, &bind, VK_NULL_HANDLE) == VK_SUCCESS &&
	    vkQueueWaitIdle(vk.queue) == VK_SUCCESS, "nothing is bound at any offset");
	vkDestroyImage(vk.device, binds.image, NULL);
	memory_del(&m);
}

int main(void)
{
	static const char *const wishes[] = { VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME, NULL };

	vk.features = &host_copy;
	vk.wishes = wishes;
	vk_open();
	vkGetPhysicalDeviceFeatures(vk.physical, &test.features);
	if (!test.features.sparseBinding) {
		tap(true, "sparse resources # SKIP not supported");
		vk_close();
		return tap_failures() != 0;
	}
	test.out = vk_buffer_new(4 << 20, VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
						  VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test_pieces();
	test_residency();
	test_alias();
	test_order();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		test_whole(&kinds[i]);
		test_blocks(&kinds[i]);
	}
	test_many_pieces();
	vk_buffer_del(&test.out);
	vk_close();
	return tap_failures() != 0;
}
