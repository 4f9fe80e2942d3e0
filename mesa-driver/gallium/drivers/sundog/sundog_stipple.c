/* SPDX-License-Identifier: MIT */
/* Polygon stipple: see sundog_stipple.h. Runs on the context's thread. */
#include "sundog_stipple.h"

#include "sundog_context.h"
#include "util/u_inlines.h"
#include "util/u_pstipple.h"
#include "util/u_sampler.h"

#define PATTERN_SIZE 32

static void
sdog_set_polygon_stipple(struct pipe_context *pctx, const struct pipe_poly_stipple *stipple)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->stipple = *stipple;
   ctx->stipple_texture.dirty = true;
}

/* The shader discards where alpha is not zero, which is where a bit of the pattern is not set. */
static void
write_pattern(struct sdog_context *ctx)
{
   struct pipe_context *pctx = &ctx->base;
   struct pipe_transfer *trans;
   uint8_t *texels = pipe_texture_map(pctx, ctx->stipple_texture.texture, 0, 0,
                                      PIPE_MAP_WRITE | PIPE_MAP_DISCARD_RANGE, 0, 0,
                                      PATTERN_SIZE, PATTERN_SIZE, &trans);

   if (!texels)
      return;
   for (unsigned y = 0; y < PATTERN_SIZE; y++) {
      for (unsigned x = 0; x < PATTERN_SIZE; x++) {
         bool set = ctx->stipple.stipple[y] >> (PATTERN_SIZE - 1 - x) & 1;

         texels[y * trans->stride + x] = set ? 0x00 : 0xff;
      }
   }
   pipe_texture_unmap(pctx, trans);
}

static struct pipe_resource *
create_texture(struct pipe_screen *pscreen)
{
   const struct pipe_resource templ = {
      .target = PIPE_TEXTURE_2D,
      .format = PIPE_FORMAT_R8_UNORM,
      .width0 = PATTERN_SIZE,
      .height0 = PATTERN_SIZE,
      .depth0 = 1,
      .array_size = 1,
      .bind = PIPE_BIND_SAMPLER_VIEW,
   };

   return pscreen->resource_create(pscreen, &templ);
}

static struct pipe_sampler_view *
create_view(struct pipe_context *pctx, struct pipe_resource *texture)
{
   struct pipe_sampler_view templ;

   u_sampler_view_default_template(&templ, texture, texture->format);
   templ.swizzle_a = PIPE_SWIZZLE_X;
   return pctx->create_sampler_view(pctx, texture, &templ);
}

static void
update_texture(struct sdog_context *ctx)
{
   struct sdog_stipple *stipple = &ctx->stipple_texture;
   struct pipe_context *pctx = &ctx->base;

   if (!stipple->texture) {
      stipple->texture = create_texture(pctx->screen);
      if (!stipple->texture)
         return;
      stipple->view = create_view(pctx, stipple->texture);
      stipple->sampler = util_pstipple_create_sampler(pctx);
      stipple->dirty = true;
   }
   if (stipple->dirty)
      write_pattern(ctx);
   stipple->dirty = false;
}

void
sdog_stipple_bind(struct sdog_context *ctx)
{
   struct sdog_stage *stage = &ctx->stages[SUNDOG_STAGE_FRAGMENT];
   struct pipe_sampler_view **bound =
      (struct pipe_sampler_view **)&stage->views[SDOG_STIPPLE_SLOT];

   update_texture(ctx);
   if (*bound == ctx->stipple_texture.view)
      return;
   pipe_sampler_view_reference(bound, ctx->stipple_texture.view);
   stage->samplers[SDOG_STIPPLE_SLOT] = ctx->stipple_texture.sampler;
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
sdog_init_stipple_functions(struct pipe_context *pctx)
{
   pctx->set_polygon_stipple = sdog_set_polygon_stipple;
}
