/* SPDX-License-Identifier: MIT */
/*
 * Images of attachments that are uncompressed views of compressed images: see sdvk_texels.h. The
 * thread that records the command buffer calls this; the program keeps other threads away.
 */
#include "sdvk_cmd_buffer.h"

#include "sdvk_device.h"
#include "sdvk_format.h"
#include "sdvk_image.h"
#include "sdvk_memory.h"
#include "sdvk_physical_device.h"
#include "sdvk_texels.h"

/* Allocates the image's memory. @texels has the extent. */
static bool
allocate(struct sdvk_device *device, VkFormat format, struct sdvk_texels *texels)
{
   const struct sundog_image_shape shape = {
      .format = vk_format_to_pipe_format(format),
      .width = texels->extent.width,
      .height = texels->extent.height,
      .depth = 1,
      .layers = texels->extent.depth,
      .levels = 1,
      .samples = 1,
   };
   struct sundog_image_level level;
   const uint64_t size = sundog_image_layout(&sdvk_device_physical(device)->caps, &shape, &level);

   return sdvk_bo_allocate(device, size, &texels->bo) == VK_SUCCESS;
}

static bool
make_image(struct sdvk_device *device, VkFormat format, struct sdvk_texels *texels)
{
   struct sundog_cmd_create_image cmd = {
      .mem = sdrm_bo_mem(texels->bo),
      .type = VK_IMAGE_TYPE_2D,
      .format = sdvk_format_number(format),
      .extent = {texels->extent.width, texels->extent.height, 1},
      .levels = 1,
      .layers = texels->extent.depth,
      .samples = 1,
      .usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT | SUNDOG_IMAGE_USAGE_TRANSFER_SRC |
               SUNDOG_IMAGE_USAGE_TRANSFER_DST,
   };
   struct sundog_stream *stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);

   if (!stream)
      return false;
   sundog_emit_create_image(stream, &cmd);
   sdvk_object_end(device);
   texels->image_id = cmd.id;
   return true;
}

/*
 * Creates the attachment view. Its swizzle is the identity, as for all attachments; faces of a cube
 * are layers.
 */
static bool
make_view(struct sdvk_device *device, struct sdvk_image_view *view, VkImageViewType type)
{
   struct sundog_cmd_create_image_view cmd = {
      .image = view->texels.image_id,
      .type = type == VK_IMAGE_VIEW_TYPE_2D ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_2D_ARRAY,
      .format = sdvk_format_number(view->vk.format),
      .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
      .levels = 1,
      .layers = view->texels.extent.depth,
      .usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT,
   };
   struct sundog_stream *stream = sdvk_object_begin(device, SDVK_PACKET_DWORDS, &cmd.id);

   if (!stream)
      return false;
   sundog_emit_create_image_view(stream, &cmd);
   sdvk_object_end(device);
   view->attachment_id = cmd.id;
   return true;
}

bool
sdvk_texels_init(struct sdvk_device *device, struct sdvk_image_view *view, VkImageViewType type)
{
   view->texels.extent =
      (VkExtent3D){view->vk.extent.width, view->vk.extent.height, view->vk.layer_count};
   return allocate(device, view->vk.format, &view->texels) &&
          make_image(device, view->vk.format, &view->texels) && make_view(device, view, type);
}

void
sdvk_texels_fini(struct sdvk_device *device, struct sdvk_texels *texels)
{
   sdvk_object_destroy(device, SUNDOG_OBJECT_KIND_IMAGE, texels->image_id);
   sdvk_bo_free(device, texels->bo);
}

/*
 * Full barriers: for a program these copies are attachment accesses, with stages and accesses of
 * its choice.
 */
static void
order(struct sdvk_cmd_buffer *cmd)
{
   const struct sundog_cmd_barrier barrier = {
      .src_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      .dst_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      .src_access = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
      .dst_access = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
   };

   sundog_emit_barrier(sdvk_cmd_packet(cmd), &barrier);
}

/*
 * For a buffer copy, blocks are rows of texels: the memory of the view's level is addressed as a
 * buffer.
 */
struct buffer {
   struct sundog_mem mem;
   uint64_t offset;
   uint32_t row_length, image_height;
   struct sundog_image_region texels;
   struct sundog_extent3d extent;
};

static struct buffer
buffer_of(const struct sdvk_image_view *view)
{
   const struct sdvk_image_plane *plane =
      &container_of(view->vk.image, struct sdvk_image, vk)->planes[0];
   const struct sundog_image_level *level = &plane->levels[view->vk.base_mip_level];

   return (struct buffer){
      .mem = plane->mem,
      .offset = plane->offset + level->offset + view->vk.base_array_layer * level->slice,
      .row_length = level->pitch / vk_format_get_blocksize(view->vk.format),
      .image_height = level->slice / level->pitch,
      .texels = {.image = view->texels.image_id, .aspect = VK_IMAGE_ASPECT_COLOR_BIT},
      .extent = {view->texels.extent.width, view->texels.extent.height, view->texels.extent.depth},
   };
}

static void
load(struct sdvk_cmd_buffer *cmd, const struct sdvk_image_view *view)
{
   const struct buffer blocks = buffer_of(view);
   const struct sundog_cmd_copy_buffer_to_image copy = {
      .mem = blocks.mem,
      .offset = blocks.offset,
      .row_length = blocks.row_length,
      .image_height = blocks.image_height,
      .dst = blocks.texels,
      .extent = blocks.extent,
   };

   sundog_emit_copy_buffer_to_image(sdvk_cmd_packet(cmd), &copy);
}

static void
store(struct sdvk_cmd_buffer *cmd, const struct sdvk_image_view *view)
{
   const struct buffer blocks = buffer_of(view);
   const struct sundog_cmd_copy_image_to_buffer copy = {
      .mem = blocks.mem,
      .offset = blocks.offset,
      .row_length = blocks.row_length,
      .image_height = blocks.image_height,
      .src = blocks.texels,
      .extent = blocks.extent,
   };

   sundog_emit_copy_image_to_buffer(sdvk_cmd_packet(cmd), &copy);
}

static void
for_each(struct sdvk_cmd_buffer *cmd,
         void (*copy)(struct sdvk_cmd_buffer *cmd, const struct sdvk_image_view *view))
{
   const struct sdvk_rendering *rendering = &cmd->rendering;

   if (!rendering->n_texels)
      return;
   order(cmd);
   for (uint32_t i = 0; i < rendering->n_texels; i++)
      copy(cmd, rendering->texels[i]);
   order(cmd);
}

void
sdvk_cmd_load_texels(struct sdvk_cmd_buffer *cmd)
{
   for_each(cmd, load);
}

void
sdvk_cmd_store_texels(struct sdvk_cmd_buffer *cmd)
{
   for_each(cmd, store);
}
