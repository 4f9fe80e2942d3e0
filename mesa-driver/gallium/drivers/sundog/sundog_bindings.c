/* SPDX-License-Identifier: MIT */
/* Orders and emits all resources that are bound to one shader stage, called for each draw or
 * dispatch. Runs on the context's thread. */
#include "sundog_bindings.h"

#include "sundog_constants.h"
#include "sundog_context.h"
#include "sundog_shader.h"
#include "sundog_texture.h"

static bool
to_order(const struct sdog_context *ctx, unsigned stage, uint64_t kind)
{
   return !ctx->rendering || (ctx->dirty & kind << stage);
}

void
sdog_bindings_order(struct sdog_context *ctx, unsigned stage)
{
   if (!ctx->variants[stage])
      return;
   if (to_order(ctx, stage, SDOG_DIRTY_TEXTURES))
      sdog_textures_order(ctx, stage);
   if (ctx->variants[stage]->handles && to_order(ctx, stage, SDOG_DIRTY_TEXTURES))
      sdog_residents_order(ctx, stage);
   if (to_order(ctx, stage, SDOG_DIRTY_BLOCKS))
      sdog_blocks_order(ctx, stage);
   if (to_order(ctx, stage, SDOG_DIRTY_SSBOS))
      sdog_shader_buffers_order(ctx, stage);
   if (to_order(ctx, stage, SDOG_DIRTY_IMAGES))
      sdog_shader_images_order(ctx, stage);
}

void
sdog_bindings_emit(struct sdog_context *ctx, unsigned stage)
{
   const struct sdog_variant *variant = ctx->variants[stage];

   if (!variant)
      return;
   if (ctx->dirty & SDOG_DIRTY_CONSTANTS << stage)
      sdog_constants_emit(ctx, stage);
   if (ctx->dirty & SDOG_DIRTY_BLOCKS << stage)
      sdog_blocks_emit(ctx, stage);
   if ((variant->textures | variant->texels) && (ctx->dirty & SDOG_DIRTY_TEXTURES << stage))
      sdog_textures_emit(ctx, stage);
   if (variant->ssbos && (ctx->dirty & SDOG_DIRTY_SSBOS << stage))
      sdog_shader_buffers_emit(ctx, stage);
   if ((variant->images | variant->storage_texels) && (ctx->dirty & SDOG_DIRTY_IMAGES << stage))
      sdog_shader_images_emit(ctx, stage);
}
