// SPDX-License-Identifier: MIT
/*
 * Fills, copies, blits and resolves, which are only allowed outside renderings. Called by the
 * decoder on the worker's main thread.
 */

#include "exec/barrier.h"
#include "exec/caps.h"
#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/state.h"
#include "host/format.h"
#include "sundog_run.h"

/* A checked box in one level of an image. */
struct box {
	struct image *image;
	VkImageSubresourceLayers layers;
	VkOffset3D offset;
	VkExtent3D extent;		/* depth 1 for array images, which have layers instead */
};

/*
 * Returns true if [at, at + size) lies within @limit texels and starts and ends at block borders or
 * at the edge.
 */
static bool side_ok(int32_t at, uint32_t size, uint32_t limit, uint32_t block)
{
	const uint64_t end = (uint64_t)(uint32_t)at + size;

	return at >= 0 && size && end <= limit && at % block == 0 &&
	       (size % block == 0 || end == limit);
}

/*
 * Find the box that a packet names. @texels: the box need not be aligned to blocks. Returns false
 * with a fault recorded if it is not valid.
 */
static bool find_part(struct exec *x, const struct sundog_image_region *r,
		      struct sundog_extent3d e, bool texels, uint32_t usage, uint32_t access,
		      struct box *out)
{
	struct image *image = (struct image *)object_find(x, r->image, SUNDOG_OBJECT_KIND_IMAGE);
	VkExtent3D block = { 1, 1, 1 }, level;
	bool is_3d;

	if (!image || !memory_check(x, image->alloc, access))
		return false;
	if (!texels)
		block = format_block_extent(image->format);
	is_3d = image->type == VK_IMAGE_TYPE_3D;
	out->image = image;
	level.width = format_minify(image->extent.width, r->level);
	level.height = format_minify(image->extent.height, r->level);
	level.depth = is_3d ? format_minify(image->extent.depth, r->level) : image->layers;
	if (!(image->usage & usage) || r->level >= image->levels || !r->aspect ||
	    r->aspect & (r->aspect - 1) || !(r->aspect & image->aspects) ||
	    !side_ok(r->offset.x, e.width, level.width, block.width) ||
	    !side_ok(r->offset.y, e.height, level.height, block.height) ||
	    !side_ok(r->offset.z, e.depth, level.depth, 1))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, r->image);
	out->layers = (VkImageSubresourceLayers){
		r->aspect, r->level, is_3d ? 0 : r->offset.z, is_3d ? 1 : e.depth,
	};
	out->offset = (VkOffset3D){ r->offset.x, r->offset.y, is_3d ? r->offset.z : 0 };
	out->extent = (VkExtent3D){ e.width, e.height, is_3d ? e.depth : 1 };
	return true;
}

static bool find_box(struct exec *x, const struct sundog_image_region *r,
		     struct sundog_extent3d e, uint32_t usage, uint32_t access, struct box *out)
{
	return find_part(x, r, e, false, usage, access, out);
}

/* Buffers */

bool run_fill_buffer(struct exec *x, const struct sundog_cmd_fill_buffer *cmd)
{
	struct alloc *alloc = memory_find(x, cmd->dst.mem, SUNDOG_ACCESS_WRITE);
	VkBuffer buffer;

	if (!alloc || !may_transfer(x, SUNDOG_OP_FILL_BUFFER))
		return false;
	if (cmd->dst.size % 4 || !cmd->dst.size)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	buffer = memory_words(x, alloc, cmd->dst.offset, cmd->dst.size);
	if (!buffer)
		return false;
	x->vk.CmdFillBuffer(x->draw.cmd, buffer, cmd->dst.offset, cmd->dst.size, cmd->value);
	return true;
}

bool run_update_buffer(struct exec *x, const struct sundog_cmd_update_buffer *cmd,
		       const uint32_t *data)
{
	struct alloc *alloc = memory_find(x, cmd->mem, SUNDOG_ACCESS_WRITE);
	VkBuffer buffer;

	if (!alloc || !may_transfer(x, SUNDOG_OP_UPDATE_BUFFER))
		return false;
	buffer = memory_words(x, alloc, cmd->offset, cmd->count * 4ull);
	if (!buffer)
		return false;
	x->vk.CmdUpdateBuffer(x->draw.cmd, buffer, cmd->offset, cmd->count * 4ull, data);
	return true;
}

