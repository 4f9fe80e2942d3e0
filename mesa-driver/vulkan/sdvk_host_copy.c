/* SPDX-License-Identifier: MIT */
/*
 * VK_EXT_host_image_copy. Images are linear in memory that the CPU maps, so image layouts have no
 * effect. The program ensures that no submission uses the image at the same time. The calling
 * thread copies.
 */
#include "sdvk_device.h"
#include "sdvk_entrypoints.h"
#include "sdvk_image.h"
#include "sdvk_sparse.h"
#include "util/u_math.h"
#include "vk_format.h"
#include "vk_log.h"

/* Bytes of each texel or block that are copied. */
struct part {
   uint32_t stride, offset, size;
};

/* Texels in memory: the address of the first, and the pitches of rows and slices in bytes. */
struct place {
   char *first;
   struct sdvk_image *sparse; /* NULL: all is at @first, else it is bytes of this image */
   uint64_t start;            /* that begin here */
   uint64_t row, slice;
   struct part part;
};

/*
 * Returns the part of a texel that has the aspect: depth comes before stencil in combined formats.
 */
static struct part
image_part(VkFormat format, VkImageAspectFlags aspect)
{
   const uint32_t texel = vk_format_get_blocksize(format);
   const uint32_t depth = format == VK_FORMAT_D16_UNORM_S8_UINT  ? 2
                          : format == VK_FORMAT_D24_UNORM_S8_UINT ? 3
                                                                  : 4;

   if (!vk_format_has_depth(format) || !vk_format_has_stencil(format))
      return (struct part){texel, 0, texel};
   return aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? (struct part){texel, depth, 1}
                                               : (struct part){texel, 0, depth};
}

/*
 * Returns the part of a texel in memory of the program: aspects are separate there, and 24-bit
 * depth takes 32 bits.
 */
static struct part
memory_part(VkFormat format, VkImageAspectFlags aspect)
{
   const struct part part = image_part(format, aspect);

   return (struct part){part.size == 3 ? 4 : part.size, 0, part.size};
}

static bool
is_3d(const struct sdvk_image *image)
{
   return image->vk.image_type == VK_IMAGE_TYPE_3D;
}

static const struct sdvk_image_plane *
plane_of(const struct sdvk_image *image, VkImageAspectFlags aspect)
{
   return &image->planes[sdvk_plane_index(aspect)];
}

static uint32_t
slices(const struct sdvk_image *image, const VkImageSubresourceLayers *layers, uint32_t depth)
{
   return is_3d(image) ? depth : vk_image_subresource_layer_count(&image->vk, layers);
}

/* Returns the place of a region of an image. False: the memory cannot be mapped. */
static bool
find_place(struct sdvk_image *image, const VkImageSubresourceLayers *layers,
           VkImageAspectFlags aspect, VkOffset3D offset, struct place *out)
{
   const struct sdvk_image_plane *plane = plane_of(image, aspect);
   const struct sundog_image_level *level = &plane->levels[layers->mipLevel];
   const uint64_t slice = is_3d(image) ? offset.z : layers->baseArrayLayer;
   const uint32_t x = offset.x / vk_format_get_blockwidth(plane->format);
   const uint32_t y = offset.y / vk_format_get_blockheight(plane->format);
   char *map = plane->bo ? sdrm_bo_map(plane->bo) : NULL;

   if (!map && !image->sparse.id)
      return false;
   *out = (struct place){.sparse = map ? NULL : image};
   out->part = image_part(plane->format, aspect);
   out->row = level->pitch;
   out->slice = level->slice;
   out->start = plane->offset + level->offset + slice * level->slice +
                (uint64_t)y * level->pitch + (uint64_t)x * out->part.stride;
   if (map)
      out->first = map + out->start;
   return true;
}

