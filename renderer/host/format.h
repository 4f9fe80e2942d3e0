/* SPDX-License-Identifier: MIT */
/*
 * Properties of Vulkan formats. Pure functions, callable from any thread.
 */
#ifndef HOST_FORMAT_H
#define HOST_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

enum format_number { FORMAT_FLOAT, FORMAT_SINT, FORMAT_UINT };

/* Returns the format that a number below SUNDOG_NUM_FORMATS stands for in a stream. */
VkFormat format_of_stream(uint32_t number);
/* The inverse. Returns SUNDOG_NUM_FORMATS if no number stands for @format. */
uint32_t format_in_stream(VkFormat format);
/* Returns true if a number in a stream stands for a format or for VK_FORMAT_UNDEFINED. */
static inline bool format_is_numbered(uint32_t number)
{
	return format_in_stream(format_of_stream(number)) == number;
}

VkImageAspectFlags format_aspects(VkFormat format);
bool format_is_compressed(VkFormat format);
/* Texels of a block, and its bytes. */
VkExtent3D format_block_extent(VkFormat format);
uint32_t format_block_size(VkFormat format);
/* Returns true if blocks of both have as many bytes and cover as many texels. */
bool format_blocks_match(VkFormat a, VkFormat b);
/* Returns true if the format has depths, and they are floats. */
bool format_has_float_depth(VkFormat format);
/* Bytes of a block of one aspect in copies between buffers and images. */
uint32_t format_copy_size(VkFormat format, VkImageAspectFlags aspect);
/* Returns the side of mip level @level. */
static inline uint32_t format_minify(uint32_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

/* Returns the number type that shaders see; normalized and scaled formats are FORMAT_FLOAT. */
enum format_number format_number(VkFormat format);

#endif
