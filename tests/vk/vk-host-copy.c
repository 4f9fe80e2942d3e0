// SPDX-License-Identifier: MIT
/*
 * Vulkan: copies to and from images by the CPU (VK_EXT_host_image_copy), checked with copies by the
 * device. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk.h"

#define PADDING 0xee
/* blocks of padding at the end of a row in memory, and rows at the end of a slice */
#define ROW_MORE 3
#define MAX_SIZE (1 << 16)	/* bytes of a level, and of the memory that is copied to it */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceSamplerYcbcrConversionFeatures ycbcr = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
};
static VkPhysicalDeviceHostImageCopyFeaturesEXT host_copy = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT, .pNext = &ycbcr,
};

static struct {
	struct vk_buffer buffer;
	uint8_t expected[MAX_SIZE], memory[MAX_SIZE];
} test;

struct size {
	uint32_t width, height, depth;	/* blocks, and slices or layers */
};

/*
 * An image, and a region of one of its levels. A block is the format's texel block: one texel, or
 * several.
 */
struct kind {
	const char *name;
	VkFormat format;
	VkImageAspectFlags aspect;
	/* bytes of a block in memory, and unused bytes at its end */
	uint32_t bytes, skipped;
	uint32_t block;			/* texels, on each side */
	bool is_3d;
	/* @down: log2 of the image's size over the level's; a plane of half the size has 1 */
	uint32_t level, down;
	VkExtent3D extent;		/* of the image; layers, if it is not 3D */
	struct size at, size;		/* of the region */
	bool ours;			/* runs on sundog only: lavapipe copies other data */
};

#define COLOR VK_IMAGE_ASPECT_COLOR_BIT
#define DEPTH VK_IMAGE_ASPECT_DEPTH_BIT
#define STENCIL VK_IMAGE_ASPECT_STENCIL_BIT

static const struct kind kinds[] = {
	{ "colours",
	  VK_FORMAT_R8G8B8A8_UNORM,
	  COLOR,
	  4,
	  0,
	  1,
	  false,
	  0,
	  0,
	  { 37, 21, 1 },
	  { 5, 3, 0 },
	  { 17, 11, 1 },
	  false },
	{ "a byte each",
	  VK_FORMAT_R8_UNORM,
	  COLOR,
	  1,
	  0,
	  1,
	  false,
	  0,
	  0,
	  { 33, 9, 1 },
	  { 1, 2, 0 },
	  { 32, 7, 1 },
	  false },
	{ "16 bytes each",
	  VK_FORMAT_R32G32B32A32_UINT,
	  COLOR,
	  16,
	  0,
	  1,
	  false,
	  0,
	  0,
	  { 20, 9, 1 },
	  { 2, 1, 0 },
	  { 9, 5, 1 },
	  false },
	{ "layers of a level",
	  VK_FORMAT_R8G8B8A8_UNORM,
	  COLOR,
	  4,
	  0,
	  1,
	  false,
	  1,
	  1,
	  { 38, 22, 4 },
	  { 5, 3, 1 },
	  { 13, 6, 2 },
	  false },
	{ "slices",
	  VK_FORMAT_R16G16_UINT,
	  COLOR,
	  4,
	  0,
	  1,
	  true,
	  0,
	  0,
	  { 13, 9, 6 },
	  { 4, 3, 2 },
	  { 6, 5, 3 },
	  false },
	{ "slices of a level",
	  VK_FORMAT_R16G16_UINT,
	  COLOR,
	  4,
	  0,
	  1,
	  true,
	  1,
	  1,
	  { 26, 18, 6 },
	  { 4, 3, 1 },
	  { 6, 5, 2 },
	  false },
	{ "blocks",
	  VK_FORMAT_BC1_RGBA_UNORM_BLOCK,
	  COLOR,
	  8,
	  0,
	  4,
	  false,
	  0,
	  0,
	  { 40, 24, 2 },
	  { 3, 2, 0 },
	  { 5, 3, 2 },
	  false },
	{ "the blocks at the end of a level",
	  VK_FORMAT_BC7_UNORM_BLOCK,
	  COLOR,
	  16,
	  0,
	  4,
	  false,
	  1,
	  1,
	  { 44, 28, 1 },
	  { 2, 1, 0 },
	  { 4, 3, 1 },
	  false },
	{ "depths",
	  VK_FORMAT_D16_UNORM,
	  DEPTH,
	  2,
	  0,
	  1,
	  false,
	  0,
	  0,
	  { 37, 21, 1 },
	  { 5, 3, 0 },
	  { 17, 11, 1 },
	  false },
	{ "depths of 32 bits, with stencils",
	  VK_FORMAT_D32_SFLOAT_S8_UINT,
	  DEPTH,
	  4,
	  0,
	  1,
	  false,
	  0,
	  0,
	  { 37, 21, 2 },
	  { 5, 3, 0 },
	  { 17, 11, 2 },
	  true },
	{ "stencils, with these",
	  VK_FORMAT_D32_SFLOAT_S8_UINT,
	  STENCIL,
	  1,
	  0,
	  1,
	  false,
	  0,
	  0,
	  { 37, 21, 2 },
	  { 5, 3, 1 },
	  { 17, 11, 1 },
	  true },
	{ "depths of 24 bits, with stencils",
	  VK_FORMAT_D24_UNORM_S8_UINT,
	  DEPTH,
	  4,
	  1,
	  1,
	  false,
	  0,
	  0,
	  { 37, 21, 1 },
	  { 5, 3, 0 },
	  { 17, 11, 1 },
	  true },
	{ "stencils, with those",
	  VK_FORMAT_D24_UNORM_S8_UINT,
	  STENCIL,
	  1,
	  0,
	  1,
	  false,
	  0,
	  0,
	  { 37, 21, 1 },
	  { 5, 3, 0 },
	  { 17, 11, 1 },
	  true },
	{ "a plane of half the size",
	  VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
	  VK_IMAGE_ASPECT_PLANE_1_BIT,
	  2,
	  0,
	  1,
	  false,
	  0,
	  1,
	  { 40, 24, 1 },
	  { 3, 2, 0 },
	  { 9, 7, 1 },
	  false },
};