bool run_copy_buffer(struct exec *x, const struct sundog_cmd_copy_buffer *cmd)
{
	struct alloc *src = memory_find(x, cmd->src, SUNDOG_ACCESS_READ);
	struct alloc *dst = src ? memory_find(x, cmd->dst, SUNDOG_ACCESS_WRITE) : NULL;
	VkBufferCopy region = { cmd->src_offset, cmd->dst_offset, cmd->size };

	if (!dst || !may_transfer(x, SUNDOG_OP_COPY_BUFFER) ||
	    !memory_buffer_range(x, src, cmd->src_offset, cmd->size) ||
	    !memory_buffer_range(x, dst, cmd->dst_offset, cmd->size))
		return false;
	if (!cmd->size || (src == dst && cmd->src_offset < cmd->dst_offset + cmd->size &&
			   cmd->dst_offset < cmd->src_offset + cmd->size))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, dst->handle);
	if (!memory_buffer(x, src) || !memory_buffer(x, dst))
		return false;
	x->vk.CmdCopyBuffer(x->draw.cmd, src->buffer, dst->buffer, 1, &region);
	return true;
}

/* Buffers and images */

/* Stores the region, and the buffer of @alloc that the host copies from or to. */
static bool buffer_region(struct exec *x, const struct box *box, struct alloc *alloc,
			  uint64_t offset, uint32_t row_length, uint32_t image_height,
			  VkBufferImageCopy *out, VkBuffer *buffer)
{
	const VkFormat format = box->image->format;
	const VkExtent3D block = format_block_extent(format);
	const uint32_t size = format_copy_size(format, box->layers.aspectMask);
	const uint32_t length = row_length ? row_length : box->extent.width;
	const uint32_t height = image_height ? image_height : box->extent.height;
	const uint64_t slices = (uint64_t)box->extent.depth * box->layers.layerCount;
	const uint64_t row = ((uint64_t)length + block.width - 1) / block.width;
	const uint64_t rows = ((uint64_t)height + block.height - 1) / block.height;
	const uint64_t last_row = (box->extent.width + block.width - 1) / block.width;
	const uint64_t last_rows = (box->extent.height + block.height - 1) / block.height;
	/*
	 * slices has 14 bits, rows and row have 16 bits each, and a block has at most 16 bytes: the
	 * product fits in 50 bits.
	 */
	const uint64_t bytes = (((slices - 1) * rows + last_rows - 1) * row + last_row) * size;

	/*
	 * Guests align buffers to a power of two, so a texel of three numbers may begin at any
	 * number: memory_texels() has a buffer for it.
	 */
	if (box->image->samples != 1 || length < box->extent.width || height < box->extent.height ||
	    offset % (size & -size) ||
	    (box->image->aspects != VK_IMAGE_ASPECT_COLOR_BIT && offset % 4) ||
	    !memory_buffer_range(x, alloc, offset, bytes))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	*buffer = memory_texels(x, alloc, &offset, size);
	if (!*buffer)
		return false;
	*out = (VkBufferImageCopy){
		.bufferOffset = offset,
		.bufferRowLength = row_length,
		.bufferImageHeight = image_height,
		.imageSubresource = box->layers,
		.imageOffset = box->offset,
		.imageExtent = box->extent,
	};
	return true;
}

bool run_copy_buffer_to_image(struct exec *x, const struct sundog_cmd_copy_buffer_to_image *cmd)
{
	struct alloc *alloc = memory_find(x, cmd->mem, SUNDOG_ACCESS_READ);
	VkBufferImageCopy region;
	VkBuffer buffer;
	struct box box;

	if (!alloc || !may_transfer(x, SUNDOG_OP_COPY_BUFFER_TO_IMAGE) ||
	    !find_box(x, &cmd->dst, cmd->extent, SUNDOG_IMAGE_USAGE_TRANSFER_DST,
		      SUNDOG_ACCESS_WRITE, &box) ||
	    !buffer_region(x, &box, alloc, cmd->offset, cmd->row_length, cmd->image_height,
			   &region, &buffer))
		return false;
	x->vk.CmdCopyBufferToImage(x->draw.cmd, buffer, box.image->image,
				   VK_IMAGE_LAYOUT_GENERAL, 1, &region);
	return true;
}

