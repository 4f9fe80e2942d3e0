// SPDX-License-Identifier: MIT
/*
 * Vulkan: limits of images, views, samplers and copies at which drivers have lost the device.
 * Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk.h"

#define SIDE 4
#define DEPTH 2
/* texels of a row, or rows of a slice; does not fit in 16 bits */
#define FAR 70000
#define COPIES 3000			/* of 4 MiB each, more in total than there is memory */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static VkPhysicalDeviceHostImageCopyFeaturesEXT host_copy = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT,
};
static VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT,
	.pNext = &host_copy,
};

/* Returns true if the device executes all work that was submitted, and is not lost. */
static bool is_there(void)
{
	VkCommandBuffer cmd = vk_begin();
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &cmd,
	};
	VkResult result;

	vk_barrier(cmd);
	VK_CHECK(vkEndCommandBuffer(cmd));
	result = vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE);
	if (!result)
		result = vkQueueWaitIdle(vk.queue);
	if (result)
		printf("# the device says %d\n", result);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	return !result;
}

static VkImageCreateInfo image_info(VkImageType type, VkFormat format, uint32_t side,
				    VkImageUsageFlags usage)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = type,
		.format = format,
		.extent = { side, type == VK_IMAGE_TYPE_1D ? 1 : side, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = usage,
	};
}

static VkResult limits_of(const VkImageCreateInfo *info, VkImageFormatProperties *limits)
{
	return vkGetPhysicalDeviceImageFormatProperties(vk.physical, info->format, info->imageType,
							info->tiling, info->usage, info->flags,
							limits);
}

/* Samplers and views */

static void test_levels_before_the_first(void)
{
	const VkSampler low =
		vk_sampler_new((VkSamplerCreateInfo){ .minLod = -1000, .maxLod = 1000 });
	const VkSampler lowest =
		vk_sampler_new((VkSamplerCreateInfo){ .minLod = -2, .maxLod = -1 });

	tap(is_there(), "samplers have levels before the first");
	vkDestroySampler(vk.device, low, NULL);
	vkDestroySampler(vk.device, lowest, NULL);
}

static void test_swizzle(void)
{
	const VkImageCreateInfo info =
		image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, SIDE,
			   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT);
	const struct vk_image image = vk_image_new(&info);
	const VkImageViewCreateInfo swizzled = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = image.image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = info.format,
		.components = { .r = VK_COMPONENT_SWIZZLE_B, .b = VK_COMPONENT_SWIZZLE_R },
		.subresourceRange = vk_image_all(&image),
	};
	VkImageView view;

	VK_CHECK(vkCreateImageView(vk.device, &swizzled, NULL, &view));
	tap(is_there(), "a view of an image that is stored to is swizzled");
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&image);
}

/* Images */

static void test_use(const char *name, VkFormat format, VkImageCreateFlags flags,
		     VkImageUsageFlags usage)
{
	VkImageCreateInfo info = image_info(VK_IMAGE_TYPE_2D, format, 16, usage);
	VkImageFormatProperties limits;
	VkMemoryRequirements needs;
	struct vk_image image;

	info.flags = flags;
	if (limits_of(&info, &limits)) {
		printf("# no %s\n", name);
		return;
	}
	image = vk_image_new(&info);
	vkGetImageMemoryRequirements(vk.device, image.image, &needs);
	tap(is_there() && needs.size, "images are there that are %s", name);
	vk_image_del(&image);
}

static void test_uses(void)
{
	const VkImageCreateFlags texels = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
					  VK_IMAGE_CREATE_EXTENDED_USAGE_BIT |
					  VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT;

	test_use("attachments by their blocks only", VK_FORMAT_BC7_UNORM_BLOCK, texels,
		 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
	if (!host_copy.hostImageCopy)
		return;
	test_use("colours for the CPU only", VK_FORMAT_R8G8B8A8_UNORM, 0,
		 VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT);
	test_use("depths for the CPU only", VK_FORMAT_D32_SFLOAT, 0,
		 VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT);
}

/* A 2D view of the last slice of a 3D image with the maximal depth. */
static void test_last_slice(const char *name, VkImageCreateFlags flags, VkImageUsageFlags usage)
{
	VkImageCreateInfo info =
		image_info(VK_IMAGE_TYPE_3D, VK_FORMAT_R8G8B8A8_UNORM, SIDE, usage);
	VkImageFormatProperties limits;
	struct vk_image image;
	VkImageView view;

	info.flags = flags;
	VK_CHECK(limits_of(&info, &limits));
	info.extent.depth = limits.maxExtent.depth;
	image = vk_image_new(&info);
	view = vk_view_new(&image, VK_IMAGE_VIEW_TYPE_2D, info.format,
			   (VkImageSubresourceRange){ VK_IMAGE_ASPECT_COLOR_BIT, 0, 1,
						      info.extent.depth - 1, 1 });
	tap(is_there(), "the last of %u slices is %s", info.extent.depth, name);
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&image);
}

