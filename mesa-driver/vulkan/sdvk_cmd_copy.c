/* SPDX-License-Identifier: MIT */
/*
 * Fills, updates, copies, blits, resolves and clears outside of renderings, as packets. The thread
 * that records the command buffer calls this; the program keeps other threads away.
 */
#include "sdvk_buffer.h"
#include "sdvk_cmd_buffer.h"
#include "sdvk_entrypoints.h"
#include "sdvk_host_memory.h"
#include "sdvk_image.h"
#include "util/bitscan.h"
#include "vk_format.h"

/* In packets, z is the array layer of array images, which have a depth of 1 in Vulkan. */
static struct sundog_offset3d
packet_offset(const struct sdvk_image *image, VkOffset3D offset, uint32_t base_layer)
{
   const bool is_3d = image->vk.image_type == VK_IMAGE_TYPE_3D;

   return (struct sundog_offset3d){offset.x, offset.y, is_3d ? offset.z : (int32_t)base_layer};
}

static uint32_t
layer_count(const struct sdvk_image *image, const VkImageSubresourceLayers *layers)
{
   return vk_image_subresource_layer_count(&image->vk, layers);
}

static struct sundog_extent3d
packet_extent(const struct sdvk_image *image, VkExtent3D extent,
              const VkImageSubresourceLayers *layers)
{
   const bool is_3d = image->vk.image_type == VK_IMAGE_TYPE_3D;

   return (struct sundog_extent3d){
      extent.width,
      extent.height,
      is_3d ? extent.depth : layer_count(image, layers),
   };
}

static struct sundog_image_region
packet_region(const struct sdvk_image *image, const VkImageSubresourceLayers *layers,
              VkImageAspectFlags aspect, VkOffset3D offset)
{
   return (struct sundog_image_region){
      .image = image->planes[sdvk_plane_index(aspect)].id,
      .aspect = sdvk_plane_aspect(aspect),
      .level = layers->mipLevel,
      .offset = packet_offset(image, offset, layers->baseArrayLayer),
   };
}

/* Buffers */

static void
use(struct sdvk_cmd_buffer *cmd, const struct sdvk_buffer *buffer, bool written)
{
   if (buffer->import)
      sdvk_cmd_use_host(cmd, buffer->import, written);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdCopyBuffer2(VkCommandBuffer commandBuffer, const VkCopyBufferInfo2 *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_buffer, src, info->srcBuffer);
   VK_FROM_HANDLE(sdvk_buffer, dst, info->dstBuffer);

   use(cmd, src, false);
   use(cmd, dst, true);
   for (uint32_t i = 0; i < info->regionCount; i++) {
      const struct sundog_cmd_copy_buffer copy = {
         .src = src->mem,
         .dst = dst->mem,
         .src_offset = src->offset + info->pRegions[i].srcOffset,
         .dst_offset = dst->offset + info->pRegions[i].dstOffset,
         .size = info->pRegions[i].size,
      };

      sundog_emit_copy_buffer(sdvk_cmd_packet(cmd), &copy);
   }
}

/*
 * With VK_WHOLE_SIZE the fill ends at the last whole word of the buffer (Vulkan 1.4,
 * vkCmdFillBuffer()). Other sizes are multiples of 4 (VUID-vkCmdFillBuffer-size-00028).
 */
VKAPI_ATTR void VKAPI_CALL
sdvk_CmdFillBuffer(VkCommandBuffer commandBuffer, VkBuffer dstBuffer, VkDeviceSize dstOffset,
                   VkDeviceSize size, uint32_t data)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_buffer, dst, dstBuffer);
   const struct sundog_cmd_fill_buffer fill = {
      .dst = {dst->mem, dst->offset + dstOffset,
              vk_buffer_range(&dst->vk, dstOffset, size) & ~3ull},
      .value = data,
   };

   use(cmd, dst, true);
   if (fill.dst.size)
      sundog_emit_fill_buffer(sdvk_cmd_packet(cmd), &fill);
}

