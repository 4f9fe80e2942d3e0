// SPDX-License-Identifier: MIT
/*
 * Vulkan: fills, updates, copies, blits, resolves and clears, whose results the CPU reads; fences
 * and semaphores; lifetimes. Prints TAP.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vk.h"

#define TRANSFER_BUFFER (VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)
#define TRANSFER_IMAGE (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static bool words_are(const struct vk_buffer *b, uint32_t first, uint32_t count, uint32_t value)
{
	const uint32_t *words = b->map;

	for (uint32_t i = first; i < first + count; i++) {
		if (words[i] != value) {
			printf("# word %u is %#x, not %#x\n", i, words[i], value);
			return false;
		}
	}
	return true;
}

/* Buffers */

static void test_memory(void)
{
	struct vk_buffer b = vk_buffer_new(1 << 20, TRANSFER_BUFFER);

	tap(words_are(&b, 0, b.size / 4, 0), "memory reads as zero");
	vk_buffer_del(&b);
}

static void test_fill(void)
{
	struct vk_buffer b = vk_buffer_new(4096, TRANSFER_BUFFER);
	const uint32_t data[] = { 1, 2, 3 };
	VkCommandBuffer cmd = vk_begin();

	vkCmdFillBuffer(cmd, b.buffer, 256, 512, 0x12345678);
	vkCmdFillBuffer(cmd, b.buffer, 4000, VK_WHOLE_SIZE, 7);
	vkCmdUpdateBuffer(cmd, b.buffer, 1024, sizeof(data), data);
	vk_run(cmd);
	tap(words_are(&b, 0, 64, 0) && words_are(&b, 64, 128, 0x12345678) &&
		    words_are(&b, 192, 64, 0) && words_are(&b, 1000, 24, 7),
	    "buffers are filled");
	tap(!memcmp((char *)b.map + 1024, data, sizeof(data)) && words_are(&b, 259, 700, 0),
	    "buffers are updated");
	vk_buffer_del(&b);
}

static void test_copy(void)
{
	struct vk_buffer a = vk_buffer_new(4096, TRANSFER_BUFFER),
			 b = vk_buffer_new(4096, TRANSFER_BUFFER);
	const VkBufferCopy regions[] = { { 4, 1, 7 }, { 100, 2000, 96 } };
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	for (uint32_t i = 0; i < 4096; i++)
		((uint8_t *)a.map)[i] = i * 7;
	vkCmdCopyBuffer(cmd, a.buffer, b.buffer, 2, regions);
	vk_run(cmd);
	for (int i = 0; i < 2; i++)
		ok &= !memcmp((char *)a.map + regions[i].srcOffset,
			      (char *)b.map + regions[i].dstOffset, regions[i].size);
	tap(ok && !*(char *)b.map && !((char *)b.map)[8], "buffers are copied to the byte");
	vk_buffer_del(&a);
	vk_buffer_del(&b);
}

/* Images */

static VkImageCreateInfo image_info(VkImageType type, VkFormat format, VkExtent3D extent,
				    uint32_t levels, uint32_t layers)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = type,
		.format = format,
		.extent = extent,
		.mipLevels = levels,
		.arrayLayers = layers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = TRANSFER_IMAGE,
	};
}

static const struct shape {
	const char *name;
	VkImageType type;
	VkFormat format;
	VkExtent3D extent;
	/* @block: side of a texel block in texels. @bytes: its size. */
	uint32_t levels, layers, block, bytes;
} shapes[] = {
	{ "1D", VK_IMAGE_TYPE_1D, VK_FORMAT_R8G8B8A8_UNORM, { 77, 1, 1 }, 3, 1, 1, 4 },
	{ "1D array", VK_IMAGE_TYPE_1D, VK_FORMAT_R8_UINT, { 31, 1, 1 }, 2, 5, 1, 1 },
	{ "2D", VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, { 33, 17, 1 }, 1, 1, 1, 4 },
	{ "2D with levels", VK_IMAGE_TYPE_2D, VK_FORMAT_R16G16_SFLOAT, { 64, 30, 1 }, 7, 1, 1, 4 },
	{ "2D array", VK_IMAGE_TYPE_2D, VK_FORMAT_R32G32B32A32_UINT, { 9, 10, 1 }, 2, 6, 1, 16 },
	{ "3D", VK_IMAGE_TYPE_3D, VK_FORMAT_R8G8_UNORM, { 11, 12, 13 }, 3, 1, 1, 2 },
	{ "depth", VK_IMAGE_TYPE_2D, VK_FORMAT_D32_SFLOAT, { 20, 10, 1 }, 2, 2, 1, 4 },
	{ "compressed",
	  VK_IMAGE_TYPE_2D,
	  VK_FORMAT_BC1_RGBA_UNORM_BLOCK,
	  { 36, 20, 1 },
	  3,
	  2,
	  4,
	  8 },
};

