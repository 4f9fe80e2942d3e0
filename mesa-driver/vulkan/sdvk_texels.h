/* SPDX-License-Identifier: MIT */
/*
 * Blocks of compressed images as texels (VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT). Shaders see them by views of
 * the renderer's. It draws to rows of texels that are aligned for it only, which those of blocks need not be: a view that
 * is an attachment has an image of its own, to which the blocks are copied before a rendering, and from which they are
 * copied back after it.
 */
#ifndef SDVK_TEXELS_H
#define SDVK_TEXELS_H

#include <sundog.h>

struct sdvk_cmd_buffer;
struct sdvk_device;
struct sdvk_image_view;
struct sdvk_texels;

static inline bool
sdvk_has_texel_views(const struct sundog_caps *caps)
{
   return caps->layout_flags & SUNDOG_LAYOUT_FLAG_TEXEL_VIEWS;
}

/* Make what is drawn to, and the view of it as an attachment. False: there is no memory, or no id left. */
bool
sdvk_texels_init(struct sdvk_device *device, struct sdvk_image_view *view, VkImageViewType type);
void
sdvk_texels_fini(struct sdvk_device *device, struct sdvk_texels *texels);

/* Outside of renderings: of all such attachments of the one that begins, or that has ended. */
void
sdvk_cmd_load_texels(struct sdvk_cmd_buffer *cmd);
void
sdvk_cmd_store_texels(struct sdvk_cmd_buffer *cmd);

#endif
