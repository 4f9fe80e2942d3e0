// SPDX-License-Identifier: MIT
/*
 * Images, image views and samplers, see image.h. Called by the decoder on the worker's main
 * thread. Everything that Vulkan calls valid usage is checked here, because the host driver may
 * only assert it.
 */
#include "exec/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/barrier.h"
#include "exec/caps.h"
#include "exec/exec.h"
#include "exec/image_descriptor.h"
#include "exec/image_layout.h"
#include "exec/image_texels.h"
#include "exec/memory.h"
#include "exec/object.h"
#include "gate/texture.h"
#include "host/format.h"
#include "sundog_run.h"

/* Images */

static uint32_t max_levels(VkExtent3D e)
{
	uint32_t size = e.width > e.height ? e.width : e.height;

	size = size > e.depth ? size : e.depth;
	return 32 - __builtin_clz(size);
}

bool image_info_ok(struct exec *x, uint32_t id, const VkImageCreateInfo *info)
{
	VkImageFormatProperties limits;

	if (!info->extent.width || !info->extent.height || !info->extent.depth ||
	    !info->mipLevels || !info->arrayLayers || !info->usage ||
	    !caps_format(x, info->format) ||
	    info->samples & (info->samples - 1) || !info->samples)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, id);
	if ((info->imageType == VK_IMAGE_TYPE_1D && info->extent.height > 1) ||
	    (info->imageType != VK_IMAGE_TYPE_3D && info->extent.depth > 1) ||
	    (info->imageType == VK_IMAGE_TYPE_3D && info->arrayLayers > 1) ||
	    info->mipLevels > max_levels(info->extent) ||
	    (info->samples > 1 && (info->mipLevels > 1 || info->imageType != VK_IMAGE_TYPE_2D)))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, id);
	if ((info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) &&
	    (info->imageType != VK_IMAGE_TYPE_2D || info->extent.width != info->extent.height ||
	     info->arrayLayers < 6 || info->samples > 1))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, id);
	if ((info->flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT) &&
	    info->imageType != VK_IMAGE_TYPE_3D)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, id);
	if ((info->flags & (VK_IMAGE_CREATE_EXTENDED_USAGE_BIT |
			    VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT)) &&
	    !(info->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, id);
	if ((info->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) &&
	    (!(x->caps.layout_flags & SUNDOG_LAYOUT_FLAG_TEXEL_VIEWS) ||
	     !format_is_compressed(info->format)))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, id);
	if (vkGetPhysicalDeviceImageFormatProperties(x->vk.physical, info->format, info->imageType,
						     info->tiling, info->usage, info->flags,
						     &limits) != VK_SUCCESS ||
	    info->extent.width > limits.maxExtent.width ||
	    info->extent.height > limits.maxExtent.height ||
	    info->extent.depth > limits.maxExtent.depth ||
	    info->mipLevels > limits.maxMipLevels || info->arrayLayers > limits.maxArrayLayers ||
	    !(info->samples & limits.sampleCounts))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, id);
	return true;
}

/* Returns the bytes of the table of residency that precedes @size bytes of an image. */
static uint64_t residency_bytes(const struct image *image, uint64_t size)
{
	const uint64_t pages = (size + SUNDOG_PAGE_SIZE - 1) / SUNDOG_PAGE_SIZE;

	return image->residency ? (pages + 31) / 32 * 4 : 0;
}

/*
 * Bind @image to its memory. @size: bytes that the image touches, 0: the size that the host
 * reports. Returns false with a fault recorded if the memory is too small or the host fails.
 */
static bool image_bind(struct exec *x, const struct image *image, uint64_t size)
{
	struct alloc *alloc = image->alloc;
	VkMemoryRequirements need;
	VkResult r;

	x->vk.GetImageMemoryRequirements(x->vk.device, image->image, &need);
	if (image->offset % need.alignment || image->offset < residency_bytes(image, need.size) ||
	    !memory_range(x, alloc, image->offset, size ? size : need.size))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	r = x->vk.BindImageMemory(x->vk.device, image->image, alloc->memory, image->offset);
	return r == VK_SUCCESS || fault(x, SUNDOG_FAULT_CODE_HOST, -r);
}

/*
 * The contents come with the memory: acquire the image from the external queue family in layout
 * GENERAL. The barrier goes to the batch's prologue.
 */
