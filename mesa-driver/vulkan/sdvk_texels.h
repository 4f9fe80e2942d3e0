/* SPDX-License-Identifier: MIT */
/*
 * Uncompressed views of compressed images (VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT).
 * Shaders use a view of the renderer. An attachment needs rows that are aligned for the renderer,
 * which rows of blocks need not be: so a view that is an attachment has an image of its own. The
 * driver copies the blocks to it before a rendering, and back after it.
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

/* Creates the image and the view of it as an attachment. False: no memory, or no id is left. */
bool
sdvk_texels_init(struct sdvk_device *device, struct sdvk_image_view *view, VkImageViewType type);
void
sdvk_texels_fini(struct sdvk_device *device, struct sdvk_texels *texels);

/*
 * Copy the blocks of all such attachments of the rendering that begins, or that has ended. Called
 * outside of renderings.
 */
void
sdvk_cmd_load_texels(struct sdvk_cmd_buffer *cmd);
void
sdvk_cmd_store_texels(struct sdvk_cmd_buffer *cmd);

#endif
