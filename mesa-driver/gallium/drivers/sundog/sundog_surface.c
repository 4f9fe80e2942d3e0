/* SPDX-License-Identifier: MIT */
#include "sundog_surface.h"

#include "sundog_context.h"
#include "sundog_format.h"
#include "util/log.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

static bool
is_1d(enum pipe_texture_target target)
{
   return target == PIPE_TEXTURE_1D || target == PIPE_TEXTURE_1D_ARRAY;
}

uint32_t
sdog_surface_view(struct sdog_context *ctx, struct sdog_surface *surf)
{
   struct pipe_resource *prsc = surf->base.texture;
   uint32_t image = sdog_resource_image(ctx, sdog_resource(prsc));
   uint32_t aspects = sdog_format_aspects(surf->base.format);
   struct sundog_cmd_create_image_view cmd = {
      .image = image,
      .type = is_1d(prsc->target) ? VK_IMAGE_VIEW_TYPE_1D : VK_IMAGE_VIEW_TYPE_2D,
      .format = sdog_vk_format(surf->base.format),
      .aspect = aspects,
      .base_level = surf->base.u.tex.level,
      .levels = 1,
      .base_layer = surf->base.u.tex.first_layer,
      .layers = 1,
      .usage = aspects == SUNDOG_ASPECT_COLOR ? SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT
                                              : SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT,
   };

   if (sdog_resource(prsc)->foreign == SDOG_FOREIGN_READ_ONLY) {
      mesa_loge("sundog: an image whose rows are not aligned to 16 bytes cannot be drawn to");
      return 0;
   }
   if (surf->view && surf->version == sdog_resource(prsc)->image_version)
      return surf->view;
   sdog_object_destroy(ctx, SUNDOG_OBJECT_KIND_IMAGE_VIEW, surf->view);
   cmd.id = sdog_object_new(ctx);
   sdog_batch_reserve(ctx, 0);
   sundog_emit_create_image_view(ctx->batch.stream, &cmd);
   surf->view = cmd.id;
   surf->version = sdog_resource(prsc)->image_version;
   return surf->view;
}

static struct pipe_surface *
sdog_create_surface(struct pipe_context *pctx, struct pipe_resource *prsc,
                    const struct pipe_surface *templ)
{
   struct sdog_surface *surf = CALLOC_STRUCT(sdog_surface);

   if (!surf)
      return NULL;
   pipe_reference_init(&surf->base.reference, 1);
   pipe_resource_reference(&surf->base.texture, prsc);
   surf->base.context = pctx;
   surf->base.format = templ->format;
   surf->base.u = templ->u;
   surf->base.width = u_minify(prsc->width0, templ->u.tex.level);
   surf->base.height = u_minify(prsc->height0, templ->u.tex.level);
   return &surf->base;
}

static void
sdog_surface_destroy(struct pipe_context *pctx, struct pipe_surface *psurf)
{
   struct sdog_surface *surf = sdog_surface(psurf);

   /* Renderbuffers that contexts share are released by any of them. */
   sdog_object_destroy_of(sdog_context(pctx), sdog_context(psurf->context),
                          SUNDOG_OBJECT_KIND_IMAGE_VIEW, surf->view);
   pipe_resource_reference(&psurf->texture, NULL);
   FREE(surf);
}

void
sundog_init_surface_functions(struct pipe_context *pctx)
{
   pctx->create_surface = sdog_create_surface;
   pctx->surface_destroy = sdog_surface_destroy;
}