static uint32_t minify(uint32_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

static VkBufferImageCopy whole_level(const struct shape *s, uint32_t level, uint32_t layers,
				     VkImageAspectFlags aspect)
{
	return (VkBufferImageCopy){
		.imageSubresource = { aspect, level, 0, layers },
		.imageExtent = { minify(s->extent.width, level), minify(s->extent.height, level),
				 minify(s->extent.depth, level) },
	};
}

static uint32_t level_bytes(const struct shape *s, uint32_t level)
{
	const uint32_t width = (minify(s->extent.width, level) + s->block - 1) / s->block;
	const uint32_t height = (minify(s->extent.height, level) + s->block - 1) / s->block;

	return width * height * minify(s->extent.depth, level) * s->layers * s->bytes;
}

/* Bytes that are valid numbers in every format: no NaN. */
static void fill_bytes(const struct vk_buffer *b, uint32_t seed)
{
	for (uint32_t i = 0; i < b->size; i++)
		((uint8_t *)b->map)[i] = (i * 5 + seed) & 0x3f;
}

/* Copies a level with all of its layers through two images and back to memory. */
static bool goes_through(const struct shape *s, uint32_t level)
{
	const VkImageCreateInfo info =
		image_info(s->type, s->format, s->extent, s->levels, s->layers);
	const struct vk_image a = vk_image_new(&info), b = vk_image_new(&info);
	const VkBufferImageCopy region = whole_level(s, level, s->layers, a.aspects);
	const struct vk_buffer from = vk_buffer_new(level_bytes(s, level), TRANSFER_BUFFER);
	const struct vk_buffer to = vk_buffer_new(level_bytes(s, level), TRANSFER_BUFFER);
	const VkImageCopy copy = {
		region.imageSubresource, { 0 }, region.imageSubresource, { 0 }, region.imageExtent,
	};
	VkCommandBuffer cmd = vk_begin();
	bool ok;

	fill_bytes(&from, level);
	vkCmdCopyBufferToImage(cmd, from.buffer, a.image, general, 1, &region);
	vk_barrier(cmd);
	vkCmdCopyImage(cmd, a.image, general, b.image, general, 1, &copy);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, b.image, general, to.buffer, 1, &region);
	vk_run(cmd);
	ok = !memcmp(from.map, to.map, from.size);
	vk_image_del(&a);
	vk_image_del(&b);
	vk_buffer_del(&from);
	vk_buffer_del(&to);
	return ok;
}

static void test_images(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		bool ok = true;

		for (uint32_t level = 0; level < shapes[i].levels; level++)
			ok &= goes_through(&shapes[i], level);
		tap(ok, "texels of %s images go through copies", shapes[i].name);
	}
}

/*
 * A copy from an image without TRANSFER_SRC is invalid
 * (VUID-vkCmdCopyImageToBuffer-srcImage-00186), but other drivers execute it, and SDL 3.2 reads its
 * swapchain images in that way.
 */
static void test_copy_without_usage(void)
{
	VkImageCreateInfo info = image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM,
					    (VkExtent3D){ 16, 16, 1 }, 1, 1);
	const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
	const VkBufferImageCopy region = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = info.extent,
	};
	const VkClearColorValue colour = { .float32 = { 1, 0, 1, 0 } };
	struct vk_buffer to = vk_buffer_new(16 * 16 * 4, TRANSFER_BUFFER);
	struct vk_image image;
	VkCommandBuffer cmd;

	info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	image = vk_image_new(&info);
	cmd = vk_begin();
	vkCmdClearColorImage(cmd, image.image, general, &colour, 1, &range);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, image.image, general, to.buffer, 1, &region);
	vk_run(cmd);
	tap(words_are(&to, 0, 16 * 16, 0x00ff00ff),
	    "an image without TRANSFER_SRC is copied from, as by other drivers");
	vk_image_del(&image);
	vk_buffer_del(&to);
}