static bool image_acquire(struct exec *x, const struct image *image)
{
	VkImageMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
		.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_GENERAL, .newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
		.dstQueueFamilyIndex = x->vk.queue_family,
		.image = image->image,
		.subresourceRange = { image->aspects, 0, image->levels, 0, image->layers },
	};
	VkDependencyInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier,
	};
	VkCommandBuffer cmd = batch_prologue(x);

	if (!cmd)
		return false;
	x->vk.CmdPipelineBarrier2(cmd, &info);
	return true;
}

struct image *image_new(struct exec *x, VkImageCreateInfo *info, struct alloc *alloc,
			uint64_t offset, uint64_t size)
{
	VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, .pNext = info->pNext,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	const struct lvp_image_rows_create_info *rows = layout_rows_of(info);
	struct image *image = calloc(1, sizeof(*image));
	VkResult r;

	if (!image) {
		fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
		return NULL;
	}
	*image = (struct image){
		.object = { .kind = SUNDOG_OBJECT_KIND_IMAGE, .refs = 1 },
		.offset = offset, .type = info->imageType, .format = info->format,
		.aspects = format_aspects(info->format),
		.extent = info->extent, .levels = info->mipLevels, .layers = info->arrayLayers,
		.samples = info->samples, .usage = info->usage, .flags = info->flags,
		.page_rows = rows, .residency = rows && rows->residencyTable,
	};
	info->pNext = &external;
	r = x->vk.CreateImage(x->vk.device, info, NULL, &image->image);
	if (r != VK_SUCCESS) {
		free(image);
		fault(x, SUNDOG_FAULT_CODE_HOST, -r);
		return NULL;
	}
	image->alloc = (struct alloc *)object_ref(&alloc->object);
	if (alloc->images++)
		memory_aliased(x);
	if (!image_bind(x, image, size) || !image_acquire(x, image)) {
		object_unref(x, &image->object);
		return NULL;
	}
	return image;
}

/* Create the image that @info describes at @offset of @mem, as @id. */
static bool image_make(struct exec *x, uint32_t id, VkImageCreateInfo *info,
		       struct sundog_mem mem, uint64_t offset, uint64_t size)
{
	struct alloc *alloc = memory_find(x, mem, 0);
	struct image *image;

	if (!alloc || !object_id_free(x, id))
		return false;
	image = image_new(x, info, alloc, offset, size);
	if (!image)
		return false;
	object_publish(x, id, &image->object);
	return true;
}

/* Returns true if the slices of a 3D image need views for shaders, besides attachments. */
static bool slices_have_shader_views(const struct exec *x, uint32_t usage)
{
	return (x->vk.slices && usage & VK_IMAGE_USAGE_STORAGE_BIT) ||
	       (x->vk.slice_ranges && usage & VK_IMAGE_USAGE_SAMPLED_BIT);
}

/* Returns true if the image may have rows at multiples of pages, and a table of residency. */
static bool page_rows_ok(struct exec *x, const struct sundog_cmd_create_image *cmd)
{
	const uint32_t needed = cmd->flags & SUNDOG_IMAGE_FLAG_RESIDENCY ?
		SUNDOG_LAYOUT_FLAG_PAGE_ROWS | SUNDOG_LAYOUT_FLAG_RESIDENCY :
		SUNDOG_LAYOUT_FLAG_PAGE_ROWS;

	return ((x->caps.layout_flags & needed) == needed && cmd->samples == 1 &&
		cmd->flags & SUNDOG_IMAGE_FLAG_PAGE_ROWS) ||
	       fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
}

bool run_create_image(struct exec *x, const struct sundog_cmd_create_image *cmd)
{
	const uint32_t rows_flags =
		cmd->flags & (SUNDOG_IMAGE_FLAG_PAGE_ROWS | SUNDOG_IMAGE_FLAG_RESIDENCY);
	struct lvp_image_rows_create_info rows;
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = cmd->flags & ~rows_flags, .imageType = cmd->type,
		.format = format_of_stream(cmd->format),
		.extent = { cmd->extent.width, cmd->extent.height, cmd->extent.depth },
		.mipLevels = cmd->levels, .arrayLayers = cmd->layers, .samples = cmd->samples,
		.tiling = VK_IMAGE_TILING_OPTIMAL, .usage = cmd->usage,
		.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
	};

	/* The packet's flag covers both Vulkan flags: slices as attachments and as shader views. */
	if (cmd->flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT &&
	    slices_have_shader_views(x, cmd->usage))
		info.flags |= VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
	if (!image_info_ok(x, cmd->id, &info) || (rows_flags && !page_rows_ok(x, cmd)))
		return false;
	if (rows_flags)
		layout_page_rows(&rows, &info, cmd->flags & SUNDOG_IMAGE_FLAG_RESIDENCY);
	return image_make(x, cmd->id, &info, cmd->mem, cmd->offset, 0);
}