bool run_copy_image_to_buffer(struct exec *x, const struct sundog_cmd_copy_image_to_buffer *cmd)
{
	struct alloc *alloc = memory_find(x, cmd->mem, SUNDOG_ACCESS_WRITE);
	VkBufferImageCopy region;
	VkBuffer buffer;
	struct box box;

	if (!alloc || !may_transfer(x, SUNDOG_OP_COPY_IMAGE_TO_BUFFER) ||
	    !find_box(x, &cmd->src, cmd->extent, SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
		      SUNDOG_ACCESS_READ, &box) ||
	    !buffer_region(x, &box, alloc, cmd->offset, cmd->row_length, cmd->image_height,
			   &region, &buffer))
		return false;
	x->vk.CmdCopyImageToBuffer(x->draw.cmd, box.image->image, VK_IMAGE_LAYOUT_GENERAL, buffer,
				   1, &region);
	return true;
}

/* Images */

bool run_copy_image(struct exec *x, const struct sundog_cmd_copy_image *cmd)
{
	struct box src, dst;
	VkImageCopy region;

	if (!may_transfer(x, SUNDOG_OP_COPY_IMAGE) ||
	    !find_box(x, &cmd->src, cmd->extent, SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
		      SUNDOG_ACCESS_READ, &src) ||
	    !find_box(x, &cmd->dst, cmd->extent, SUNDOG_IMAGE_USAGE_TRANSFER_DST,
		      SUNDOG_ACCESS_WRITE, &dst))
		return false;
	/*
	 * Between a compressed and an uncompressed image the extents would differ: drivers copy
	 * through a buffer.
	 */
	if (src.image->samples != dst.image->samples || cmd->src.aspect != cmd->dst.aspect ||
	    (src.image->aspects != VK_IMAGE_ASPECT_COLOR_BIT &&
	     src.image->format != dst.image->format) ||
	    !format_blocks_match(src.image->format, dst.image->format))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->dst.image);
	region = (VkImageCopy){
		.srcSubresource = src.layers, .srcOffset = src.offset,
		.dstSubresource = dst.layers, .dstOffset = dst.offset, .extent = src.extent,
	};
	/* Slices on one side, layers on the other: Vulkan takes the depth of the 3D image. */
	if (dst.extent.depth > region.extent.depth)
		region.extent.depth = dst.extent.depth;
	x->vk.CmdCopyImage(x->draw.cmd, src.image->image, VK_IMAGE_LAYOUT_GENERAL, dst.image->image,
			   VK_IMAGE_LAYOUT_GENERAL, 1, &region);
	return true;
}