/* Copies a level of a compressed image through an image whose texels are its blocks. */
static bool blocks_go_through(uint32_t level)
{
	const struct shape compressed = {
		"", VK_IMAGE_TYPE_2D, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, { 36, 20, 1 }, 3, 2, 4, 8,
	};
	const VkExtent3D blocks = {
		(minify(36, level) + 3) / 4, (minify(20, level) + 3) / 4, 1,
	};
	const VkImageCreateInfo info =
		image_info(compressed.type, compressed.format, compressed.extent, 3, 2);
	const VkImageCreateInfo plain_info =
		image_info(compressed.type, VK_FORMAT_R32G32_UINT, blocks, 1, 2);
	const struct vk_image a = vk_image_new(&info), b = vk_image_new(&info),
			      plain = vk_image_new(&plain_info);
	const VkBufferImageCopy region = whole_level(&compressed, level, 2, a.aspects);
	const struct vk_buffer from =
		vk_buffer_new(level_bytes(&compressed, level), TRANSFER_BUFFER);
	const struct vk_buffer to = vk_buffer_new(level_bytes(&compressed, level), TRANSFER_BUFFER);
	const VkImageSubresourceLayers whole = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2 };
	const VkImageCopy out = {
		region.imageSubresource, { 0 }, whole, { 0 }, region.imageExtent
	};
	const VkImageCopy in = { whole, { 0 }, region.imageSubresource, { 0 }, blocks };
	VkCommandBuffer cmd = vk_begin();
	bool ok;

	fill_bytes(&from, level);
	vkCmdCopyBufferToImage(cmd, from.buffer, a.image, general, 1, &region);
	vk_barrier(cmd);
	vkCmdCopyImage(cmd, a.image, general, plain.image, general, 1, &out);
	vk_barrier(cmd);
	vkCmdCopyImage(cmd, plain.image, general, b.image, general, 1, &in);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, b.image, general, to.buffer, 1, &region);
	vk_run(cmd);
	ok = !memcmp(from.map, to.map, from.size);
	vk_image_del(&a);
	vk_image_del(&b);
	vk_image_del(&plain);
	vk_buffer_del(&from);
	vk_buffer_del(&to);
	return ok;
}

static void test_blocks(void)
{
	tap(blocks_go_through(0), "blocks of compressed images are texels of others");
	/* Levels of 18x10 and 9x5 texels, whose last blocks reach beyond the level. */
	tap(blocks_go_through(1) && blocks_go_through(2),
	    "where the last of them are not whole, too");
}

/* Copies a box in the middle of one layer; the rows in memory have padding. */
static void test_boxes(void)
{
	const VkImageCreateInfo info =
		image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R32_UINT, (VkExtent3D){ 16, 16, 1 }, 1, 3);
	const struct vk_image image = vk_image_new(&info);
	const struct vk_buffer from = vk_buffer_new(4096, TRANSFER_BUFFER),
			       to = vk_buffer_new(4096, TRANSFER_BUFFER);
	const VkBufferImageCopy in = {
		64, 10, 0, { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1 }, { 3, 4, 0 }, { 5, 6, 1 },
	};
	const VkBufferImageCopy out = { 0,     0,
					0,     { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 3 },
					{ 0 }, { 16, 16, 1 } };
	VkCommandBuffer cmd = vk_begin();
	const uint32_t *words = to.map;
	bool ok = true;

	vk_image_clear(&image);
	for (uint32_t i = 0; i < 1024; i++)
		((uint32_t *)from.map)[i] = i;
	vkCmdCopyBufferToImage(cmd, from.buffer, image.image, general, 1, &in);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, image.image, general, to.buffer, 1, &out);
	vk_run(cmd);
	for (uint32_t i = 0; i < 3 * 256; i++) {
		const uint32_t layer = i / 256, y = i / 16 % 16, x = i % 16;
		const bool inside = layer == 1 && x >= 3 && x < 8 && y >= 4 && y < 10;

		ok &= words[i] == (inside ? 16 + (y - 4) * 10 + x - 3 : 0);
	}
	tap(ok, "a box of one layer is copied, and nothing beside it");
	vk_image_del(&image);
	vk_buffer_del(&from);
	vk_buffer_del(&to);
}