/* Alignment of the stores of the host (lavapipe), in bytes. */
#define STORE_ALIGN 16

/*
 * Check that the host can use the layout. It writes aligned blocks of 4x4 texels, however few
 * texels change. Images that are only read may lie anywhere, with texels aligned to their size.
 * Sets *@size to the bytes that the image touches.
 */
static bool linear_layout_ok(struct exec *x, const struct sundog_cmd_create_linear_image *cmd,
			     uint64_t *size)
{
	const VkFormat format = format_of_stream(cmd->format);
	const uint64_t texel = format_block_size(format);
	const uint64_t block = x->caps.layout_block;
	const bool aligned = !(cmd->offset % STORE_ALIGN) && !(cmd->pitch % STORE_ALIGN);
	const bool written = cmd->usage &
			     ~(SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_TRANSFER_SRC);
	uint64_t width = cmd->width, height = cmd->height;

	if (!(x->caps.layout_flags & SUNDOG_LAYOUT_FLAG_EXPLICIT) || !width || !height ||
	    cmd->flags & ~(SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT | SUNDOG_IMAGE_FLAG_EXTENDED_USAGE) ||
	    format_is_compressed(format) ||
	    format_aspects(format) != VK_IMAGE_ASPECT_COLOR_BIT)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	if (!aligned &&
	    (written || texel & (texel - 1) || cmd->offset % texel || cmd->pitch % texel))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	if (written) {
		width = (width + block - 1) / block * block;
		height = (height + block - 1) / block * block;
	}
	if (cmd->pitch < width * texel)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	*size = (height - 1) * cmd->pitch + width * texel;
	/* The host computes texel offsets in 32 bits. */
	return *size <= INT32_MAX || fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
}

bool run_create_linear_image(struct exec *x, const struct sundog_cmd_create_linear_image *cmd)
{
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = cmd->flags, .imageType = VK_IMAGE_TYPE_2D,
		.format = format_of_stream(cmd->format),
		.extent = { cmd->width, cmd->height, 1 }, .mipLevels = 1, .arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = cmd->usage, .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
	};
	struct explicit_layout layout;
	uint64_t size, within;

	if (!image_info_ok(x, cmd->id, &info) || !linear_layout_ok(x, cmd, &size))
		return false;
	/*
	 * Memory must be bound at the host's alignment of images; the layout's offset adds the
	 * rest.
	 */
	within = cmd->offset % x->caps.layout_level_align;
	layout_explicit(&layout, &info, within, cmd->pitch, 0);
	return image_make(x, cmd->id, &info, cmd->mem, cmd->offset - within, within + size);
}

void image_free(struct exec *x, struct image *image)
{
	x->vk.DestroyImage(x->vk.device, image->image, NULL);
	image->alloc->images--;
	object_unref(x, &image->alloc->object);
	free(image);
}

/* Views */

/*
 * Slices of a 3D image as layers of a 2D view: one slice for shaders, any number for attachments.
 */
static bool slice_view_ok(const struct exec *x, const struct image *image,
			  const struct sundog_cmd_create_image_view *cmd)
{
	const bool one = cmd->type == VK_IMAGE_VIEW_TYPE_2D;

	return (image->flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT) && cmd->levels == 1 &&
	       (!(cmd->usage & VK_IMAGE_USAGE_SAMPLED_BIT) || (x->vk.slice_ranges && one)) &&
	       (!(cmd->usage & VK_IMAGE_USAGE_STORAGE_BIT) || (x->vk.slices && one));
}

