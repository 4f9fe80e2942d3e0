/* SPDX-License-Identifier: MIT */
#ifndef SDVK_IMAGE_H
#define SDVK_IMAGE_H

#include <sundog_image_layout.h>

#include "vk_format.h"
#include "vk_image.h"

#define SDVK_MAX_LEVELS 16
#define SDVK_MAX_PLANES 3

/* An image of the renderer's, which is made when it is bound to memory. */
struct sdvk_image_plane {
   VkFormat format;
   VkExtent3D extent;
   uint32_t id; /* 0: not bound */
   struct sundog_bo *bo; /* the memory that it is bound to */
   uint64_t offset; /* of it in that */
   uint64_t start;  /* of it in what the image is bound to, 0 if it is bound by itself */
   uint64_t size;
   bool foreign; /* somebody else laid it out: a level and a layer of rows */
   struct sundog_image_level levels[SDVK_MAX_LEVELS];
};

/* The renderer knows images of one plane only: those of several are as many. */
struct sdvk_image {
   struct vk_image vk;
   uint32_t n_planes;
   uint64_t size; /* of what it is bound to, if it is so as a whole */
   struct sdvk_image_plane planes[SDVK_MAX_PLANES];
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_image, vk.base, VkImage, VK_OBJECT_TYPE_IMAGE)

/* The number of the plane that is meant by @aspects, of which planes are one; anything else is in the first. */
static inline uint32_t
sdvk_plane_index(VkImageAspectFlags aspects)
{
   if (aspects & (VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT))
      return 1;
   return aspects & (VK_IMAGE_ASPECT_PLANE_2_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT) ? 2 : 0;
}

/* Does a view of such a format have a compressed image's blocks for texels? */
static inline bool
sdvk_views_blocks(const struct vk_image *image, VkFormat format)
{
   return (image->create_flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) &&
          !vk_format_is_compressed(format);
}

/* What @aspect is to the image that a plane is. */
static inline VkImageAspectFlags
sdvk_plane_aspect(VkImageAspectFlags aspect)
{
   const VkImageAspectFlags planes =
      VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;

   return aspect & planes ? VK_IMAGE_ASPECT_COLOR_BIT : aspect;
}

/* What is drawn to instead of blocks that are viewed as texels, see sdvk_texels.h. */
struct sdvk_texels {
   struct sundog_bo *bo; /* NULL: the view is of nothing such */
   uint32_t image_id;
   VkExtent3D extent; /* layers are its depth */
};

/* The renderer's views are of one purpose each: those of attachments have all aspects, and no sampled slices. */
struct sdvk_image_view {
   struct vk_image_view vk;
   uint32_t id;            /* for shaders, 0: it is not for them */
   uint32_t input_id;      /* for shaders, as an input attachment */
   uint32_t attachment_id; /* likewise */
   uint32_t sample_ids[2]; /* for resolves: of the colour or the depth, and of the stencil */
   uint32_t chroma_ids[SDVK_MAX_PLANES - 1]; /* for shaders, with `id`, if it is one of all planes of an image */
   struct sdvk_texels texels; /* that `attachment_id` is a view of */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_image_view, vk.base, VkImageView, VK_OBJECT_TYPE_IMAGE_VIEW)

#endif