static int32_t low(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* Find the box between corners @a and @b, without mirroring. */
static bool find_corners(struct exec *x, const struct sundog_image_region *a,
			 const struct sundog_offset3d *b, uint32_t usage, uint32_t access,
			 struct box *out)
{
	struct sundog_image_region region = *a;
	struct sundog_extent3d extent = {
		(uint32_t)a->offset.x > (uint32_t)b->x ? (uint32_t)a->offset.x - b->x
						       : (uint32_t)b->x - a->offset.x,
		(uint32_t)a->offset.y > (uint32_t)b->y ? (uint32_t)a->offset.y - b->y
						       : (uint32_t)b->y - a->offset.y,
		(uint32_t)a->offset.z > (uint32_t)b->z ? (uint32_t)a->offset.z - b->z
						       : (uint32_t)b->z - a->offset.z,
	};

	region.offset = (struct sundog_offset3d){
		low(a->offset.x, b->x), low(a->offset.y, b->y), low(a->offset.z, b->z),
	};
	return find_part(x, &region, extent, true, usage, access, out);
}

static void blit_offsets(const struct box *box, const struct sundog_offset3d *from,
			 const struct sundog_offset3d *to, VkOffset3D out[2])
{
	const bool is_3d = box->image->type == VK_IMAGE_TYPE_3D;

	out[0] = (VkOffset3D){ from->x, from->y, is_3d ? from->z : 0 };
	out[1] = (VkOffset3D){ to->x, to->y, is_3d ? to->z : 1 };
}

static bool blit_ok(const struct exec *x, const struct sundog_cmd_blit_image *cmd,
		    const struct box *src, const struct box *dst)
{
	const VkFormat from = src->image->format, to = dst->image->format;
	const uint32_t from_features = caps_format(x, from), to_features = caps_format(x, to);

	if (src->image->samples != 1 || dst->image->samples != 1 ||
	    cmd->src.aspect != cmd->dst.aspect ||
	    src->layers.layerCount != dst->layers.layerCount ||
	    !(from_features & SUNDOG_FORMAT_FEATURE_BLIT_SRC) ||
	    !(to_features & SUNDOG_FORMAT_FEATURE_BLIT))
		return false;
	if (src->image->aspects != VK_IMAGE_ASPECT_COLOR_BIT ||
	    dst->image->aspects != VK_IMAGE_ASPECT_COLOR_BIT)
		return from == to && cmd->filter == VK_FILTER_NEAREST;
	if (format_number(from) != format_number(to))
		return false;
	return cmd->filter == VK_FILTER_NEAREST || from_features & SUNDOG_FORMAT_FEATURE_FILTER;
}

bool run_blit_image(struct exec *x, const struct sundog_cmd_blit_image *cmd)
{
	struct box src, dst;
	VkImageBlit region;

	if (!may_transfer(x, SUNDOG_OP_BLIT_IMAGE) ||
	    !find_corners(x, &cmd->src, &cmd->src_end, SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
			  SUNDOG_ACCESS_READ, &src) ||
	    !find_corners(x, &cmd->dst, &cmd->dst_end, SUNDOG_IMAGE_USAGE_TRANSFER_DST,
			  SUNDOG_ACCESS_WRITE, &dst))
		return false;
	if (!blit_ok(x, cmd, &src, &dst))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->dst.image);
	region = (VkImageBlit){ .srcSubresource = src.layers, .dstSubresource = dst.layers };
	blit_offsets(&src, &cmd->src.offset, &cmd->src_end, region.srcOffsets);
	blit_offsets(&dst, &cmd->dst.offset, &cmd->dst_end, region.dstOffsets);
	mesh_shaders_to_host(x, false);
	x->vk.CmdBlitImage(x->draw.cmd, src.image->image, VK_IMAGE_LAYOUT_GENERAL, dst.image->image,
			   VK_IMAGE_LAYOUT_GENERAL, 1, &region, cmd->filter);
	mesh_shaders_to_host(x, true);
	return true;
}

bool run_resolve_image(struct exec *x, const struct sundog_cmd_resolve_image *cmd)
{
	struct box src, dst;
	VkImageResolve region;

	if (!may_transfer(x, SUNDOG_OP_RESOLVE_IMAGE) ||
	    !find_box(x, &cmd->src, cmd->extent, SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
		      SUNDOG_ACCESS_READ, &src) ||
	    !find_box(x, &cmd->dst, cmd->extent, SUNDOG_IMAGE_USAGE_TRANSFER_DST,
		      SUNDOG_ACCESS_WRITE, &dst))
		return false;
	if (src.image->samples == 1 || dst.image->samples != 1 ||
	    src.image->format != dst.image->format ||
	    src.image->aspects != VK_IMAGE_ASPECT_COLOR_BIT)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->dst.image);
	/* Vulkan cannot resolve layers to slices of a 3D image. */
	if (dst.image->type == VK_IMAGE_TYPE_3D && src.layers.layerCount > 1)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->dst.image);
	region = (VkImageResolve){
		.srcSubresource = src.layers, .srcOffset = src.offset,
		.dstSubresource = dst.layers, .dstOffset = dst.offset, .extent = src.extent,
	};
	mesh_shaders_to_host(x, false);
	x->vk.CmdResolveImage(x->draw.cmd, src.image->image, VK_IMAGE_LAYOUT_GENERAL,
			      dst.image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
	mesh_shaders_to_host(x, true);
	return true;
}