static bool view_type_ok(const struct exec *x, const struct image *image,
			 const struct sundog_cmd_create_image_view *cmd)
{
	switch (cmd->type) {
	case VK_IMAGE_VIEW_TYPE_1D:
		return image->type == VK_IMAGE_TYPE_1D && cmd->layers == 1;
	case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
		return image->type == VK_IMAGE_TYPE_1D;
	case VK_IMAGE_VIEW_TYPE_2D:
	case VK_IMAGE_VIEW_TYPE_2D_ARRAY:
		if (cmd->type == VK_IMAGE_VIEW_TYPE_2D && cmd->layers != 1)
			return false;
		if (image->type == VK_IMAGE_TYPE_3D)
			return slice_view_ok(x, image, cmd);
		return image->type == VK_IMAGE_TYPE_2D;
	case VK_IMAGE_VIEW_TYPE_3D:
		return image->type == VK_IMAGE_TYPE_3D && !cmd->base_layer && cmd->layers == 1;
	case SUNDOG_VIEW_TYPE_SLICES:
		return x->vk.slice_ranges && image->type == VK_IMAGE_TYPE_3D && cmd->levels == 1 &&
		       cmd->usage == VK_IMAGE_USAGE_STORAGE_BIT;
	case VK_IMAGE_VIEW_TYPE_CUBE:
		return (image->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) && cmd->layers == 6;
	case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
		return (image->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) &&
		       cmd->layers % 6 == 0 && exec_has(x, SUNDOG_FEATURE_CUBE_ARRAYS);
	default:
		return false;
	}
}

static bool view_format_ok(const struct exec *x, const struct image *image, VkFormat format)
{
	if (format == image->format)
		return true;
	return (image->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) &&
	       image->aspects == VK_IMAGE_ASPECT_COLOR_BIT && caps_format(x, format) &&
	       format_aspects(format) == VK_IMAGE_ASPECT_COLOR_BIT &&
	       format_blocks_match(format, image->format);
}

static bool swizzle_is_identity(const uint32_t *swizzle)
{
	for (uint32_t i = 0; i < 4; i++)
		if (swizzle[i] != VK_COMPONENT_SWIZZLE_IDENTITY &&
		    swizzle[i] != VK_COMPONENT_SWIZZLE_R + i)
			return false;
	return true;
}

/* Returns true if the format supports the view's usage. The host only asserts this. */
static bool view_usage_ok(const struct exec *x, const struct image *image,
			  const struct sundog_cmd_create_image_view *cmd)
{
	const uint32_t features = caps_format(x, cmd->format);

	if (!cmd->usage || (cmd->usage & ~image->usage))
		return false;
	if (cmd->type == VK_IMAGE_VIEW_TYPE_3D &&
	    (cmd->usage &
	     (SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT | SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT)))
		return false;
	return (!(cmd->usage & SUNDOG_IMAGE_USAGE_SAMPLED) ||
		features & SUNDOG_FORMAT_FEATURE_SAMPLED) &&
	       (!(cmd->usage & SUNDOG_IMAGE_USAGE_STORAGE) ||
		(features & SUNDOG_FORMAT_FEATURE_STORAGE && swizzle_is_identity(cmd->swizzle))) &&
	       (!(cmd->usage & SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT) ||
		features & SUNDOG_FORMAT_FEATURE_COLOR) &&
	       (!(cmd->usage & SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT) ||
		features & SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL);
}

static bool view_ok(struct exec *x, const struct image *image,
		    const struct sundog_cmd_create_image_view *cmd)
{
	uint32_t layers = image->layers;

	/* Slices of a 3D image count as layers of a 2D view. */
	if (image->type == VK_IMAGE_TYPE_3D && cmd->type != VK_IMAGE_VIEW_TYPE_3D &&
	    cmd->base_level < image->levels)
		layers = format_minify(image->extent.depth, cmd->base_level);
	if (!cmd->levels || !cmd->layers || cmd->base_level + cmd->levels > image->levels ||
	    cmd->base_layer + cmd->layers > layers || !view_type_ok(x, image, cmd) ||
	    !view_format_ok(x, image, cmd->format) || !cmd->aspect ||
	    (cmd->aspect & ~image->aspects) || !view_usage_ok(x, image, cmd))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->image);
	/* A sampled view has one aspect (VUID-VkDescriptorImageInfo-imageView-01976). */
	if ((cmd->usage & VK_IMAGE_USAGE_SAMPLED_BIT) && cmd->aspect & (cmd->aspect - 1))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->image);
	return true;
}

static VkImageViewType host_view_type(const struct sundog_cmd_create_image_view *cmd)
{
	return cmd->type == SUNDOG_VIEW_TYPE_SLICES ? VK_IMAGE_VIEW_TYPE_3D
						    : (VkImageViewType)cmd->type;
}

