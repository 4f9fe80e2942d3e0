/* SPDX-License-Identifier: MIT */
/* Images that shaders load and store. Buffer images have views and slots of their own. */
#ifndef SUNDOG_SHADER_IMAGE_H
#define SUNDOG_SHADER_IMAGE_H

#include <sundog.h>

#include "pipe/p_state.h"
#include "sundog_texel.h"
#include "vulkan/vulkan_core.h"

struct pipe_context;
struct sdog_context;
struct sdog_resource;

struct sdog_shader_image {
   struct pipe_image_view base;
   /* For a buffer. */
   struct sdog_texel_view texels;
};

/* Passes the uses of the images by the shader of @stage to sdog_use_for_draw(). */
void
sdog_shader_images_order(struct sdog_context *ctx, unsigned stage);

/* As sdog_shader_images_order(), for one image of any shader. */
void
sdog_shader_image_order(struct sdog_context *ctx, const struct pipe_image_view *view,
                        bool written);

/* Returns true if a shader can access @view as @type. The texture may be a view of an image of
 * another type. */
bool
sdog_shader_image_may_be(const struct pipe_image_view *view, VkImageViewType type);

/* Return the id of a view of an image, or of a buffer, or 0 if it cannot be used as such. */
uint32_t
sdog_shader_image_id(struct sdog_context *ctx, struct sdog_shader_image *image,
                     VkImageViewType type);
uint32_t
sdog_shader_texels_id(struct sdog_context *ctx, struct sdog_shader_image *image);

/* Emits the binding of the images. */
void
sdog_shader_images_emit(struct sdog_context *ctx, unsigned stage);

void
sdog_shader_images_unbind(struct sdog_context *ctx, unsigned stage);

/* Must be called when the memory of @rsc changed. */
void
sdog_shader_images_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc);

void
sdog_init_shader_image_functions(struct pipe_context *pctx);

#endif