static struct place
place_in_memory(const struct sdvk_image *image, VkImageAspectFlags aspect, void *memory,
                uint32_t row_length, uint32_t image_height, VkExtent3D extent)
{
   const VkFormat format = plane_of(image, aspect)->format;
   const uint32_t width = row_length ? row_length : extent.width;
   const uint32_t height = image_height ? image_height : extent.height;
   struct place place = {.first = memory, .part = memory_part(format, aspect)};

   place.row = (uint64_t)DIV_ROUND_UP(width, vk_format_get_blockwidth(format)) * place.part.stride;
   place.slice = place.row * DIV_ROUND_UP(height, vk_format_get_blockheight(format));
   return place;
}

static void
copy_row(char *to, const struct part *dst, const char *from, const struct part *src, uint32_t count)
{
   const uint32_t size = MIN2(dst->size, src->size);

   if (dst->stride == size && src->stride == size) {
      memcpy(to, from, (size_t)count * size);
      return;
   }
   for (size_t i = 0; i < count; i++)
      memcpy(to + i * dst->stride + dst->offset, from + i * src->stride + src->offset, size);
}

/* Returns the bytes at an offset of a place, and their number. NULL: no memory is bound there. */
static char *
bytes_at(const struct place *place, uint64_t offset, uint64_t *size)
{
   *size = UINT64_MAX;
   if (!place->sparse)
      return place->first + offset;
   return sdvk_sparse_map(container_of(place->sparse->vk.base.device, struct sdvk_device, vk),
                          &place->sparse->sparse, place->start + offset, size);
}

/*
 * Copies @count texels of a row, which may be in several pieces of memory. Texels without memory
 * are left out: what is read there is undefined.
 */
static void
copy_texels(const struct place *dst, uint64_t to, const struct place *src, uint64_t from,
            uint64_t count)
{
   while (count) {
      uint64_t dst_size, src_size, n;
      char *dst_bytes = bytes_at(dst, to, &dst_size);
      const char *src_bytes = bytes_at(src, from, &src_size);

      n = MIN3(count, dst_size / dst->part.stride, src_size / src->part.stride);
      if (dst_bytes && src_bytes)
         copy_row(dst_bytes, &dst->part, src_bytes, &src->part, n);
      to += n * dst->part.stride;
      from += n * src->part.stride;
      count -= n;
   }
}

/* Copies @extent texels of @format. */
static void
copy_places(const struct place *dst, const struct place *src, VkFormat format, VkExtent3D extent)
{
   const uint32_t width = DIV_ROUND_UP(extent.width, vk_format_get_blockwidth(format));
   const uint32_t height = DIV_ROUND_UP(extent.height, vk_format_get_blockheight(format));

   for (uint32_t z = 0; z < extent.depth; z++) {
      for (uint32_t y = 0; y < height; y++)
         copy_texels(dst, z * dst->slice + y * dst->row, src, z * src->slice + y * src->row,
                     width);
   }
}

/*
 * Copies whole slices as they are in memory (VK_HOST_IMAGE_COPY_MEMCPY); of an aspect that shares
 * texels with another one, only its bytes.
 */
static bool
copy_whole(struct sdvk_image *image, const VkImageSubresourceLayers *layers, void *memory,
           bool to_image)
{
   const struct sdvk_image_plane *plane = plane_of(image, layers->aspectMask);
   const VkExtent3D extent = {
      u_minify(plane->extent.width, layers->mipLevel),
      u_minify(plane->extent.height, layers->mipLevel),
      slices(image, layers, u_minify(plane->extent.depth, layers->mipLevel)),
   };
   struct place texels, bytes;

   if (!find_place(image, layers, layers->aspectMask, (VkOffset3D){0}, &texels))
      return false;
   bytes = texels;
   bytes.first = memory;
   bytes.sparse = NULL;
   if (texels.part.size != texels.part.stride || texels.sparse)
      copy_places(to_image ? &texels : &bytes, to_image ? &bytes : &texels, plane->format, extent);
   else if (to_image)
      memcpy(texels.first, memory, texels.slice * extent.depth);
   else
      memcpy(memory, texels.first, texels.slice * extent.depth);
   return true;
}

static VkResult
unmapped(struct sdvk_device *device)
{
   return vk_errorf(device, VK_ERROR_MEMORY_MAP_FAILED,
                    "a host copy needs an image that is bound to memory which can be mapped");
}