static bool is_ours(void)
{
	return strstr(vk.properties.deviceName, "sundog");
}

/* All bytes are less than 61, so that no float is a NaN or infinite. */
static void fill_pattern(uint8_t *bytes, uint32_t size, uint32_t seed)
{
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (seed + i * 7 + (i >> 8) * 3) % 61;
}

static uint32_t blocks(uint32_t texels, const struct kind *k)
{
	return ((texels >> k->down) + k->block - 1) / k->block;
}

static struct size level_size(const struct kind *k)
{
	const uint32_t depth = k->is_3d ? k->extent.depth >> k->down : k->extent.depth;

	return (struct size){ blocks(k->extent.width, k), blocks(k->extent.height, k), depth };
}

static struct vk_image image_new(const struct kind *k)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = k->is_3d ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
		.format = k->format,
		.extent = { k->extent.width, k->extent.height, k->is_3d ? k->extent.depth : 1 },
		.mipLevels = k->level + 1,
		.arrayLayers = k->is_3d ? 1 : k->extent.depth,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
			 VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT,
	};
	const struct vk_image image = vk_image_new(&info);
	const VkHostImageLayoutTransitionInfoEXT transition = {
		VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT,
		NULL,
		image.image,
		VK_IMAGE_LAYOUT_UNDEFINED,
		general,
		{ image.aspects, 0, info.mipLevels, 0, info.arrayLayers },
	};

	VK_CHECK(VK_FUNCTION(vkTransitionImageLayoutEXT)(vk.device, 1, &transition));
	return image;
}

/* Returns a device copy of a whole level. */
static VkBufferImageCopy whole_level(const struct kind *k)
{
	const uint32_t depth = k->extent.depth;

	return (VkBufferImageCopy){
		.imageSubresource = { k->aspect, k->level, 0, k->is_3d ? 1 : depth },
		.imageExtent = { k->extent.width >> k->down, k->extent.height >> k->down,
				 k->is_3d ? depth >> k->down : 1 },
	};
}