/* vkGetImageSubresourceLayout() describes where texels are in mapped memory. */
static void test_layout(void)
{
	VkImageCreateInfo info =
		image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R32_UINT, (VkExtent3D){ 33, 20, 1 }, 1, 1);
	const VkImageSubresource which = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0 };
	const VkClearColorValue color = { .uint32 = { 0xabcd } };
	const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
	VkSubresourceLayout layout;
	struct vk_image image;
	VkCommandBuffer cmd;
	bool ok = true;
	char *map;

	info.tiling = VK_IMAGE_TILING_LINEAR;
	image = vk_image_new(&info);
	vkGetImageSubresourceLayout(vk.device, image.image, &which, &layout);
	VK_CHECK(vkMapMemory(vk.device, image.memory, 0, VK_WHOLE_SIZE, 0, (void **)&map));
	cmd = vk_begin();
	vkCmdClearColorImage(cmd, image.image, general, &color, 1, &range);
	vk_run(cmd);
	for (uint32_t y = 0; y < 20; y++)
		for (uint32_t x = 0; x < 33; x++)
			ok &= *(uint32_t *)(map + layout.offset + y * layout.rowPitch + x * 4) ==
			      0xabcd;
	tap(ok, "linear images are laid out as the driver says");
	vk_image_del(&image);
}

/* Clears levels and layers in the middle of the image. */
static void test_clear(void)
{
	const VkImageCreateInfo info = image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM,
						  (VkExtent3D){ 8, 8, 1 }, 3, 4);
	const struct vk_image image = vk_image_new(&info);
	const struct vk_buffer to = vk_buffer_new(8 * 8 * 4 * 4 * 3, TRANSFER_BUFFER);
	const VkClearColorValue red = { .float32 = { 1, 0, 0, 1 } };
	const VkImageSubresourceRange ranges[] = {
		{ VK_IMAGE_ASPECT_COLOR_BIT, 1, VK_REMAINING_MIP_LEVELS, 2,
		  VK_REMAINING_ARRAY_LAYERS },
		{ VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1 },
	};
	VkBufferImageCopy out = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 4 } };
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	vk_image_clear(&image);
	vkCmdClearColorImage(cmd, image.image, general, &red, 2, ranges);
	vk_barrier(cmd);
	for (uint32_t level = 0; level < 3; level++) {
		out.imageSubresource.mipLevel = level;
		out.bufferOffset = level * 1024;
		out.imageExtent = (VkExtent3D){ 8 >> level, 8 >> level, 1 };
		vkCmdCopyImageToBuffer(cmd, image.image, general, to.buffer, 1, &out);
	}
	vk_run(cmd);
	for (uint32_t level = 0; level < 3; level++) {
		const uint32_t texels = (8 >> level) * (8 >> level);

		for (uint32_t layer = 0; layer < 4; layer++)
			ok &= words_are(&to, level * 256 + layer * texels, texels,
					(level ? layer >= 2 : layer == 1) ? 0xff0000ff : 0);
	}
	tap(ok, "levels and layers are cleared, and no others");
	vk_image_del(&image);
	vk_buffer_del(&to);
}

static void test_clear_depth(void)
{
	const VkImageCreateInfo info = image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_D32_SFLOAT_S8_UINT,
						  (VkExtent3D){ 8, 8, 1 }, 1, 1);
	const VkClearDepthStencilValue both = { 0.25f, 0x5a }, stencil = { 1, 0x11 };
	const VkImageSubresourceRange all = {
		VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1
	};
	const VkImageSubresourceRange one = { VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1 };
	const struct vk_image image = vk_image_new(&info), copy = vk_image_new(&info);
	const struct vk_buffer to = vk_buffer_new(4096, TRANSFER_BUFFER);
	const VkImageSubresourceLayers layers = { all.aspectMask, 0, 0, 1 };
	const VkImageCopy whole = { layers, { 0 }, layers, { 0 }, { 8, 8, 1 } };
	VkBufferImageCopy out = { 0,	 0,	     0, { VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1 },
				  { 0 }, { 8, 8, 1 } };
	VkCommandBuffer cmd = vk_begin();

	vkCmdClearDepthStencilImage(cmd, image.image, general, &both, 1, &all);
	vk_barrier(cmd);
	vkCmdClearDepthStencilImage(cmd, image.image, general, &stencil, 1, &one);
	vk_barrier(cmd);
	vkCmdCopyImage(cmd, image.image, general, copy.image, general, 1, &whole);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, copy.image, general, to.buffer, 1, &out);
	out.bufferOffset = 256;
	out.imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
	vkCmdCopyImageToBuffer(cmd, copy.image, general, to.buffer, 1, &out);
	vk_run(cmd);
	tap(words_are(&to, 0, 64, 0x3e800000) && words_are(&to, 64, 16, 0x11111111),
	    "depth and stencil are cleared and copied");
	vk_image_del(&image);
	vk_image_del(&copy);
	vk_buffer_del(&to);
}

