/* SPDX-License-Identifier: MIT */
/*
 * Copies through scratch memory of the command buffer. Copies between compressed images and
 * uncompressed ones, whose texels are as large as blocks, and between depths or stencils and
 * colours need it, since a packet copies between two formats of the same kind only. Copies and
 * blits of one aspect of a depth-stencil format need it, since the host copies and blits both
 * aspects. The thread that records the command buffer calls this; the program keeps other threads
 * away.
 */
#include "sdvk_cmd_buffer.h"
#include "sdvk_device.h"
#include "sdvk_image.h"
#include "sdvk_memory.h"
#include "util/format/u_format.h"
#include "util/u_math.h"
#include "vk_format.h"

static const struct util_format_block *
block_of(const struct sdvk_image *image)
{
   return &util_format_description(vk_format_to_pipe_format(image->vk.format))->block;
}

/*
 * Returns how many texels of a level, from @offset on, @blocks blocks cover. The last block may
 * reach beyond the level.
 */
static uint32_t
texels(uint32_t blocks, uint32_t block, uint32_t size, uint32_t level, int32_t offset)
{
   return MIN2(blocks * block, u_minify(size, level) - offset);
}

static struct sundog_extent3d
covered(const struct sdvk_image *image, const struct sundog_image_region *region,
        struct sundog_extent3d blocks)
{
   const struct util_format_block *block = block_of(image);

   return (struct sundog_extent3d){
      texels(blocks.width, block->width, image->vk.extent.width, region->level, region->offset.x),
      texels(blocks.height, block->height, image->vk.extent.height, region->level,
             region->offset.y),
      blocks.depth,
   };
}

struct sdrm_bo *
sdvk_cmd_new_scratch(struct sdvk_cmd_buffer *cmd, uint64_t size)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);
   struct sdrm_bo **bo = sdvk_cmd_grow(cmd, &cmd->scratch, 1, sizeof(*bo));
   VkResult result;

   if (!bo)
      return NULL;
   result = sdvk_bo_allocate(device, size, bo);
   if (result == VK_SUCCESS)
      return *bo;
   (void)util_dynarray_pop(&cmd->scratch, struct sdrm_bo *);
   vk_command_buffer_set_error(&cmd->vk, result);
   return NULL;
}

void
sdvk_cmd_free_scratch(struct sdvk_cmd_buffer *cmd)
{
   struct sdvk_device *device = container_of(cmd->vk.base.device, struct sdvk_device, vk);

   util_dynarray_foreach (&cmd->scratch, struct sdrm_bo *, bo)
      sdvk_bo_free(device, *bo);
   util_dynarray_clear(&cmd->scratch);
   cmd->zeros = NULL;
   cmd->records = (struct sdvk_records){0};
   cmd->copies = (struct sdvk_copies){0};
}

/* Bytes of scratch memory for data of commands: at first, and at most unless one needs more. */
#define LEAST_DATA 0x10000
#define MOST_DATA 0x400000

void *
sdvk_cmd_new_data(struct sdvk_cmd_buffer *cmd, uint64_t size, struct sundog_mem_range *out)
{
   struct sdvk_records *records = &cmd->records;
   const uint64_t room = records->bo ? sdrm_bo_size(records->bo) : 0;

   if (room - records->used < size) {
      records->bo =
         sdvk_cmd_new_scratch(cmd, MAX2(size, CLAMP(2 * room, LEAST_DATA, MOST_DATA)));
      records->used = 0;
   }
   if (!records->bo || !sdrm_bo_map(records->bo)) {
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
      return NULL;
   }
   *out = (struct sundog_mem_range){sdrm_bo_mem(records->bo), records->used, size};
   records->used += align64(size, 16);
   return (char *)sdrm_bo_map(records->bo) + out->offset;
}

/*
 * Returns staging memory of at least @size bytes, which all copies share. If it grows, copies
 * recorded before keep the old BO. NULL: no memory.
 */
static struct sdrm_bo *
memory_of(struct sdvk_cmd_buffer *cmd, uint64_t size)
{
   struct sdvk_copies *copies = &cmd->copies;

   if (copies->size < size) {
      copies->size = MAX2(size, 2 * copies->size);
      copies->bo = sdvk_cmd_new_scratch(cmd, copies->size);
   }
   if (!copies->bo)
      copies->size = 0;
   return copies->bo;
}