/* Returns the texture kind that shaders see: depth counts as float, stencil as unsigned integer. */
static uint32_t view_kind(const struct image *image, const struct sundog_cmd_create_image_view *cmd)
{
	const enum format_number number =
		cmd->aspect == VK_IMAGE_ASPECT_COLOR_BIT ? format_number(cmd->format) :
		cmd->aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? FORMAT_UINT : FORMAT_FLOAT;

	return texture_kind(host_view_type(cmd), image->samples > 1, number);
}

/* Move the range of slices from the subresource range to @slices: 3D views have one layer. */
static void view_slices(VkImageViewCreateInfo *info, VkImageViewSlicedCreateInfoEXT *slices)
{
	slices->pNext = info->pNext;
	slices->sliceOffset = info->subresourceRange.baseArrayLayer;
	slices->sliceCount = info->subresourceRange.layerCount;
	info->pNext = slices;
	info->subresourceRange.baseArrayLayer = 0;
	info->subresourceRange.layerCount = 1;
}

/*
 * Create the view of @image that @cmd describes, whose format is a VkFormat. @image may be another
 * image than @cmd names, see image_texels.c.
 */
static bool view_make(struct exec *x, struct image *image,
		      const struct sundog_cmd_create_image_view *cmd)
{
	VkImageViewUsageCreateInfo usage = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, .usage = cmd->usage,
	};
	VkImageViewSlicedCreateInfoEXT slices = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT
	};
	VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .pNext = &usage,
		.image = image->image, .viewType = host_view_type(cmd), .format = cmd->format,
		.components = {
			cmd->swizzle[0], cmd->swizzle[1], cmd->swizzle[2], cmd->swizzle[3]
		},
		.subresourceRange = {
			cmd->aspect, cmd->base_level, cmd->levels, cmd->base_layer, cmd->layers,
		},
	};
	struct image_view *view;
	VkResult r;

	if (!view_ok(x, image, cmd))
		return false;
	view = calloc(1, sizeof(*view));
	if (!view)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	if (cmd->type == SUNDOG_VIEW_TYPE_SLICES)
		view_slices(&info, &slices);
	r = x->vk.CreateImageView(x->vk.device, &info, NULL, &view->view);
	if (r != VK_SUCCESS) {
		free(view);
		return fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	}
	view->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_IMAGE_VIEW, .refs = 1 };
	view->image = (struct image *)object_ref(&image->object);
	view->aspects = cmd->aspect;
	view->format = cmd->format;
	view->extent.width = format_minify(image->extent.width, cmd->base_level);
	view->extent.height = format_minify(image->extent.height, cmd->base_level);
	view->levels = cmd->levels;
	view->layers = cmd->layers;
	view->usage = cmd->usage;
	view->kind = view_kind(image, cmd);
	object_publish(x, cmd->id, &view->object);
	return true;
}

bool run_create_image_view(struct exec *x, const struct sundog_cmd_create_image_view *cmd)
{
	struct image *image = (struct image *)object_find(x, cmd->image, SUNDOG_OBJECT_KIND_IMAGE);
	struct sundog_cmd_create_image_view view = *cmd;
	struct image *texels;
	bool made;

	if (!image || !object_id_free(x, cmd->id))
		return false;
	view.format = format_of_stream(cmd->format);
	if (!image_view_is_of_texels(image, &view))
		return view_make(x, image, &view);
	texels = image_of_texels(x, image, &view);
	if (!texels)
		return false;
	view.base_level = 0;
	made = view_make(x, texels, &view);
	/* The view holds a reference now, or the image goes to the garbage. */
	object_unref(x, &texels->object);
	return made;
}

void image_view_free(struct exec *x, struct image_view *view)
{
	image_view_descriptors_free(view);
	x->vk.DestroyImageView(x->vk.device, view->view, NULL);
	object_unref(x, &view->image->object);
	free(view);
}

/* Samplers */

/* Min and max reduction exclude each other and compare samplers. */
static bool reduction_ok(const struct exec *x, uint32_t flags)
{
	const uint32_t reduction = flags & (SUNDOG_SAMPLER_FLAG_REDUCE_MIN |
					    SUNDOG_SAMPLER_FLAG_REDUCE_MAX);

	return !reduction ||
	       (exec_has(x, SUNDOG_FEATURE_FILTER_MINMAX) && !(reduction & (reduction - 1)) &&
		!(flags & SUNDOG_SAMPLER_FLAG_COMPARE));
}