/*
 * Blits from blocks of a single color each to uncompressed texels; the region begins and ends
 * within blocks.
 */
static void test_blit_of_blocks(void)
{
	static const uint16_t colors[] = { 0xf800, 0x07e0, 0x001f, 0xffff };
	static const uint32_t texels[] = { 0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff };
	const VkImageCreateInfo blocks = image_info(
		VK_IMAGE_TYPE_2D, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, (VkExtent3D){ 8, 8, 1 }, 1, 1);
	const VkImageCreateInfo plain = image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM,
						   (VkExtent3D){ 6, 6, 1 }, 1, 1);
	const struct vk_image a = vk_image_new(&blocks), b = vk_image_new(&plain);
	const struct vk_buffer from = vk_buffer_new(32, TRANSFER_BUFFER),
			       to = vk_buffer_new(144, TRANSFER_BUFFER);
	const VkImageSubresourceLayers layer = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
	const VkBufferImageCopy in = { 0, 0, 0, layer, { 0 }, { 8, 8, 1 } },
				out = { 0, 0, 0, layer, { 0 }, { 6, 6, 1 } };
	const VkImageBlit blit = {
		layer, { { 1, 1, 0 }, { 7, 7, 1 } }, layer, { { 0, 0, 0 }, { 6, 6, 1 } }
	};
	VkCommandBuffer cmd = vk_begin();
	VkFormatProperties properties;
	bool ok = true;

	vkGetPhysicalDeviceFormatProperties(vk.physical, VK_FORMAT_BC1_RGBA_UNORM_BLOCK,
					    &properties);
	memset(from.map, 0, 32);
	for (uint32_t i = 0; i < 4; i++)
		((uint16_t *)from.map)[4 * i] = ((uint16_t *)from.map)[4 * i + 1] = colors[i];
	vkCmdCopyBufferToImage(cmd, from.buffer, a.image, general, 1, &in);
	vk_barrier(cmd);
	vkCmdBlitImage(cmd, a.image, general, b.image, general, 1, &blit, VK_FILTER_NEAREST);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, b.image, general, to.buffer, 1, &out);
	vk_run(cmd);
	for (uint32_t i = 0; i < 36; i++)
		ok &= ((uint32_t *)to.map)[i] == texels[i / 6 / 3 * 2 + i % 6 / 3];
	tap((properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT) && ok,
	    "blits read blocks");
	vk_image_del(&a);
	vk_image_del(&b);
	vk_buffer_del(&from);
	vk_buffer_del(&to);
}

/* Blits to twice the size and upside down, in one layer. */
static void test_blit(void)
{
	const VkImageCreateInfo small = image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM,
						   (VkExtent3D){ 4, 4, 1 }, 1, 2);
	const VkImageCreateInfo large = image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_B8G8R8A8_UNORM,
						   (VkExtent3D){ 8, 8, 1 }, 1, 2);
	const struct vk_image a = vk_image_new(&small), b = vk_image_new(&large);
	const struct vk_buffer from = vk_buffer_new(64, TRANSFER_BUFFER),
			       to = vk_buffer_new(256, TRANSFER_BUFFER);
	const VkImageSubresourceLayers layer = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1 };
	const VkBufferImageCopy in = { 0, 0, 0, layer, { 0 }, { 4, 4, 1 } };
	const VkBufferImageCopy out = { 0, 0, 0, layer, { 0 }, { 8, 8, 1 } };
	const VkImageBlit blit = {
		layer, { { 0, 0, 0 }, { 4, 4, 1 } }, layer, { { 0, 8, 0 }, { 8, 0, 1 } }
	};
	VkCommandBuffer cmd = vk_begin();
	const uint32_t *words = to.map;
	bool ok = true;

	for (uint32_t i = 0; i < 16; i++)
		((uint32_t *)from.map)[i] = 0xff000000 | i << 16 | 0x22;
	vkCmdCopyBufferToImage(cmd, from.buffer, a.image, general, 1, &in);
	vk_barrier(cmd);
	vkCmdBlitImage(cmd, a.image, general, b.image, general, 1, &blit, VK_FILTER_NEAREST);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, b.image, general, to.buffer, 1, &out);
	vk_run(cmd);
	for (uint32_t y = 0; y < 8; y++)
		for (uint32_t x = 0; x < 8; x++)
			ok &= words[y * 8 + x] == (0xff220000 | ((3 - y / 2) * 4 + x / 2));
	tap(ok, "blits scale, mirror and convert");
	vk_image_del(&a);
	vk_image_del(&b);
	vk_buffer_del(&from);
	vk_buffer_del(&to);
}

