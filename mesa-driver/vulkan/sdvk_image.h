/* SPDX-License-Identifier: MIT */
/*
 * VkImage and VkImageView. The renderer knows single-plane images only: a multi-planar image is one
 * object for each plane. They own their objects of the renderer.
 */
#ifndef SDVK_IMAGE_H
#define SDVK_IMAGE_H

#include <sundog_image_layout.h>

#include "sdvk_sparse.h"
#include "vk_format.h"
#include "vk_image.h"

#define SDVK_MAX_LEVELS 16
#define SDVK_MAX_PLANES 3

/* Bytes of the largest image that the host binds (maxResourceSize). */
#define SDVK_MAX_IMAGE_SIZE (UINT64_C(1) << 31)

/* A plane: an image of the renderer, created when the plane is bound to memory. */
struct sdvk_image_plane {
   VkFormat format;
   VkExtent3D extent;
   uint32_t id; /* 0: not bound */
   struct sdrm_bo *bo; /* memory that it is bound to; NULL: sparse memory */
   struct sundog_mem mem; /* its name in packets */
   uint64_t offset; /* offset of the plane in that memory */
   /* offset of the plane within the image's memory; 0 if planes are bound separately */
   uint64_t start;
   uint64_t size;
   bool foreign; /* another driver laid it out: one level and one layer, with its own row pitch */
   struct sundog_image_level levels[SDVK_MAX_LEVELS];
};

struct sdvk_image {
   struct vk_image vk;
   uint32_t n_planes;
   uint64_t size; /* bytes of all planes; 0 if it is bound by planes */
   struct sdvk_image_plane planes[SDVK_MAX_PLANES];
   struct sdvk_sparse sparse; /* without an object if the image is not sparse */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_image, vk.base, VkImage, VK_OBJECT_TYPE_IMAGE)

/* Returns the plane that @aspects names; 0 if they name none. */
static inline uint32_t
sdvk_plane_index(VkImageAspectFlags aspects)
{
   if (aspects & (VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT))
      return 1;
   return aspects & (VK_IMAGE_ASPECT_PLANE_2_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT) ? 2 : 0;
}

/* Returns true if texels of a view with @format are blocks of the compressed @image. */
static inline bool
sdvk_views_blocks(const struct vk_image *image, VkFormat format)
{
   return (image->create_flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) &&
          !vk_format_is_compressed(format);
}

/* Returns @aspect as an aspect of the renderer's single-plane image. */
static inline VkImageAspectFlags
sdvk_plane_aspect(VkImageAspectFlags aspect)
{
   const VkImageAspectFlags planes =
      VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;

   return aspect & planes ? VK_IMAGE_ASPECT_COLOR_BIT : aspect;
}

/* An uncompressed image that renderings use instead of the compressed one, see sdvk_texels.h. */
struct sdvk_texels {
   struct sdrm_bo *bo; /* NULL: the view needs no such image */
   uint32_t image_id;
   VkExtent3D extent; /* layers in depth */
};

/*
 * A view of the renderer has one purpose: those of attachments have all aspects, and no sampled
 * slices. So one VkImageView is several of them. An id is 0 if there is no such view.
 */
struct sdvk_image_view {
   struct vk_image_view vk;
   uint32_t id;            /* for shaders */
   uint32_t input_id;      /* for shaders, as an input attachment */
   uint32_t attachment_id; /* as an attachment */
   uint32_t sample_ids[2]; /* read by resolves: colour or depth, and stencil */
   /* for shaders: further planes of a multi-planar image, of which @id is the first */
   uint32_t chroma_ids[SDVK_MAX_PLANES - 1];
   struct sdvk_texels texels; /* image that `attachment_id` is a view of, if it has a BO */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_image_view, vk.base, VkImageView, VK_OBJECT_TYPE_IMAGE_VIEW)

#endif
