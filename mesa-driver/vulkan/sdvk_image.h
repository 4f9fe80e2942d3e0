/* SPDX-License-Identifier: MIT */
#ifndef SDVK_IMAGE_H
#define SDVK_IMAGE_H

#include <sundog_image_layout.h>

#include "vk_image.h"

#define SDVK_MAX_LEVELS 16

/* Made in the renderer when it is bound to memory. */
struct sdvk_image {
   struct vk_image vk;
   uint32_t id; /* 0: not bound */
   struct sundog_mem mem;
   uint64_t offset;
   uint64_t size;
   bool foreign; /* somebody else laid it out: a level and a layer of rows */
   struct sundog_image_level levels[SDVK_MAX_LEVELS];
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_image, vk.base, VkImage, VK_OBJECT_TYPE_IMAGE)

/* The renderer's views are of one purpose each: those of attachments have all aspects, and no sampled slices. */
struct sdvk_image_view {
   struct vk_image_view vk;
   uint32_t id;            /* for shaders, 0: it is not for them */
   uint32_t input_id;      /* for shaders, as an input attachment */
   uint32_t attachment_id; /* likewise */
   uint32_t sample_ids[2]; /* for resolves: of the depth, and of the stencil */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_image_view, vk.base, VkImageView, VK_OBJECT_TYPE_IMAGE_VIEW)

#endif