static void test_resolve(void)
{
	VkImageCreateInfo info = image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM,
					    (VkExtent3D){ 8, 8, 1 }, 1, 1);
	const VkClearColorValue blue = { .float32 = { 0, 0, 1, 1 } };
	const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
	const VkImageSubresourceLayers layer = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
	const VkImageResolve resolve = { layer, { 2, 2, 0 }, layer, { 4, 4, 0 }, { 3, 3, 1 } };
	const VkBufferImageCopy out = { 0, 0, 0, layer, { 0 }, { 8, 8, 1 } };
	const struct vk_buffer to = vk_buffer_new(256, TRANSFER_BUFFER);
	const struct vk_image one = vk_image_new(&info);
	struct vk_image four;
	VkCommandBuffer cmd;
	bool ok = true;

	vk_image_clear(&one);
	info.samples = VK_SAMPLE_COUNT_4_BIT;
	info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
	four = vk_image_new(&info);
	cmd = vk_begin();
	vkCmdClearColorImage(cmd, four.image, general, &blue, 1, &range);
	vk_barrier(cmd);
	vkCmdResolveImage(cmd, four.image, general, one.image, general, 1, &resolve);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, one.image, general, to.buffer, 1, &out);
	vk_run(cmd);
	for (uint32_t y = 0; y < 8; y++)
		for (uint32_t x = 0; x < 8; x++)
			ok &= ((uint32_t *)to.map)[y * 8 + x] ==
			      (x >= 4 && x < 7 && y >= 4 && y < 7 ? 0xffff0000 : 0);
	tap(ok, "samples are resolved, in their box");
	vk_image_del(&one);
	vk_image_del(&four);
	vk_buffer_del(&to);
}

/* Command buffers */

static void test_secondary(void)
{
	const VkCommandBufferInheritanceInfo none = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO
	};
	struct vk_buffer b = vk_buffer_new(4096, TRANSFER_BUFFER);
	const VkBufferCopy next = { 0, 4, 4 };
	VkCommandBuffer second, cmd;

	second = vk_begin_secondary(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, &none);
	vkCmdFillBuffer(second, b.buffer, 8, 4, 5);
	vk_barrier(second);
	vkCmdCopyBuffer(second, b.buffer, b.buffer, 1, &next);
	vk_barrier(second);
	VK_CHECK(vkEndCommandBuffer(second));
	for (uint32_t i = 1; i < 3; i++) {
		cmd = vk_begin();
		vkCmdFillBuffer(cmd, b.buffer, 0, 4, i);
		vk_barrier(cmd);
		vkCmdExecuteCommands(cmd, 1, &second);
		vkCmdFillBuffer(cmd, b.buffer, 0, 4, 9);
		vkCmdExecuteCommands(cmd, 1, &second);
		vk_run(cmd);
		tap(words_are(&b, 0, 2, 9) && words_are(&b, 2, 1, 5),
		    "a secondary command buffer runs twice in a primary one");
	}
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &second);
	vk_buffer_del(&b);
}

/* A command buffer may be submitted repeatedly; several are executed in their order. */
static void test_again(void)
{
	const VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = vk.pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 3,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO
	};
	struct vk_buffer b = vk_buffer_new(4096, TRANSFER_BUFFER);
	VkCommandBuffer cmds[3];
	const VkSubmitInfo submits[] = {
		{ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		  .commandBufferCount = 2,
		  .pCommandBuffers = cmds },
		{ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		  .commandBufferCount = 1,
		  .pCommandBuffers = cmds + 2 },
	};
	bool ok = true;

	VK_CHECK(vkAllocateCommandBuffers(vk.device, &info, cmds));
	for (uint32_t i = 0; i < 3; i++) {
		VK_CHECK(vkBeginCommandBuffer(cmds[i], &begin));
		vkCmdFillBuffer(cmds[i], b.buffer, 0, 4096 - i * 512, i + 1);
		vk_barrier(cmds[i]);
		VK_CHECK(vkEndCommandBuffer(cmds[i]));
	}
	for (int i = 0; i < 50; i++) {
		memset(b.map, 0, 4096);
		VK_CHECK(vkQueueSubmit(vk.queue, 2, submits, VK_NULL_HANDLE));
		VK_CHECK(vkQueueWaitIdle(vk.queue));
		ok &= words_are(&b, 0, 768, 3) && words_are(&b, 768, 128, 2) &&
		      words_are(&b, 896, 128, 1);
	}
	tap(ok, "command buffers run again and again, in their order");
	vkFreeCommandBuffers(vk.device, vk.pool, 3, cmds);
	vk_buffer_del(&b);
}

