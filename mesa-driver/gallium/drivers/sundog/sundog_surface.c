/* SPDX-License-Identifier: MIT */
/* pipe_surface: the view packets of attachments. Runs on the context's thread. */
#include "sundog_surface.h"

#include <inttypes.h>

#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_image.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

/* Cube faces and slices of 3D images are rendered to as array layers. */
static VkImageViewType
view_type(enum pipe_texture_target target, unsigned layers)
{
   if (target == PIPE_TEXTURE_1D || target == PIPE_TEXTURE_1D_ARRAY)
      return layers > 1 ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
   return layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
}

static struct sundog_cmd_create_image_view
view_packet(const struct pipe_surface *psurf)
{
   const struct pipe_resource *prsc = psurf->texture;
   uint32_t aspects = sdog_format_aspects(psurf->format);

   return (struct sundog_cmd_create_image_view){
      .type = view_type(prsc->target, sdog_surface_layers(psurf)),
      .format = sdog_vk_format(psurf->format),
      .aspect = aspects,
      .base_level = psurf->u.tex.level,
      .levels = 1,
      .base_layer = psurf->u.tex.first_layer,
      .layers = sdog_surface_layers(psurf),
      .usage = aspects == SUNDOG_ASPECT_COLOR ? SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT
                                              : SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT,
   };
}

/* Returns true if the surface's format can be rendered to. The state tracker checks the texture's
 * format only and creates surfaces with formats that cannot be; and on the device, no view of an
 * image can be rendered to if the image's own format cannot. */
static bool
is_attachment(const struct pipe_surface *psurf)
{
   const struct sdog_screen *screen = sdog_screen(psurf->context->screen);

   return util_format_is_depth_or_stencil(psurf->format) ||
          (sdog_format_features(screen, psurf->format) &
           sdog_format_features(screen, psurf->texture->format) & SUNDOG_FORMAT_FEATURE_COLOR);
}

bool
sdog_surface_can_be_drawn_to(const struct pipe_surface *psurf)
{
   return sdog_resource(psurf->texture)->foreign != SDOG_FOREIGN_READ_ONLY && is_attachment(psurf);
}

uint32_t
sdog_surface_view(struct sdog_context *ctx, struct sdog_surface *surf)
{
   struct sdog_resource *rsc = sdog_resource(surf->base.texture);

   if (rsc->foreign == SDOG_FOREIGN_READ_ONLY)
      mesa_loge("sundog: cannot draw to an imported image: offset %" PRIu64 " or row pitch %u is "
                "no multiple of 16, or its memory is too small", rsc->offset,
                rsc->levels[0].pitch);
   return sdog_surface_can_be_drawn_to(&surf->base) ? sdog_image_view_id(ctx, rsc, &surf->cmd) : 0;
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
   /* A 3D texture may have more slices than a framebuffer can have layers. */
   surf->base.u.tex.last_layer =
      MIN2(templ->u.tex.last_layer,
           templ->u.tex.first_layer + pctx->screen->caps.max_texture_array_layers - 1);
   surf->base.width = u_minify(prsc->width0, templ->u.tex.level);
   surf->base.height = u_minify(prsc->height0, templ->u.tex.level);
   surf->cmd = view_packet(&surf->base);
   return &surf->base;
}

static void
sdog_surface_destroy(struct pipe_context *pctx, struct pipe_surface *psurf)
{
   pipe_resource_reference(&psurf->texture, NULL);
   FREE(sdog_surface(psurf));
}

void
sdog_init_surface_functions(struct pipe_context *pctx)
{
   pctx->create_surface = sdog_create_surface;
   pctx->surface_destroy = sdog_surface_destroy;
}