/* Words that an update has in its packet. More would soon fill the packets of a submission. */
#define MOST_UPDATE_WORDS 1024

static void
update_by_copy(struct sdvk_cmd_buffer *cmd, const struct sundog_cmd_update_buffer *update,
               const void *words)
{
   struct sundog_mem_range src;
   void *data = sdvk_cmd_new_data(cmd, update->count * 4, &src);
   struct sundog_cmd_copy_buffer copy = {.dst = update->mem, .dst_offset = update->offset};

   if (!data)
      return;
   memcpy(data, words, src.size);
   copy.src = src.mem;
   copy.src_offset = src.offset;
   copy.size = src.size;
   sundog_emit_copy_buffer(sdvk_cmd_packet(cmd), &copy);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdUpdateBuffer(VkCommandBuffer commandBuffer, VkBuffer dstBuffer, VkDeviceSize dstOffset,
                     VkDeviceSize dataSize, const void *pData)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_buffer, dst, dstBuffer);
   const struct sundog_cmd_update_buffer update = {
      .mem = dst->mem,
      .offset = dst->offset + dstOffset,
      .count = dataSize / 4,
   };

   use(cmd, dst, true);
   if (update.count > MOST_UPDATE_WORDS)
      update_by_copy(cmd, &update, pData);
   else
      sundog_emit_update_buffer(
         sdvk_stream_reserve(&cmd->stream, SDVK_PACKET_DWORDS + update.count), &update, pData);
}

/* Buffers and images */

/* Limit of packets for row_length (texels) and image_height (rows). */
#define MAX_LENGTH 0xffff

/* Part of a region that is one packet. */
struct part {
   struct sundog_mem mem;
   uint64_t offset;
   uint32_t row_length, image_height;
   struct sundog_image_region region;
   struct sundog_extent3d extent;
};

static void
emit_to_image(struct sdvk_cmd_buffer *cmd, const struct part *part)
{
   const struct sundog_cmd_copy_buffer_to_image copy = {
      .mem = part->mem,
      .offset = part->offset,
      .row_length = part->row_length,
      .image_height = part->image_height,
      .dst = part->region,
      .extent = part->extent,
   };

   sundog_emit_copy_buffer_to_image(sdvk_cmd_packet(cmd), &copy);
}

static void
emit_to_buffer(struct sdvk_cmd_buffer *cmd, const struct part *part)
{
   const struct sundog_cmd_copy_image_to_buffer copy = {
      .mem = part->mem,
      .offset = part->offset,
      .row_length = part->row_length,
      .image_height = part->image_height,
      .src = part->region,
      .extent = part->extent,
   };

   sundog_emit_copy_image_to_buffer(sdvk_cmd_packet(cmd), &copy);
}

/*
 * Copies a region, split into slices or into rows of texels or blocks if its pitches exceed
 * MAX_LENGTH.
 */
