// SPDX-License-Identifier: MIT
/*
 * Views of the blocks of compressed images as texels
 * (VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT). Such a view is one of an own image that covers
 * one level of the same memory, with the row pitch that the layout rule has for the blocks. Called
 * on the worker's main thread.
 *
 * Lavapipe supports such views directly, but tells shaders that storage images have the size of the
 * compressed image in texels. It also divides by powers of two, which would fail for a format with
 * blocks of five texels. It draws only to memory that is aligned for it, which rows of blocks need
 * not be, so these views are for shaders only.
 */
#include "exec/image_texels.h"

#include "exec/caps.h"
#include "exec/exec.h"
#include "exec/image.h"
#include "exec/image_layout.h"
#include "exec/object.h"
#include "host/format.h"

bool image_view_is_of_texels(const struct image *image,
			     const struct sundog_cmd_create_image_view *cmd)
{
	return (image->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) &&
	       !format_is_compressed(cmd->format);
}

static bool texels_ok(struct exec *x, const struct image *image,
		      const struct sundog_cmd_create_image_view *cmd)
{
	const uint32_t shaders = SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_STORAGE;

	return (cmd->base_level < image->levels && cmd->levels == 1 && cmd->usage &&
		!(cmd->usage & ~image->usage) && !(cmd->usage & ~shaders) &&
		caps_format(x, cmd->format) &&
		format_aspects(cmd->format) == VK_IMAGE_ASPECT_COLOR_BIT &&
		format_block_size(cmd->format) == format_block_size(image->format)) ||
	       fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->image);
}

static struct level_layout level_of(const struct exec *x, const struct image *image,
				    uint32_t level)
{
	const VkImageCreateInfo info = {
		.imageType = image->type, .format = image->format, .extent = image->extent,
		.mipLevels = image->levels, .arrayLayers = image->layers,
	};

	return layout_level(&x->caps, &info, image->page_rows, level);
}

/* Returns the layers of a level, or its slices: 2D views see slices as layers. */
static uint32_t n_layers(const struct image *image, uint32_t level)
{
	return image->type == VK_IMAGE_TYPE_3D ? format_minify(image->extent.depth, level)
					       : image->layers;
}

/* One texel per block; the last block may extend beyond the level. */
static VkExtent3D texels_of(const struct image *image, uint32_t level)
{
	const VkExtent3D block = format_block_extent(image->format);

	return (VkExtent3D){
		(format_minify(image->extent.width, level) + block.width - 1) / block.width,
		(format_minify(image->extent.height, level) + block.height - 1) / block.height,
		1,
	};
}

/* If the extent in blocks is not square, there are no cube views. */
static VkImageCreateFlags texel_flags(const struct image *image, VkExtent3D extent)
{
	return extent.width == extent.height ? image->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT
					     : 0;
}

struct image *image_of_texels(struct exec *x, const struct image *image,
			      const struct sundog_cmd_create_image_view *cmd)
{
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = cmd->format,
		.mipLevels = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = cmd->usage,
		.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
	};
	struct level_layout level;
	struct explicit_layout layout;
	uint64_t start, within;
	uint32_t slices;

	if (!texels_ok(x, image, cmd))
		return NULL;
	level = level_of(x, image, cmd->base_level);
	info.extent = texels_of(image, cmd->base_level);
	slices = info.arrayLayers = n_layers(image, cmd->base_level);
	if (cmd->type == VK_IMAGE_VIEW_TYPE_3D && image->type == VK_IMAGE_TYPE_3D) {
		info.imageType = VK_IMAGE_TYPE_3D;
		info.extent.depth = slices;
		info.arrayLayers = 1;
	}
	info.flags = texel_flags(image, info.extent);
	if (!image_info_ok(x, cmd->image, &info))
		return NULL;
	/* Memory must be bound at the host's alignment of images. */
	start = image->offset + level.offset;
	within = start % x->caps.layout_level_align;
	layout_explicit(&layout, &info, within, level.pitch, level.slice);
	return image_new(x, &info, image->alloc, start - within,
			 within + level.slice * slices);
}