/*
 * The extent of cubes has its own limit: six faces of the maximal 2D extent would exceed the memory
 * of some devices.
 */
static void test_cube(void)
{
	VkImageCreateInfo info =
		image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R8_UNORM, SIDE, VK_IMAGE_USAGE_SAMPLED_BIT);
	VkImageFormatProperties plain, cube;

	VK_CHECK(limits_of(&info, &plain));
	info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
	VK_CHECK(limits_of(&info, &cube));
	tap(cube.maxExtent.width <= plain.maxExtent.width &&
		    cube.maxExtent.width == vk.properties.limits.maxImageDimensionCube,
	    "a cube's side is %u at most, an image's %u", cube.maxExtent.width,
	    plain.maxExtent.width);
}

/* No shader could read a 1D input attachment: sundog does not offer that usage. */
static void test_input_lines(void)
{
	const VkImageCreateInfo info = image_info(VK_IMAGE_TYPE_1D, VK_FORMAT_R8G8B8A8_UNORM, SIDE,
						  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
							  VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
	VkImageFormatProperties limits;

	tap(!strstr(vk.properties.deviceName, "sundog") ||
		    limits_of(&info, &limits) == VK_ERROR_FORMAT_NOT_SUPPORTED,
	    "images of one dimension are no input attachments");
}

/* Copies */

/* @block: texels of a block on each side. @bytes: bytes of a block. */
static void test_far(const char *name, VkFormat format, uint32_t block, uint32_t bytes,
		     uint32_t row, uint32_t height)
{
	VkImageCreateInfo info =
		image_info(VK_IMAGE_TYPE_3D, format, SIDE * block,
			   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
	const uint64_t pitch = (row ? row / block : SIDE) * bytes,
		       slice = pitch * (height ? height / block : SIDE);
	const struct vk_buffer from =
		vk_buffer_new(slice * DEPTH, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	const struct vk_buffer to = vk_buffer_new(slice * DEPTH, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	VkBufferImageCopy all = {
		.bufferRowLength = row, .bufferImageHeight = height,
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
	};
	struct vk_image image;
	VkCommandBuffer cmd;
	bool ok = true;

	info.extent.depth = DEPTH;
	all.imageExtent = info.extent;
	image = vk_image_new(&info);
	memset(from.map, 0xff, from.size);
	memset(to.map, 0xee, to.size);
	for (uint32_t i = 0; i < SIDE * SIDE * DEPTH * bytes; i++) {
		const uint64_t at = i / (SIDE * SIDE * bytes) * slice +
				    i / (SIDE * bytes) % SIDE * pitch + i % (SIDE * bytes);

		((uint8_t *)from.map)[at] = i;
	}
	cmd = vk_begin();
	vkCmdCopyBufferToImage(cmd, from.buffer, image.image, general, 1, &all);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, image.image, general, to.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
	for (uint64_t at = 0; at < to.size; at++) {
		const bool within = at % pitch < SIDE * bytes && at % slice / pitch < SIDE;
		const uint8_t expected = within ? ((uint8_t *)from.map)[at] : 0xee;

		ok &= ((uint8_t *)to.map)[at] == expected;
	}
	tap(ok, "copies of %s are far apart", name);
	vk_image_del(&image);
	vk_buffer_del(&from);
	vk_buffer_del(&to);
}

static void test_far_apart(void)
{
	test_far("rows", VK_FORMAT_R8_UNORM, 1, 1, FAR, 0);
	test_far("slices", VK_FORMAT_R8_UNORM, 1, 1, 0, FAR);
	test_far("slices of rows with padding", VK_FORMAT_R8_UNORM, 1, 1, SIDE + 3, FAR);
	test_far("rows and slices", VK_FORMAT_R8_UNORM, 1, 1, FAR, SIDE + 2);
	test_far("rows of blocks", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 4, 8, FAR, 0);
}

/* Each copy between blocks and texels goes through temporary memory; the copies must share it. */
static void test_many_copies(void)
{
	const VkImageCreateInfo blocks =
		image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_BC7_UNORM_BLOCK, 2048,
			   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
	const VkImageCreateInfo texels =
		image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R32G32B32A32_UINT, 512,
			   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
	const struct vk_image src = vk_image_new(&texels), dst = vk_image_new(&blocks);
	VkImageCopy copy = {
		{ VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		{ 0 },
		{ VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		{ 0 },
		{ 512, 512, 1 },
	};
	VkCommandBuffer cmd = vk_begin();
	VkResult result;

	for (uint32_t i = 0; i < COPIES; i++)
		vkCmdCopyImage(cmd, src.image, general, dst.image, general, 1, &copy);
	result = vkEndCommandBuffer(cmd);
	tap(!result, "a command buffer copies %u times between blocks and texels", COPIES);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	vk_image_del(&src);
	vk_image_del(&dst);
}

/*
 * The temporary memory grows with the size of a copy; earlier copies of the command buffer must
 * still work.
 */
static void test_growing_copies(void)
{
	enum { STEPS = 4, WIDTH = 1 << STEPS };
	const VkImageCreateInfo blocks =
		image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, WIDTH * 4 * 2,
			   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
	const VkImageCreateInfo texels =
		image_info(VK_IMAGE_TYPE_2D, VK_FORMAT_R32G32_UINT, WIDTH * 2,
			   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
	const struct vk_image src = vk_image_new(&texels), dst = vk_image_new(&blocks);
	const struct vk_buffer from =
		vk_buffer_new(WIDTH * 2 * WIDTH * 2 * 8, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	const struct vk_buffer to = vk_buffer_new(from.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const VkBufferImageCopy in = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = texels.extent,
	};
	VkBufferImageCopy out = in;
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	for (uint32_t i = 0; i < from.size / 4; i++)
		((uint32_t *)from.map)[i] = i * 3;
	out.imageExtent = blocks.extent;
	vkCmdCopyBufferToImage(cmd, from.buffer, src.image, general, 1, &in);
	vk_barrier(cmd);
	for (uint32_t i = 0; i <= STEPS; i++) {
		const int32_t side = 1 << i;
		const VkImageCopy copy = {
			{ VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
			{ side - 1, side - 1, 0 },
			{ VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
			{ 4 * (side - 1), 4 * (side - 1), 0 },
			{ side, side, 1 },
		};

		vkCmdCopyImage(cmd, src.image, general, dst.image, general, 1, &copy);
	}
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, dst.image, general, to.buffer, 1, &out);
	vk_barrier(cmd);
	vk_run(cmd);
	/* The copied squares lie along the diagonal. */
	for (uint32_t i = 0; i <= STEPS; i++)
		for (uint32_t k = 0; k < 1u << i; k++)
			for (uint32_t j = 0; j < 1u << i; j++) {
				const uint32_t at =
					((1u << i) - 1 + k) * WIDTH * 2 + (1u << i) - 1 + j;

				ok &= ((uint64_t *)to.map)[at] == ((uint64_t *)from.map)[at];
			}
	tap(ok, "copies between texels and blocks get larger and larger");
	vk_image_del(&src);
	vk_image_del(&dst);
	vk_buffer_del(&from);
	vk_buffer_del(&to);
}

int main(void)
{
	static const char *const wishes[] = {
		VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME,
		VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME,
		VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME,
		VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME,
		NULL,
	};

	vk.features = &slices;
	vk.wishes = wishes;
	vk_open();
	test_levels_before_the_first();
	test_swizzle();
	test_uses();
	test_last_slice("drawn to", VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT,
			VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
	if (slices.image2DViewOf3D)
		test_last_slice("stored to", VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT,
				VK_IMAGE_USAGE_STORAGE_BIT);
	test_cube();
	test_input_lines();
	test_far_apart();
	test_many_copies();
	test_growing_copies();
	vk_close();
	return tap_failures() != 0;
}
