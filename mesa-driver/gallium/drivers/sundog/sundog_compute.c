/* SPDX-License-Identifier: MIT */
/* pipe_context::launch_grid: prepares the compute shader and its bindings and emits the dispatch,
 * on the context's thread. */
#include "sundog_compute.h"

#include "sundog_bindings.h"
#include "sundog_context.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_shader.h"
#include "sundog_variant.h"

/* Stream space for all bindings and a dispatch, in dwords. */
#define DISPATCH_DWORDS 4096

static bool
is_empty(const struct pipe_grid_info *info)
{
   return !info->indirect && (!info->grid[0] || !info->grid[1] || !info->grid[2]);
}

/* A shader with a variable work group size has one variant for each size. */
static void
set_group_size(struct sdog_context *ctx, const struct pipe_grid_info *info)
{
   const uint16_t size[] = {info->block[0], info->block[1], info->block[2]};

   if (!ctx->shaders[SUNDOG_STAGE_COMPUTE] ||
       !ctx->shaders[SUNDOG_STAGE_COMPUTE]->takes_group_size ||
       !memcmp(ctx->group_size, size, sizeof(size)))
      return;
   memcpy(ctx->group_size, size, sizeof(size));
   ctx->dirty |= SDOG_DIRTY_COMPUTE_KEY;
}

static void
order_uses(struct sdog_context *ctx, const struct pipe_grid_info *info)
{
   sdog_bindings_order(ctx, SUNDOG_STAGE_COMPUTE);
   if (info->indirect)
      sdog_use_for_draw(ctx, sdog_resource(info->indirect), SDOG_USE_INDIRECT);
}

/* As in sundog_draw.c: returns false if the check flushed the submission. */
static bool
order_all_uses(struct sdog_context *ctx, const struct pipe_grid_info *info, bool may_flush)
{
   sdog_uses_look(ctx);
   order_uses(ctx, info);
   if (may_flush && !sdog_uses_fit(ctx))
      return false;
   sdog_uses_note(ctx);
   order_uses(ctx, info);
   return true;
}

static void
emit_state(struct sdog_context *ctx)
{
   if (ctx->dirty & SDOG_DIRTY_SHADERS)
      sdog_shaders_emit(ctx);
   if (ctx->dirty & SDOG_DIRTY_HANDLES)
      sdog_residents_emit(ctx);
   sdog_bindings_emit(ctx, SUNDOG_STAGE_COMPUTE);
   ctx->dirty &= ~(SDOG_DIRTY_SHADERS | SDOG_DIRTY_HANDLES | SDOG_DIRTY_COMPUTE);
}

static void
emit_dispatch(struct sdog_context *ctx, const struct pipe_grid_info *info)
{
   if (info->indirect) {
      const struct sdog_resource *rsc = sdog_resource(info->indirect);
      struct sundog_cmd_dispatch_indirect cmd = {
         .mem = rsc->mem,
         .offset = rsc->offset + info->indirect_offset,
      };

      sundog_emit_dispatch_indirect(ctx->batch.stream, &cmd);
   } else {
      struct sundog_cmd_dispatch cmd = {
         .groups = {info->grid[0], info->grid[1], info->grid[2]},
      };

      sundog_emit_dispatch(ctx->batch.stream, &cmd);
   }
}

/* As prepare_shaders() in sundog_draw.c: starts again if the context was renewed, because the new
 * client has no shaders. */
static bool
prepare_shader(struct sdog_context *ctx)
{
   uint32_t client;

   do {
      client = ctx->objects.client;
      if ((ctx->dirty & SDOG_DIRTY_COMPUTE_KEY) && !sdog_shaders_update_compute(ctx))
         return false;
      if (ctx->variants[SUNDOG_STAGE_COMPUTE] && ctx->variants[SUNDOG_STAGE_COMPUTE]->handles)
         sdog_residents_update(ctx);
      if (client != ctx->objects.client)
         continue;
      if (!sdog_queries_fit(ctx))
         sdog_batch_flush(ctx);
      sdog_batch_prepare_shaders(ctx, DISPATCH_DWORDS);
   } while (client != ctx->objects.client);
   return ctx->variants[SUNDOG_STAGE_COMPUTE];
}

static void
launch(struct sdog_context *ctx, const struct pipe_grid_info *info)
{
   bool may_flush = true;

   sdog_batch_make_room(ctx, sdog_render_clears_missing(ctx));
   for (;;) {
      if (!prepare_shader(ctx))
         return;
      sdog_render_end(ctx);
      sdog_condition_prepare(ctx);
      if (order_all_uses(ctx, info, may_flush))
         break;
      may_flush = false;
   }
   emit_state(ctx);
   sdog_queries_resume(ctx, SDOG_COUNTERS_OF_DISPATCHES);
   sdog_condition_begin(ctx);
   emit_dispatch(ctx, info);
   sdog_condition_end(ctx);
   sdog_queries_pause(ctx, SDOG_COUNTERS_OF_DISPATCHES);
}

static void
sdog_launch_grid(struct pipe_context *pctx, const struct pipe_grid_info *info)
{
   struct sdog_context *ctx = sdog_context(pctx);

   set_group_size(ctx, info);
   if (is_empty(info) || !sdog_condition_passes(ctx))
      return;
   sdog_naming_begin(ctx);
   launch(ctx, info);
   sdog_naming_end(ctx);
}

void
sdog_init_compute_functions(struct pipe_context *pctx)
{
   pctx->launch_grid = sdog_launch_grid;
}