static void
copy_parts(struct sdvk_cmd_buffer *cmd, const struct sdvk_image *image,
           const struct sdvk_buffer *buffer, const VkBufferImageCopy2 *r,
           void (*emit)(struct sdvk_cmd_buffer *cmd, const struct part *part))
{
   const VkImageSubresourceLayers *layers = &r->imageSubresource;
   const struct vk_image_buffer_layout layout = vk_image_buffer_copy_layout(&image->vk, r);
   const struct sundog_extent3d extent = packet_extent(image, r->imageExtent, layers);
   const uint32_t block =
      vk_format_get_blockheight(image->planes[sdvk_plane_index(layers->aspectMask)].format);
   const bool row_by_row = r->bufferRowLength > MAX_LENGTH;
   const bool slice_by_slice = row_by_row || r->bufferImageHeight > MAX_LENGTH;
   const uint32_t rows = row_by_row ? block : extent.height,
                  slices = slice_by_slice ? 1 : extent.depth;
   struct part part = {
      .mem = buffer->mem,
      .row_length = row_by_row ? 0 : r->bufferRowLength,
      .image_height = slice_by_slice ? 0 : r->bufferImageHeight,
   };

   for (uint32_t z = 0; z < extent.depth; z += slices) {
      for (uint32_t y = 0; y < extent.height; y += rows) {
         part.offset = buffer->offset + r->bufferOffset + z * layout.image_stride_B +
                       (uint64_t)(y / block) * layout.row_stride_B;
         /* Parts of depths and stencils begin at multiples of four bytes. */
         if (part.offset % 4 && vk_format_is_depth_or_stencil(image->vk.format)) {
            vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
            return;
         }
         part.region = packet_region(image, layers, layers->aspectMask, r->imageOffset);
         part.region.offset.y += y;
         part.region.offset.z += z;
         part.extent =
            (struct sundog_extent3d){extent.width, MIN2(rows, extent.height - y), slices};
         emit(cmd, &part);
      }
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdCopyBufferToImage2(VkCommandBuffer commandBuffer, const VkCopyBufferToImageInfo2 *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_buffer, src, info->srcBuffer);
   VK_FROM_HANDLE(sdvk_image, dst, info->dstImage);

   use(cmd, src, false);
   for (uint32_t i = 0; i < info->regionCount; i++)
      copy_parts(cmd, dst, src, &info->pRegions[i], emit_to_image);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdCopyImageToBuffer2(VkCommandBuffer commandBuffer, const VkCopyImageToBufferInfo2 *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_image, src, info->srcImage);
   VK_FROM_HANDLE(sdvk_buffer, dst, info->dstBuffer);

   use(cmd, dst, true);
   for (uint32_t i = 0; i < info->regionCount; i++)
      copy_parts(cmd, src, dst, &info->pRegions[i], emit_to_buffer);
}

/*
 * Copies between images have one aspect per packet. Returns the destination's aspect for
 * @src_aspect: the same one (VUID-VkCopyImageInfo2-srcImage-01551), unless a plane is copied to or
 * from a colour (VUID-VkCopyImageInfo2-srcImage-01556, VUID-VkCopyImageInfo2-dstImage-01557).
 */
static VkImageAspectFlags
dst_aspect(const VkImageCopy2 *r, VkImageAspectFlags src_aspect)
{
   return util_bitcount(r->dstSubresource.aspectMask) > 1 ? src_aspect
                                                          : r->dstSubresource.aspectMask;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdCopyImage2(VkCommandBuffer commandBuffer, const VkCopyImageInfo2 *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_image, src, info->srcImage);
   VK_FROM_HANDLE(sdvk_image, dst, info->dstImage);

   for (uint32_t i = 0; i < info->regionCount; i++) {
      const VkImageCopy2 *r = &info->pRegions[i];
      struct sundog_cmd_copy_image copy = {
         .extent = packet_extent(src, r->extent, &r->srcSubresource),
      };

      u_foreach_bit(bit, r->srcSubresource.aspectMask) {
         copy.src = packet_region(src, &r->srcSubresource, 1 << bit, r->srcOffset);
         copy.dst = packet_region(dst, &r->dstSubresource, dst_aspect(r, 1 << bit), r->dstOffset);
         if (sdvk_copies_by_memory(src, dst, r->srcSubresource.aspectMask))
            sdvk_cmd_copy_by_memory(cmd, src, dst, &copy);
         else
            sundog_emit_copy_image(sdvk_cmd_packet(cmd), &copy);
      }
   }
}

/* Returns the opposite corner of a region of a blit. */
static struct sundog_offset3d
packet_end(const struct sdvk_image *image, VkOffset3D end, const VkImageSubresourceLayers *layers)
{
   return packet_offset(image, end, layers->baseArrayLayer + layer_count(image, layers));
}

static bool
is_empty(const VkOffset3D corners[2])
{
   return corners[0].x == corners[1].x || corners[0].y == corners[1].y ||
          corners[0].z == corners[1].z;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdBlitImage2(VkCommandBuffer commandBuffer, const VkBlitImageInfo2 *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_image, src, info->srcImage);
   VK_FROM_HANDLE(sdvk_image, dst, info->dstImage);

   for (uint32_t i = 0; i < info->regionCount; i++) {
      const VkImageBlit2 *r = &info->pRegions[i];

      if (is_empty(r->srcOffsets) || is_empty(r->dstOffsets))
         continue;

      struct sundog_cmd_blit_image blit = {
         .src_end = packet_end(src, r->srcOffsets[1], &r->srcSubresource),
         .dst_end = packet_end(dst, r->dstOffsets[1], &r->dstSubresource),
         .filter = info->filter,
      };

      u_foreach_bit(bit, r->srcSubresource.aspectMask) {
         blit.src = packet_region(src, &r->srcSubresource, 1 << bit, r->srcOffsets[0]);
         blit.dst = packet_region(dst, &r->dstSubresource, 1 << bit, r->dstOffsets[0]);
         if (sdvk_is_part_of_texels(dst, r->dstSubresource.aspectMask))
            sdvk_cmd_blit_aspect(cmd, dst, &blit);
         else
            sundog_emit_blit_image(sdvk_cmd_packet(cmd), &blit);
      }
   }
}

/* The command resolves colours only (VUID-VkImageResolve2-aspectMask-00266). */
VKAPI_ATTR void VKAPI_CALL
sdvk_CmdResolveImage2(VkCommandBuffer commandBuffer, const VkResolveImageInfo2 *info)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_image, src, info->srcImage);
   VK_FROM_HANDLE(sdvk_image, dst, info->dstImage);

   for (uint32_t i = 0; i < info->regionCount; i++) {
      const VkImageResolve2 *r = &info->pRegions[i];
      const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;
      const struct sundog_cmd_resolve_image resolve = {
         .src = packet_region(src, &r->srcSubresource, color, r->srcOffset),
         .dst = packet_region(dst, &r->dstSubresource, color, r->dstOffset),
         .extent = packet_extent(src, r->extent, &r->srcSubresource),
      };

      sundog_emit_resolve_image(sdvk_cmd_packet(cmd), &resolve);
   }
}

