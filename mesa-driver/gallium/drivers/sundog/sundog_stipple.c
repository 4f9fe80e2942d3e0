/* SPDX-License-Identifier: MIT */
#include "sundog_stipple.h"

#include "sundog_context.h"
#include "util/u_inlines.h"
#include "util/u_pstipple.h"

static void
sdog_set_polygon_stipple(struct pipe_context *pctx, const struct pipe_poly_stipple *stipple)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->stipple = *stipple;
   ctx->stipple_texture.dirty = true;
}

static void
update_texture(struct sdog_context *ctx)
{
   struct sdog_stipple *stipple = &ctx->stipple_texture;
   struct pipe_context *pctx = &ctx->base;

   if (!stipple->texture) {
      stipple->texture = util_pstipple_create_stipple_texture(pctx, ctx->stipple.stipple);
      stipple->view = util_pstipple_create_sampler_view(pctx, stipple->texture);
      stipple->sampler = util_pstipple_create_sampler(pctx);
   } else if (stipple->dirty) {
      util_pstipple_update_stipple_texture(pctx, stipple->texture, ctx->stipple.stipple);
   }
   stipple->dirty = false;
}

void
sdog_stipple_bind(struct sdog_context *ctx)
{
   unsigned slot = ctx->variants[SUNDOG_STAGE_FRAGMENT]->stipple_slot;
   struct sdog_stage *stage = &ctx->stages[SUNDOG_STAGE_FRAGMENT];
   struct pipe_sampler_view **bound = (struct pipe_sampler_view **)&stage->views[slot];

   update_texture(ctx);
   if (*bound == ctx->stipple_texture.view)
      return;
   pipe_sampler_view_reference(bound, ctx->stipple_texture.view);
   stage->samplers[slot] = ctx->stipple_texture.sampler;
   ctx->dirty |= SDOG_DIRTY_TEXTURES << SUNDOG_STAGE_FRAGMENT;
}

void
sdog_stipple_finish(struct sdog_context *ctx)
{
   struct sdog_stipple *stipple = &ctx->stipple_texture;

   if (stipple->sampler)
      ctx->base.delete_sampler_state(&ctx->base, stipple->sampler);
   pipe_sampler_view_reference(&stipple->view, NULL);
   pipe_resource_reference(&stipple->texture, NULL);
}

void
sundog_init_stipple_functions(struct pipe_context *pctx)
{
   pctx->set_polygon_stipple = sdog_set_polygon_stipple;
}