/* Waiting */

/* Signals a fence after 20 ms, while other threads wait for it. */
static void *signal_late(void *fence)
{
	const struct timespec moment = { .tv_nsec = 20000000 };

	nanosleep(&moment, NULL);
	VK_CHECK(vkQueueSubmit(vk.queue, 0, NULL, fence));
	return NULL;
}

/*
 * Waits for any of several fences, none of which is submitted yet; the one that is submitted last
 * wakes the wait.
 */
static void test_any_fence(void)
{
	const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	VkFence fences[3];
	bool ok = true;

	for (int i = 0; i < 3; i++)
		VK_CHECK(vkCreateFence(vk.device, &info, NULL, &fences[i]));
	ok &= vkWaitForFences(vk.device, 3, fences, false, 1000000) == VK_TIMEOUT;
	for (int i = 2; i >= 0; i--) {
		pthread_t thread;

		ok &= !pthread_create(&thread, NULL, signal_late, fences[i]);
		ok &= vkWaitForFences(vk.device, i + 1, fences, false, UINT64_MAX) == VK_SUCCESS;
		ok &= vkGetFenceStatus(vk.device, fences[i]) == VK_SUCCESS;
		pthread_join(thread, NULL);
	}
	ok &= vkWaitForFences(vk.device, 3, fences, true, 0) == VK_SUCCESS;
	tap(ok, "who waits for any of several fences hears of the one that is submitted");
	for (int i = 0; i < 3; i++)
		vkDestroyFence(vk.device, fences[i], NULL);
}

static void test_fences(void)
{
	const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	const VkFenceCreateInfo signaled = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL,
					     VK_FENCE_CREATE_SIGNALED_BIT };
	VkFence fences[2];
	bool ok;

	VK_CHECK(vkCreateFence(vk.device, &info, NULL, &fences[0]));
	VK_CHECK(vkCreateFence(vk.device, &signaled, NULL, &fences[1]));
	ok = vkGetFenceStatus(vk.device, fences[0]) == VK_NOT_READY &&
	     vkGetFenceStatus(vk.device, fences[1]) == VK_SUCCESS &&
	     vkWaitForFences(vk.device, 2, fences, true, 1000000) == VK_TIMEOUT &&
	     vkWaitForFences(vk.device, 2, fences, false, UINT64_MAX) == VK_SUCCESS;
	VK_CHECK(vkQueueSubmit(vk.queue, 0, NULL, fences[0]));
	ok &= vkWaitForFences(vk.device, 2, fences, true, UINT64_MAX) == VK_SUCCESS;
	VK_CHECK(vkResetFences(vk.device, 2, fences));
	ok &= vkGetFenceStatus(vk.device, fences[0]) == VK_NOT_READY &&
	      vkGetFenceStatus(vk.device, fences[1]) == VK_NOT_READY;
	tap(ok, "fences are signalled, waited for, reset");
	vkDestroyFence(vk.device, fences[0], NULL);
	vkDestroyFence(vk.device, fences[1], NULL);
}

/*
 * One submission waits for a value that the CPU signals later, and the next one waits for the
 * first.
 */