/* Orders the next copy after reads and writes of the staging memory by earlier ones. */
static void
order_copies(struct sdvk_cmd_buffer *cmd)
{
   const struct sundog_cmd_barrier barrier = {
      .src_stages = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      .dst_stages = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      .src_access = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
      .dst_access = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
   };

   sundog_emit_barrier(sdvk_cmd_packet(cmd), &barrier);
}

/* Multisampled images cannot be copied to a buffer. */
bool
sdvk_is_part_of_texels(const struct sdvk_image *image, VkImageAspectFlags aspects)
{
   const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;

   return image->vk.aspects == both && aspects != both && image->vk.samples == 1;
}

static bool
is_color(const struct sdvk_image *image)
{
   return !(image->vk.aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT));
}

bool
sdvk_copies_by_memory(const struct sdvk_image *src, const struct sdvk_image *dst,
                      VkImageAspectFlags aspects)
{
   return vk_format_is_compressed(src->vk.format) != vk_format_is_compressed(dst->vk.format) ||
          is_color(src) != is_color(dst) || sdvk_is_part_of_texels(src, aspects);
}

void
sdvk_cmd_copy_by_memory(struct sdvk_cmd_buffer *cmd, const struct sdvk_image *src,
                        const struct sdvk_image *dst, const struct sundog_cmd_copy_image *copy)
{
   const struct util_format_block *block = block_of(src);
   const struct sundog_extent3d blocks = {
      DIV_ROUND_UP(copy->extent.width, block->width),
      DIV_ROUND_UP(copy->extent.height, block->height),
      copy->extent.depth,
   };
   const uint64_t size = (uint64_t)blocks.width * blocks.height * blocks.depth * (block->bits / 8);
   struct sdrm_bo *bo;

   /* A copy between a depth and a colour of several samples (maintenance8) */
   if (src->vk.samples > 1) {
      vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
      return;
   }
   bo = memory_of(cmd, size);
   if (!bo)
      return;

   const struct sundog_cmd_copy_image_to_buffer out = {
      .mem = sdrm_bo_mem(bo), .src = copy->src, .extent = copy->extent,
   };
   const struct sundog_cmd_copy_buffer_to_image in = {
      .mem = out.mem, .dst = copy->dst, .extent = covered(dst, &copy->dst, blocks),
   };

   order_copies(cmd);
   sundog_emit_copy_image_to_buffer(sdvk_cmd_packet(cmd), &out);
   order_copies(cmd);
   sundog_emit_copy_buffer_to_image(sdvk_cmd_packet(cmd), &in);
}

/* Returns the region of the other aspect that a blit would overwrite. */
static struct sundog_image_region
other_aspect(const struct sdvk_image *dst, const struct sundog_cmd_blit_image *blit,
             struct sundog_extent3d *extent)
{
   const struct sundog_offset3d a = blit->dst.offset, b = blit->dst_end;
   struct sundog_image_region other = blit->dst;

   other.aspect = dst->vk.aspects & ~blit->dst.aspect;
   other.offset = (struct sundog_offset3d){MIN2(a.x, b.x), MIN2(a.y, b.y), MIN2(a.z, b.z)};
   *extent = (struct sundog_extent3d){abs(a.x - b.x), abs(a.y - b.y), abs(a.z - b.z)};
   return other;
}

void
sdvk_cmd_blit_aspect(struct sdvk_cmd_buffer *cmd, const struct sdvk_image *dst,
                     const struct sundog_cmd_blit_image *blit)
{
   struct sundog_extent3d extent;
   const struct sundog_image_region other = other_aspect(dst, blit, &extent);
   const uint64_t texels = (uint64_t)extent.width * extent.height * extent.depth;
   struct sdrm_bo *bo = memory_of(cmd, texels * vk_format_get_blocksize(dst->vk.format));

   if (!bo)
      return;

   const struct sundog_cmd_copy_image_to_buffer save = {
      .mem = sdrm_bo_mem(bo), .src = other, .extent = extent};
   const struct sundog_cmd_copy_buffer_to_image restore = {
      .mem = save.mem, .dst = other, .extent = extent};

   order_copies(cmd);
   sundog_emit_copy_image_to_buffer(sdvk_cmd_packet(cmd), &save);
   order_copies(cmd);
   sundog_emit_blit_image(sdvk_cmd_packet(cmd), blit);
   order_copies(cmd);
   sundog_emit_copy_buffer_to_image(sdvk_cmd_packet(cmd), &restore);
}