static bool
copy_to_image(struct sdvk_image *image, const VkMemoryToImageCopyEXT *r,
              VkHostImageCopyFlagsEXT flags)
{
   const VkImageAspectFlags aspect = r->imageSubresource.aspectMask;
   VkExtent3D extent = r->imageExtent;
   struct place src, dst;

   if (flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT)
      return copy_whole(image, &r->imageSubresource, (void *)r->pHostPointer, true);
   if (!find_place(image, &r->imageSubresource, aspect, r->imageOffset, &dst))
      return false;
   src = place_in_memory(image, aspect, (void *)r->pHostPointer, r->memoryRowLength,
                         r->memoryImageHeight, extent);
   extent.depth = slices(image, &r->imageSubresource, extent.depth);
   copy_places(&dst, &src, plane_of(image, aspect)->format, extent);
   return true;
}

static bool
copy_to_memory(struct sdvk_image *image, const VkImageToMemoryCopyEXT *r,
               VkHostImageCopyFlagsEXT flags)
{
   const VkImageAspectFlags aspect = r->imageSubresource.aspectMask;
   VkExtent3D extent = r->imageExtent;
   struct place src, dst;

   if (flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT)
      return copy_whole(image, &r->imageSubresource, r->pHostPointer, false);
   if (!find_place(image, &r->imageSubresource, aspect, r->imageOffset, &src))
      return false;
   dst = place_in_memory(image, aspect, r->pHostPointer, r->memoryRowLength, r->memoryImageHeight,
                         extent);
   extent.depth = slices(image, &r->imageSubresource, extent.depth);
   copy_places(&dst, &src, plane_of(image, aspect)->format, extent);
   return true;
}

/* Copies each aspect. The destination's aspect differs if one is a plane. */
static bool
copy_images(struct sdvk_image *src_image, struct sdvk_image *dst_image, const VkImageCopy2 *r)
{
   const VkImageAspectFlags dst_aspects = r->dstSubresource.aspectMask;
   VkExtent3D extent = r->extent;
   struct place src, dst;

   extent.depth = slices(src_image, &r->srcSubresource, extent.depth);
   u_foreach_bit(bit, r->srcSubresource.aspectMask) {
      const VkImageAspectFlags aspect = 1 << bit;

      if (!find_place(src_image, &r->srcSubresource, aspect, r->srcOffset, &src) ||
          !find_place(dst_image, &r->dstSubresource,
                      util_bitcount(dst_aspects) > 1 ? aspect : dst_aspects, r->dstOffset, &dst))
         return false;
      copy_places(&dst, &src, plane_of(src_image, aspect)->format, extent);
   }
   return true;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CopyMemoryToImageEXT(VkDevice _device, const VkCopyMemoryToImageInfoEXT *info)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_image, image, info->dstImage);

   for (uint32_t i = 0; i < info->regionCount; i++) {
      if (!copy_to_image(image, &info->pRegions[i], info->flags))
         return unmapped(device);
   }
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CopyImageToMemoryEXT(VkDevice _device, const VkCopyImageToMemoryInfoEXT *info)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_image, image, info->srcImage);

   for (uint32_t i = 0; i < info->regionCount; i++) {
      if (!copy_to_memory(image, &info->pRegions[i], info->flags))
         return unmapped(device);
   }
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CopyImageToImageEXT(VkDevice _device, const VkCopyImageToImageInfoEXT *info)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);
   VK_FROM_HANDLE(sdvk_image, src, info->srcImage);
   VK_FROM_HANDLE(sdvk_image, dst, info->dstImage);

   for (uint32_t i = 0; i < info->regionCount; i++) {
      if (!copy_images(src, dst, &info->pRegions[i]))
         return unmapped(device);
   }
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_TransitionImageLayoutEXT(VkDevice _device, uint32_t transitionCount,
                              const VkHostImageLayoutTransitionInfoEXT *pTransitions)
{
   return VK_SUCCESS;
}