static void device_writes(const struct kind *k, const struct vk_image *image, const uint8_t *bytes,
			  uint32_t size)
{
	const VkBufferImageCopy all = whole_level(k);
	VkCommandBuffer cmd = vk_begin();

	memcpy(test.buffer.map, bytes, size);
	vkCmdCopyBufferToImage(cmd, test.buffer.buffer, image->image, general, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
}

static const uint8_t *device_reads(const struct kind *k, const struct vk_image *image)
{
	const VkBufferImageCopy all = whole_level(k);
	VkCommandBuffer cmd = vk_begin();

	memset(test.buffer.map, 0, MAX_SIZE);
	vkCmdCopyImageToBuffer(cmd, image->image, general, test.buffer.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
	return test.buffer.map;
}

static bool same(const struct kind *k, const uint8_t *a, const uint8_t *b, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if (a[i] != b[i] && i % k->bytes < k->bytes - k->skipped) {
			printf("# %s: byte %u is %u, not %u\n", k->name, i, a[i], b[i]);
			return false;
		}
	return true;
}

/* The region in texels; and its size in memory, where rows and slices have padding. */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static VkImageSubresourceLayers layers_of(const struct kind *k)
{
	return (VkImageSubresourceLayers){
		k->aspect, k->level, k->is_3d ? 0 : k->at.depth, k->is_3d ? 1 : k->size.depth,
	};
}

static VkOffset3D offset_of(const struct kind *k)
{
	return (VkOffset3D){ k->at.width * k->block, k->at.height * k->block,
			     k->is_3d ? k->at.depth : 0 };
}

/* The last block of a level may be cut. */
static VkExtent3D extent_of(const struct kind *k)
{
	const VkOffset3D at = offset_of(k);

	return (VkExtent3D){
		least(k->size.width * k->block, (k->extent.width >> k->down) - at.x),
		least(k->size.height * k->block, (k->extent.height >> k->down) - at.y),
		k->is_3d ? k->size.depth : 1,
	};
}

static struct size memory_size(const struct kind *k)
{
	return (struct size){ k->size.width + ROW_MORE, k->size.height + ROW_MORE, k->size.depth };
}

static uint32_t bytes_of(const struct kind *k, struct size size)
{
	return size.width * size.height * size.depth * k->bytes;
}

/*
 * Copies the region between two arrays with the sizes @to_size and @from_size, at @to_at and
 * @from_at.
 */
static void copy_region(const struct kind *k, uint8_t *to, struct size to_size, struct size to_at,
			const uint8_t *from, struct size from_size, struct size from_at)
{
	for (uint32_t z = 0; z < k->size.depth; z++)
		for (uint32_t y = 0; y < k->size.height; y++) {
			const uint32_t to_row =
				(to_at.depth + z) * to_size.height + to_at.height + y;
			const uint32_t from_row =
				(from_at.depth + z) * from_size.height + from_at.height + y;

			memcpy(to + (to_row * to_size.width + to_at.width) * k->bytes,
			       from + (from_row * from_size.width + from_at.width) * k->bytes,
			       k->size.width * k->bytes);
		}
}

static const struct size origin;

static void host_writes(const struct kind *k, const struct vk_image *image)
{
	const struct size memory = memory_size(k);
	const VkMemoryToImageCopyEXT region = {
		VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
		NULL,
		test.memory,
		memory.width * k->block,
		memory.height * k->block,
		layers_of(k),
		offset_of(k),
		extent_of(k),
	};
	const VkCopyMemoryToImageInfoEXT info = {
		VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
		NULL,
		0,
		image->image,
		general,
		1,
		&region,
	};

	VK_CHECK(VK_FUNCTION(vkCopyMemoryToImageEXT)(vk.device, &info));
}

static void host_reads(const struct kind *k, const struct vk_image *image)
{
	const struct size memory = memory_size(k);
	const VkImageToMemoryCopyEXT region = {
		VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
		NULL,
		test.memory,
		memory.width * k->block,
		memory.height * k->block,
		layers_of(k),
		offset_of(k),
		extent_of(k),
	};
	const VkCopyImageToMemoryInfoEXT info = {
		VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT,
		NULL,
		0,
		image->image,
		general,
		1,
		&region,
	};

	VK_CHECK(VK_FUNCTION(vkCopyImageToMemoryEXT)(vk.device, &info));
}

static void test_kind(const struct kind *k)
{
	const struct size level = level_size(k), memory = memory_size(k);
	const uint32_t size = bytes_of(k, level);
	const struct vk_image image = image_new(k);

	fill_pattern(test.expected, size, 1);
	device_writes(k, &image, test.expected, size);
	fill_pattern(test.memory, bytes_of(k, memory), 17);
	host_writes(k, &image);
	copy_region(k, test.expected, level, k->at, test.memory, memory, origin);
	tap(same(k, device_reads(k, &image), test.expected, size), "%s from memory", k->name);

	fill_pattern(test.expected, size, 29);
	device_writes(k, &image, test.expected, size);
	memset(test.memory, PADDING, sizeof(test.memory));
	host_reads(k, &image);
	memset(test.buffer.map, PADDING, MAX_SIZE);
	copy_region(k, test.buffer.map, memory, origin, test.expected, level, k->at);
	tap(same(k, test.memory, test.buffer.map, bytes_of(k, memory)), "and to it");
	vk_image_del(&image);
}

static bool has_format(const struct kind *k)
{
	VkFormatProperties3 all = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 };
	VkFormatProperties2 properties = { .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2,
					   .pNext = &all };

	vkGetPhysicalDeviceFormatProperties2(vk.physical, k->format, &properties);
	return all.optimalTilingFeatures & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT;
}

static void test_kinds(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].ours && !is_ours())
			continue;
		if (has_format(&kinds[i]))
			test_kind(&kinds[i]);
		else
			tap(!is_ours(), "%s: there is no such format", kinds[i].name);
	}
}

