// SPDX-License-Identifier: MIT
/*
 * Properties of Vulkan formats, from Vulkan's utility header. Its functions are not static, so only
 * one file of a C program can include it.
 */
#include "host/format.h"

#include <vulkan/utility/vk_format_utils.h>

#include "sundog_hw.h"

/* Formats whose VkFormat is too large for the table of the capability block. */
static const struct {
	VkFormat format;
	uint32_t number;
} renumbered[] = {
	{ VK_FORMAT_A4R4G4B4_UNORM_PACK16, SUNDOG_FORMAT_A4R4G4B4 },
	{ VK_FORMAT_A4B4G4R4_UNORM_PACK16, SUNDOG_FORMAT_A4B4G4R4 },
	{ VK_FORMAT_A1B5G5R5_UNORM_PACK16, SUNDOG_FORMAT_A1B5G5R5 },
	{ VK_FORMAT_A8_UNORM, SUNDOG_FORMAT_A8 },
};

#define N_RENUMBERED (sizeof(renumbered) / sizeof(renumbered[0]))

VkFormat format_of_stream(uint32_t number)
{
	for (size_t i = 0; i < N_RENUMBERED; i++)
		if (number == renumbered[i].number)
			return renumbered[i].format;
	return number;
}

uint32_t format_in_stream(VkFormat format)
{
	for (size_t i = 0; i < N_RENUMBERED; i++)
		if (format == renumbered[i].format)
			return renumbered[i].number;
	return format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK ? format : SUNDOG_NUM_FORMATS;
}

VkImageAspectFlags format_aspects(VkFormat format)
{
	VkImageAspectFlags aspects = 0;

	if (vkuFormatHasDepth(format))
		aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
	if (vkuFormatHasStencil(format))
		aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
	return aspects ? aspects : VK_IMAGE_ASPECT_COLOR_BIT;
}

bool format_is_compressed(VkFormat format)
{
	return vkuFormatIsCompressed(format);
}

VkExtent3D format_block_extent(VkFormat format)
{
	return vkuFormatTexelBlockExtent(format);
}

uint32_t format_block_size(VkFormat format)
{
	return vkuFormatTexelBlockSize(format);
}

bool format_blocks_match(VkFormat a, VkFormat b)
{
	const VkExtent3D x = format_block_extent(a), y = format_block_extent(b);

	return format_is_compressed(a) == format_is_compressed(b) &&
	       format_block_size(a) == format_block_size(b) && x.width == y.width &&
	       x.height == y.height && x.depth == y.depth;
}

uint32_t format_copy_size(VkFormat format, VkImageAspectFlags aspect)
{
	if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
		return 1;
	if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
		return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D16_UNORM_S8_UINT ? 2
											      : 4;
	return vkuFormatTexelBlockSize(format);
}

bool format_has_float_depth(VkFormat format)
{
	return format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
}

enum format_number format_number(VkFormat format)
{
	return vkuFormatIsSINT(format)   ? FORMAT_SINT
	       : vkuFormatIsUINT(format) ? FORMAT_UINT
					 : FORMAT_FLOAT;
}