static VkSamplerReductionMode reduction_mode(uint32_t flags)
{
	if (flags & SUNDOG_SAMPLER_FLAG_REDUCE_MIN)
		return VK_SAMPLER_REDUCTION_MODE_MIN;
	if (flags & SUNDOG_SAMPLER_FLAG_REDUCE_MAX)
		return VK_SAMPLER_REDUCTION_MODE_MAX;
	return VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE;
}

static bool sampler_ok(struct exec *x, const struct sundog_cmd_create_sampler *cmd)
{
	const struct sundog_caps *caps = &x->caps;

	/* Written so that a NaN fails. */
	if (!(fabsf(cmd->lod_bias) <= caps->max_lod_bias) || !(cmd->min_lod >= 0.0f) ||
	    !(cmd->max_lod >= cmd->min_lod))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	if ((cmd->flags & SUNDOG_SAMPLER_FLAG_ANISOTROPY) &&
	    !(cmd->max_anisotropy >= 1.0f && cmd->max_anisotropy <= caps->max_anisotropy))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	if (!reduction_ok(x, cmd->flags))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	if (!format_is_numbered(cmd->border_format))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	if ((cmd->flags & SUNDOG_SAMPLER_FLAG_UNNORMALIZED) &&
	    (cmd->min_filter != cmd->mag_filter || cmd->mipmap_mode || cmd->max_lod != 0.0f ||
	     cmd->flags & (SUNDOG_SAMPLER_FLAG_COMPARE | SUNDOG_SAMPLER_FLAG_ANISOTROPY) ||
	     (cmd->address_u != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE &&
	      cmd->address_u != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) ||
	     (cmd->address_v != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE &&
	      cmd->address_v != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER)))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	return true;
}

bool run_create_sampler(struct exec *x, const struct sundog_cmd_create_sampler *cmd)
{
	VkSamplerReductionModeCreateInfo reduction = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
		.reductionMode = reduction_mode(cmd->flags),
	};
	VkSamplerCustomBorderColorCreateInfoEXT border = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
		.pNext = exec_has(x, SUNDOG_FEATURE_FILTER_MINMAX) ? &reduction : NULL,
		.format = format_of_stream(cmd->border_format),
	};
	VkSamplerCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .pNext = &border,
		.flags = cmd->flags & SUNDOG_SAMPLER_FLAG_NON_SEAMLESS ?
			 VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT : 0,
		.magFilter = cmd->mag_filter, .minFilter = cmd->min_filter,
		.mipmapMode = cmd->mipmap_mode,
		.addressModeU = cmd->address_u, .addressModeV = cmd->address_v,
		.addressModeW = cmd->address_w, .mipLodBias = cmd->lod_bias,
		.anisotropyEnable = !!(cmd->flags & SUNDOG_SAMPLER_FLAG_ANISOTROPY),
		.maxAnisotropy = cmd->max_anisotropy,
		.compareEnable = !!(cmd->flags & SUNDOG_SAMPLER_FLAG_COMPARE),
		.compareOp = cmd->compare_op, .minLod = cmd->min_lod, .maxLod = cmd->max_lod,
		.borderColor = cmd->border_int ? VK_BORDER_COLOR_INT_CUSTOM_EXT :
			       VK_BORDER_COLOR_FLOAT_CUSTOM_EXT,
		.unnormalizedCoordinates = !!(cmd->flags & SUNDOG_SAMPLER_FLAG_UNNORMALIZED),
	};
	struct sampler *sampler;
	VkResult r;

	if (!object_id_free(x, cmd->id) || !sampler_ok(x, cmd))
		return false;
	memcpy(&border.customBorderColor, cmd->border, sizeof(cmd->border));
	sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	r = x->vk.CreateSampler(x->vk.device, &info, NULL, &sampler->sampler);
	if (r != VK_SUCCESS) {
		free(sampler);
		return fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	}
	sampler->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_SAMPLER, .refs = 1 };
	sampler->serial = ++x->objects.next_serial;
	object_publish(x, cmd->id, &sampler->object);
	return true;
}

void sampler_free(struct exec *x, struct sampler *sampler)
{
	x->vk.DestroySampler(x->vk.device, sampler->sampler, NULL);
	free(sampler);
}