/* Copies between images: layers of one become slices of another. */
static void test_images(void)
{
	static const struct kind from = {
		"layers",    VK_FORMAT_R8G8B8A8_UNORM,
		COLOR,	     4,
		0,	     1,
		false,	     1,
		1,	     { 38, 22, 4 },
		{ 5, 3, 1 }, { 7, 6, 2 },
		false,
	};
	static const struct kind to = {
		"slices",    VK_FORMAT_R8G8B8A8_UNORM,
		COLOR,	     4,
		0,	     1,
		true,	     0,
		0,	     { 13, 12, 6 },
		{ 2, 4, 3 }, { 7, 6, 2 },
		false,
	};
	const struct vk_image src = image_new(&from), dst = image_new(&to);
	const VkImageCopy2 region = {
		VK_STRUCTURE_TYPE_IMAGE_COPY_2,
		NULL,
		layers_of(&from),
		offset_of(&from),
		layers_of(&to),
		offset_of(&to),
		{ 7, 6, 2 },
	};
	const VkCopyImageToImageInfoEXT info = {
		VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO_EXT,
		NULL,
		0,
		src.image,
		general,
		dst.image,
		general,
		1,
		&region,
	};
	const uint32_t size = bytes_of(&to, level_size(&to));

	fill_pattern(test.memory, bytes_of(&from, level_size(&from)), 3);
	device_writes(&from, &src, test.memory, bytes_of(&from, level_size(&from)));
	fill_pattern(test.expected, size, 41);
	device_writes(&to, &dst, test.expected, size);
	VK_CHECK(VK_FUNCTION(vkCopyImageToImageEXT)(vk.device, &info));
	copy_region(&to, test.expected, level_size(&to), to.at, test.memory, level_size(&from),
		    from.at);
	tap(same(&to, device_reads(&to, &dst), test.expected, size),
	    "layers become slices of another image");
	vk_image_del(&src);
	vk_image_del(&dst);
}

/*
 * VK_HOST_IMAGE_COPY_MEMCPY_EXT: programs keep the contents of an image in the driver's own layout.
 */

static VkDeviceSize whole_size(const struct kind *k, const struct vk_image *image)
{
	VkSubresourceHostMemcpySizeEXT size = {
		.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT
	};
	VkSubresourceLayout2EXT layout = { .sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT,
					   .pNext = &size };
	const VkImageSubresource2EXT which = {
		VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT, NULL, { k->aspect, k->level, 0 },
	};

	VK_FUNCTION(vkGetImageSubresourceLayout2EXT)(vk.device, image->image, &which, &layout);
	return size.size;
}

