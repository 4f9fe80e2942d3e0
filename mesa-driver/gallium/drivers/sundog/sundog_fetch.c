/* SPDX-License-Identifier: MIT */
/* Framebuffer fetch: keys and views of colour buffers that fragment shaders read. Called by draws
 * and variants, on the context's thread. */
#include "sundog_fetch.h"

#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_image.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_surface.h"
#include "util/bitscan.h"
#include "vulkan/vulkan_core.h"

static struct pipe_surface *
color_surface(const struct pipe_framebuffer_state *fb, unsigned index)
{
   return index < fb->nr_cbufs ? fb->cbufs[index] : NULL;
}

static enum glsl_sampler_dim
surface_dim(const struct pipe_resource *prsc)
{
   switch (prsc->target) {
   case PIPE_TEXTURE_1D:
   case PIPE_TEXTURE_1D_ARRAY:
      return GLSL_SAMPLER_DIM_1D;
   case PIPE_TEXTURE_3D:
      return GLSL_SAMPLER_DIM_3D;
   default:
      return sdog_samples(prsc) > 1 ? GLSL_SAMPLER_DIM_MS : GLSL_SAMPLER_DIM_2D;
   }
}

uint8_t
sdog_fetched_colors(const struct sdog_context *ctx)
{
   const struct sdog_variant *variant = ctx->variants[SUNDOG_STAGE_FRAGMENT];

   return variant ? variant->fetched_colors : 0;
}

struct sdog_fetch_key
sdog_fetch_key(const struct pipe_framebuffer_state *fb, unsigned index)
{
   const struct pipe_surface *psurf = color_surface(fb, index);
   struct sdog_fetch_key key = {.dim = GLSL_SAMPLER_DIM_2D};

   if (!psurf)
      return key;
   key.dim = surface_dim(psurf->texture);
   key.layered = sdog_surface_layers(psurf) > 1;
   key.views = sdog_render_views(fb);
   if (key.dim == GLSL_SAMPLER_DIM_3D)
      key.slice = psurf->u.tex.first_layer;
   return key;
}

void
sdog_fetch_order(struct sdog_context *ctx)
{
   u_foreach_bit(i, sdog_fetched_colors(ctx)) {
      const struct pipe_surface *psurf = color_surface(&ctx->framebuffer, i);

      if (psurf)
         sdog_use_for_draw(ctx, sdog_resource(psurf->texture), SDOG_USE_FRAGMENT_TEXTURE);
   }
}

uint32_t
sdog_fetch_view(struct sdog_context *ctx, unsigned index)
{
   struct pipe_surface *psurf = color_surface(&ctx->framebuffer, index);
   struct sundog_cmd_create_image_view cmd;

   if (!psurf)
      return 0;
   cmd = sdog_surface(psurf)->cmd;
   cmd.usage = SUNDOG_IMAGE_USAGE_SAMPLED;
   if (psurf->texture->target == PIPE_TEXTURE_3D) {
      /* A single slice of a 3D image cannot be sampled, so the view has all slices. */
      cmd.type = VK_IMAGE_VIEW_TYPE_3D;
      cmd.base_layer = 0;
      cmd.layers = 1;
   }
   if (sdog_format_hides_alpha(psurf->format))
      cmd.swizzle[3] = VK_COMPONENT_SWIZZLE_ONE;
   return sdog_image_view_id(ctx, sdog_resource(psurf->texture), &cmd);
}
