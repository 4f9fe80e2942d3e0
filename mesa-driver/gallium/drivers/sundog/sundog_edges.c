/* SPDX-License-Identifier: MIT */
/* Draws quads and polygons as triangles through u_primconvert, and decides which edges are hidden:
 * see sundog_edges.h. Called by draws on the context's thread. */
#include "sundog_edges.h"

#include "indices/u_primconvert.h"
#include "nir.h"
#include "sundog_context.h"
#include "sundog_draw.h"
#include "sundog_nir.h"
#include "sundog_rasterizer.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "util/u_prim.h"
#include "util/u_prim_restart.h"

bool
sdog_edges_init(struct sdog_context *ctx)
{
   struct pipe_screen *pscreen = ctx->base.screen;

   ctx->edges.source = MESA_PRIM_COUNT;
   ctx->edges.converter = util_primconvert_create(
      &ctx->base, pscreen->caps.supported_prim_modes & ~SDOG_CONVERTED_MODES);
   return ctx->edges.converter;
}

void
sdog_edges_finish(struct sdog_context *ctx)
{
   if (ctx->edges.converter)
      util_primconvert_destroy(ctx->edges.converter);
}

/* The converter makes too many triangles if a draw has several polygons separated by restarts, so
 * each polygon becomes a draw. */
static void
draw_restarted(const struct sdog_draw *draw)
{
   struct pipe_draw_info each = *draw->info;
   struct sdog_context *ctx = draw->ctx;

   each.take_index_buffer_ownership = false;
   each.increment_draw_id = false;
   ctx->edges.restarted = true;
   for (unsigned i = 0; i < draw->num_draws; i++) {
      util_draw_vbo_without_prim_restart(&ctx->base, &each, sdog_draw_id(draw, i), NULL,
                                         &draw->draws[i]);
      ctx->edges.first = 0;
   }
   ctx->edges.restarted = false;
}

static unsigned
num_polygons(enum mesa_prim mode, unsigned vertices)
{
   if (mode == MESA_PRIM_QUADS)
      return vertices / 4;
   if (mode == MESA_PRIM_QUAD_STRIP)
      return MAX2(vertices / 2, 1) - 1;
   return vertices > 2;
}

void
sdog_edges_draw(const struct sdog_draw *draw)
{
   const struct pipe_draw_start_count_bias *draws = draw->draws;
   const struct pipe_draw_info *info = draw->info;
   struct pipe_draw_info each = *info;
   struct sdog_context *ctx = draw->ctx;

   if (info->index_size && info->primitive_restart) {
      draw_restarted(draw);
      return;
   }
   each.take_index_buffer_ownership = false;
   /* The converted indices contain no restart index. */
   each.primitive_restart = false;
   util_primconvert_save_flatshade_first(ctx->edges.converter,
                                         ctx->rasterizer->base.flatshade_first);
   ctx->edges.source = info->mode;
   for (unsigned i = 0; i < draw->num_draws; i++) {
      ctx->edges.triangles = info->mode == MESA_PRIM_POLYGON ? MAX2(draws[i].count, 2) - 2 : 0;
      util_primconvert_draw_vbo(ctx->edges.converter, &each, sdog_draw_id(draw, i), NULL,
                                &draws[i], 1);
      if (ctx->edges.restarted)
         ctx->edges.first += num_polygons(info->mode, draws[i].count);
   }
   ctx->edges.source = MESA_PRIM_COUNT;
   ctx->edges.triangles = 0;
}

static bool
has_flags(const struct sdog_shader *vs)
{
   return vs->varyings_written & VARYING_BIT_EDGE;
}

bool
sdog_edges_hidden(const struct sdog_context *ctx, enum mesa_prim prim,
                  struct sdog_edges_key *key)
{
   const struct sdog_shader *vs = ctx->shaders[SUNDOG_STAGE_VERTEX];
   const struct sdog_shader *fs = ctx->shaders[SUNDOG_STAGE_FRAGMENT];
   const uint32_t features = sdog_screen(ctx->base.screen)->caps->features;
   const struct pipe_rasterizer_state *rasterizer;
   enum mesa_prim source = ctx->edges.source;

   if (source == MESA_PRIM_COUNT)
      source = prim;
   if (ctx->shaders[SUNDOG_STAGE_GEOMETRY] || !(features & SUNDOG_FEATURE_GEOMETRY) ||
       !sdog_rasterizer_unfilled(ctx->rasterizer))
      return false;
   if (!(BITFIELD_BIT(source) & SDOG_EDGES_MODES) &&
       !(source == MESA_PRIM_TRIANGLES && has_flags(vs)))
      return false;
   key->slot = sdog_nir_edges_slot(vs->varyings_written | fs->varyings_read);
   if (!key->slot)
      return false;
   rasterizer = &ctx->rasterizer->base;
   key->source = source;
   key->first_provokes = rasterizer->flatshade_first;
   /* Zero-area triangles may be culled, and their corners with them. */
   key->once = rasterizer->cull_face == PIPE_FACE_NONE &&
               rasterizer->fill_front == rasterizer->fill_back;
   key->triangles = ctx->edges.triangles;
   return true;
}