static void keep(const struct kind *k, const struct vk_image *image, void *memory)
{
	const VkBufferImageCopy all = whole_level(k);
	const VkImageToMemoryCopyEXT region = {
		VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
		NULL,
		memory,
		0,
		0,
		all.imageSubresource,
		{ 0, 0, 0 },
		all.imageExtent,
	};
	const VkCopyImageToMemoryInfoEXT info = {
		VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT,
		NULL,
		VK_HOST_IMAGE_COPY_MEMCPY_EXT,
		image->image,
		general,
		1,
		&region,
	};

	VK_CHECK(VK_FUNCTION(vkCopyImageToMemoryEXT)(vk.device, &info));
}

static void restore(const struct kind *k, const struct vk_image *image, const void *memory)
{
	const VkBufferImageCopy all = whole_level(k);
	const VkMemoryToImageCopyEXT region = {
		VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
		NULL,
		memory,
		0,
		0,
		all.imageSubresource,
		{ 0, 0, 0 },
		all.imageExtent,
	};
	const VkCopyMemoryToImageInfoEXT info = {
		VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
		NULL,
		VK_HOST_IMAGE_COPY_MEMCPY_EXT,
		image->image,
		general,
		1,
		&region,
	};

	VK_CHECK(VK_FUNCTION(vkCopyMemoryToImageEXT)(vk.device, &info));
}

static void test_whole(const struct kind *k)
{
	const struct vk_image image = image_new(k), other = image_new(k);
	const uint32_t size = bytes_of(k, level_size(k)), layers = k->is_3d ? 1 : k->extent.depth;
	const VkDeviceSize kept = whole_size(k, &image) * layers;
	uint8_t *memory = malloc(kept + 1);

	memory[kept] = PADDING;
	fill_pattern(test.expected, size, 9);
	device_writes(k, &image, test.expected, size);
	keep(k, &image, memory);
	restore(k, &other, memory);
	tap(kept >= size && memory[kept] == PADDING &&
		    same(k, device_reads(k, &other), test.expected, size),
	    "%s as they are (%u bytes)", k->name, (unsigned int)kept);
	free(memory);
	vk_image_del(&image);
	vk_image_del(&other);
}

/* Properties */

static bool has_layout(const VkImageLayout *layouts, uint32_t count, VkImageLayout layout)
{
	for (uint32_t i = 0; i < count; i++)
		if (layouts[i] == layout)
			return true;
	return false;
}

static void test_properties(void)
{
	VkImageLayout src[64], dst[64];
	VkPhysicalDeviceHostImageCopyPropertiesEXT copy = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT,
		.copySrcLayoutCount = 64,
		.pCopySrcLayouts = src,
		.copyDstLayoutCount = 64,
		.pCopyDstLayouts = dst,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &copy
	};
	VkHostImageCopyDevicePerformanceQueryEXT performance = {
		.sType = VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY_EXT,
	};
	VkImageFormatProperties2 image = { .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
					   .pNext = &performance };
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.usage = VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT | VK_IMAGE_USAGE_SAMPLED_BIT,
	};

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(host_copy.hostImageCopy && has_layout(src, copy.copySrcLayoutCount, general) &&
	    has_layout(dst, copy.copyDstLayoutCount, general) &&
	    has_layout(dst, copy.copyDstLayoutCount, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL),
	    "there are layouts that are copied to and from");
	VK_CHECK(vkGetPhysicalDeviceImageFormatProperties2(vk.physical, &info, &image));
	tap(!is_ours() || (performance.optimalDeviceAccess &&
			   image.imageFormatProperties.sampleCounts == 1),
	    "an image is none the worse for it");
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME,
		VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME,
		VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME,
		VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME,
	};

	vk.features = &host_copy;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	test.buffer = vk_buffer_new(MAX_SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
						      VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test_properties();
	test_kinds();
	test_images();
	test_whole(&kinds[3]);
	test_whole(&kinds[5]);
	test_whole(&kinds[6]);
	vk_buffer_del(&test.buffer);
	vk_close();
	return tap_failures() != 0;
}