static void test_timelines(void)
{
	PFN_vkSignalSemaphoreKHR signal =
		(void *)vkGetDeviceProcAddr(vk.device, "vkSignalSemaphoreKHR");
	PFN_vkWaitSemaphoresKHR wait =
		(void *)vkGetDeviceProcAddr(vk.device, "vkWaitSemaphoresKHR");
	PFN_vkGetSemaphoreCounterValueKHR get =
		(void *)vkGetDeviceProcAddr(vk.device, "vkGetSemaphoreCounterValueKHR");
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const uint64_t five = 5, six = 6, ten = 10;
	VkSemaphore a = vk_timeline_new(3), b = vk_timeline_new(3);
	const VkTimelineSemaphoreSubmitInfo values[] = {
		{ VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, 1, &five, 1, &ten },
		{ VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, 1, &ten, 1, &six },
	};
	const VkSubmitInfo submits[] = {
		{ VK_STRUCTURE_TYPE_SUBMIT_INFO, &values[0], 1, &a, &stages, 0, NULL, 1, &b },
		{ VK_STRUCTURE_TYPE_SUBMIT_INFO, &values[1], 1, &b, &stages, 0, NULL, 1, &a },
	};
	const VkSemaphoreWaitInfo six_wait = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.semaphoreCount = 1,
		.pSemaphores = &a,
		.pValues = &six,
	};
	const VkSemaphoreSignalInfo five_signal = { VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL,
						    a, five };
	uint64_t value;
	bool ok;

	VK_CHECK(vkQueueSubmit(vk.queue, 2, submits, VK_NULL_HANDLE));
	VK_CHECK(get(vk.device, a, &value));
	ok = value == 3 && wait(vk.device, &six_wait, 1000000) == VK_TIMEOUT;
	VK_CHECK(signal(vk.device, &five_signal));
	ok &= wait(vk.device, &six_wait, UINT64_MAX) == VK_SUCCESS;
	VK_CHECK(get(vk.device, a, &value));
	tap(ok && value == 6,
	    "a submission waits for a point that is signalled later, and signals another");
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkDestroySemaphore(vk.device, a, NULL);
	vkDestroySemaphore(vk.device, b, NULL);
}

/* Signals and waits repeatedly, so that a wait may be pending when the next signal is submitted. */
static void test_binary(void)
{
	const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkSemaphore semaphore;

	VK_CHECK(vkCreateSemaphore(vk.device, &info, NULL, &semaphore));
	for (int i = 0; i < 100; i++) {
		const VkSubmitInfo submits[] = {
			{ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			  .signalSemaphoreCount = 1,
			  .pSignalSemaphores = &semaphore },
			{ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			  .waitSemaphoreCount = 1,
			  .pWaitSemaphores = &semaphore,
			  .pWaitDstStageMask = &stages },
		};

		VK_CHECK(vkQueueSubmit(vk.queue, 2, submits, VK_NULL_HANDLE));
	}
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	tap(true, "binary semaphores stand between submissions");
	vkDestroySemaphore(vk.device, semaphore, NULL);
}

/* Lifetimes */

/* Images that are bound to memory and never used; the memory is freed before the image. */
static void test_unused(void)
{
	const VkImageCreateInfo info = image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM,
						  (VkExtent3D){ 64, 64, 1 }, 1, 1);
	struct vk_buffer b = vk_buffer_new(4096, TRANSFER_BUFFER);
	VkCommandBuffer cmd;

	for (int i = 0; i < 500; i++) {
		const VkMemoryAllocateInfo size = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL,
						    1 << 20, 0 };
		VkDeviceMemory memory;
		VkImage image;

		VK_CHECK(vkCreateImage(vk.device, &info, NULL, &image));
		VK_CHECK(vkAllocateMemory(vk.device, &size, NULL, &memory));
		VK_CHECK(vkBindImageMemory(vk.device, image, memory, 0));
		vkFreeMemory(vk.device, memory, NULL);
		vkDestroyImage(vk.device, image, NULL);
	}
	cmd = vk_begin();
	vkCmdFillBuffer(cmd, b.buffer, 0, 4096, 3);
	vk_run(cmd);
	tap(words_are(&b, 0, 1024, 3), "images that nobody used and their memory go in any order");
	vk_buffer_del(&b);
}

static void test_many(void)
{
	enum { N = 1000 };
	static struct vk_buffer many[N];
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	for (uint32_t i = 0; i < N; i++) {
		many[i] = vk_buffer_new(4096, TRANSFER_BUFFER);
		vkCmdFillBuffer(cmd, many[i].buffer, 0, 64, i);
	}
	vk_run(cmd);
	for (uint32_t i = 0; i < N; i++) {
		ok &= words_are(&many[i], 0, 16, i);
		vk_buffer_del(&many[i]);
	}
	tap(ok, "a thousand allocations are used at once");
}

int main(void)
{
	vk_open();
	test_memory();
	test_fill();
	test_copy();
	test_images();
	test_copy_without_usage();
	test_blocks();
	test_boxes();
	test_layout();
	test_clear();
	test_clear_depth();
	test_blit();
	test_blit_of_blocks();
	test_resolve();
	test_secondary();
	test_again();
	test_fences();
	test_any_fence();
	test_timelines();
	test_binary();
	test_unused();
	test_many();
	vk_close();
	return tap_failures() != 0;
}