static void
clear(struct sdvk_cmd_buffer *cmd, const struct sdvk_image *image, const void *value, size_t size,
      const VkImageSubresourceRange *ranges, uint32_t n_ranges)
{
   for (uint32_t i = 0; i < n_ranges; i++) {
      struct sundog_cmd_clear_image packet = {
         .image = image->planes[0].id,
         .aspect = vk_image_expand_aspect_mask(&image->vk, ranges[i].aspectMask),
         .base_level = ranges[i].baseMipLevel,
         .levels = vk_image_subresource_level_count(&image->vk, &ranges[i]),
         .base_layer = ranges[i].baseArrayLayer,
         .layers = vk_image_subresource_layer_count(&image->vk, &ranges[i]),
      };

      memcpy(packet.clear, value, size);
      sundog_emit_clear_image(sdvk_cmd_packet(cmd), &packet);
   }
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdClearColorImage(VkCommandBuffer commandBuffer, VkImage _image, VkImageLayout imageLayout,
                        const VkClearColorValue *pColor, uint32_t rangeCount,
                        const VkImageSubresourceRange *pRanges)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_image, image, _image);

   clear(cmd, image, pColor, sizeof(*pColor), pRanges, rangeCount);
}

VKAPI_ATTR void VKAPI_CALL
sdvk_CmdClearDepthStencilImage(VkCommandBuffer commandBuffer, VkImage _image,
                               VkImageLayout imageLayout,
                               const VkClearDepthStencilValue *pDepthStencil, uint32_t rangeCount,
                               const VkImageSubresourceRange *pRanges)
{
   VK_FROM_HANDLE(sdvk_cmd_buffer, cmd, commandBuffer);
   VK_FROM_HANDLE(sdvk_image, image, _image);

   VkClearDepthStencilValue value = *pDepthStencil;

   sdvk_clear_to_number(&value);
   clear(cmd, image, &value, sizeof(value), pRanges, rangeCount);
}
