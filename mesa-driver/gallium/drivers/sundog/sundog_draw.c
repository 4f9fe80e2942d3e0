/* SPDX-License-Identifier: MIT */
/* pipe_context::draw_vbo: prepares shaders, bindings and memory, then emits changed state and the
 * draws. Runs on the context's thread. */
#include "sundog_draw.h"

#include "sundog_bindings.h"
#include "sundog_blend.h"
#include "sundog_context.h"
#include "sundog_indirect.h"
#include "sundog_loops.h"
#include "sundog_rasterizer.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_shader.h"
#include "sundog_state.h"
#include "sundog_stipple.h"
#include "sundog_variant.h"
#include "sundog_vertex.h"
#include "sundog_zsa.h"
#include "util/u_draw.h"
#include "util/u_inlines.h"
#include "util/u_prim.h"
#include "util/u_upload_mgr.h"

/* Stream space, in dwords, for all state with the objects created for it, and for each draw: one
 * with its index buffer, done in two passes, takes fewer than DRAW_DWORDS. */
#define STATE_DWORDS (16 * 1024)
#define DRAW_DWORDS 32
/* Number of draws of a call that are emitted at a time, so that they fit in a stream. */
#define MAX_DRAWS 4096
/* Dirty bits that emit_state() leaves to the emission of draws and dispatches. */
#define NOT_OF_STATE                                                                               \
   (SDOG_DIRTY_INDEX_BUFFER | SDOG_DIRTY_DRAW_PARAMETERS | SDOG_DIRTY_COMPUTE)

static void
emit_state(struct sdog_context *ctx)
{
   uint64_t dirty = ctx->dirty;

   if (!(dirty & ~NOT_OF_STATE))
      return;
   if (dirty & SDOG_DIRTY_VIEWPORT)
      sdog_viewports_emit(ctx);
   if (dirty & SDOG_DIRTY_SCISSOR)
      sdog_scissors_emit(ctx);
   if (dirty & SDOG_DIRTY_RASTERIZER)
      sdog_rasterizer_emit(ctx);
   if (dirty & SDOG_DIRTY_ZSA)
      sdog_depth_stencil_emit(ctx);
   if (dirty & SDOG_DIRTY_STENCIL_REF)
      sdog_stencil_reference_emit(ctx);
   if (dirty & SDOG_DIRTY_BLEND)
      sdog_blend_emit(ctx);
   if (dirty & SDOG_DIRTY_BLEND_COLOR)
      sdog_blend_constants_emit(ctx);
   if (dirty & SDOG_DIRTY_MULTISAMPLE)
      sdog_multisample_emit(ctx);
   if (dirty & SDOG_DIRTY_VERTEX_ELEMENTS)
      sdog_vertex_elements_emit(ctx);
   if (dirty & (SDOG_DIRTY_VERTEX_BUFFERS | SDOG_DIRTY_VERTEX_ELEMENTS))
      sdog_vertex_buffers_emit(ctx);
   if (dirty & SDOG_DIRTY_SHADERS)
      sdog_shaders_emit(ctx);
   if (dirty & (SDOG_DIRTY_PATCH | SDOG_DIRTY_SHADERS))
      sdog_patch_emit(ctx);
   if (dirty & SDOG_DIRTY_HANDLES)
      sdog_residents_emit(ctx);
   for (unsigned stage = 0; stage < SDOG_GRAPHICS_STAGES; stage++)
      sdog_bindings_emit(ctx, stage);
   ctx->dirty &= NOT_OF_STATE;
}

/* Sets the primitive that the triangles are part of. Shaders that hide edges or count polygons
 * depend on it. */
static void
set_source(struct sdog_context *ctx, const struct pipe_draw_info *info)
{
   const struct sdog_shader *fs = ctx->shaders[SUNDOG_STAGE_FRAGMENT];
   const struct sdog_edges *edges = &ctx->edges;

   if (ctx->emitted.source == edges->source && ctx->emitted.triangles == edges->triangles &&
       ctx->emitted.prim == info->mode)
      return;
   ctx->emitted.source = edges->source;
   ctx->emitted.triangles = edges->triangles;
   if (sdog_rasterizer_unfilled(ctx->rasterizer) || (fs && fs->counts_primitives))
      ctx->dirty |= SDOG_DIRTY_SHADER_KEY;
}

static void
set_primitive(struct sdog_context *ctx, const struct pipe_draw_info *info)
{
   set_source(ctx, info);
   if (ctx->emitted.prim == info->mode && ctx->emitted.restart == info->primitive_restart)
      return;
   if (u_reduced_prim(ctx->emitted.prim) != u_reduced_prim(info->mode))
      ctx->dirty |= SDOG_DIRTY_SHADER_KEY;
   ctx->emitted.prim = info->mode;
   ctx->emitted.restart = info->primitive_restart;
   ctx->dirty |= SDOG_DIRTY_RASTERIZER;
}

static void
order_indices(struct sdog_context *ctx, const struct pipe_draw_info *info)
{
   if (info->index_size && !info->has_user_indices)
      sdog_use_for_draw(ctx, sdog_resource(info->index.resource), SDOG_USE_INDEX);
}

/* Passes the uses that may need ordering to sdog_use_for_draw(): in a new rendering all of them,
 * otherwise those whose bindings changed. */
static void
order_uses(const struct sdog_draw *draw)
{
   const struct pipe_draw_indirect_info *indirect = draw->indirect;
   struct sdog_context *ctx = draw->ctx;

   if (!ctx->rendering || (ctx->dirty & SDOG_DIRTY_DRAW_BINDINGS)) {
      for (unsigned stage = 0; stage < SDOG_GRAPHICS_STAGES; stage++)
         sdog_bindings_order(ctx, stage);
   }
   if (!ctx->rendering || (ctx->dirty & SDOG_DIRTY_VERTEX_BUFFERS))
      sdog_vertex_buffers_order(ctx);
   order_indices(ctx, draw->info);
   if (indirect)
      sdog_indirect_order(ctx, indirect);
   sdog_feedback_order(ctx, indirect ? indirect->count_from_stream_output : NULL);
   if (!ctx->rendering)
      sdog_render_order(ctx);
}

/* Checks, orders and records all uses. Returns false if the check flushed the submission, which
 * requires @may_flush. */
static bool
order_all_uses(const struct sdog_draw *draw, bool may_flush)
{
   struct sdog_context *ctx = draw->ctx;

   sdog_uses_look(ctx);
   order_uses(draw);
   if (may_flush && !sdog_uses_fit(ctx))
      return false;
   /* If no rendering is active, pending clears are left to the rendering of this draw. */
   if (ctx->hazards.conflicts && ctx->rendering) {
      sdog_render_end(ctx);
      order_uses(draw);
   }
   sdog_uses_note(ctx);
   order_uses(draw);
   return true;
}

static bool
use_handles(const struct sdog_context *ctx)
{
   for (unsigned i = 0; i < SDOG_GRAPHICS_STAGES; i++) {
      if (ctx->variants[i] && ctx->variants[i]->handles)
         return true;
   }
   return false;
}

/* Prepares the shaders and reserves stream space for a draw. This may flush the submission and
 * renew the context; the new client has none of the shaders, so the preparation starts again.
 * Returns false if a shader is missing. */
static bool
prepare_shaders(struct sdog_context *ctx, enum mesa_prim prim, uint32_t dwords)
{
   uint32_t client;

   do {
      client = ctx->objects.client;
      if ((ctx->dirty & SDOG_DIRTY_SHADER_KEY) && !sdog_shaders_update(ctx, prim))
         return false;
      /* The creation of a variant may have renewed the context, which loses the other variants. */
      if (client != ctx->objects.client)
         continue;
      if (ctx->variants[SUNDOG_STAGE_FRAGMENT]->key.stipple)
         sdog_stipple_bind(ctx);
      if (ctx->residents.wanted && use_handles(ctx))
         sdog_residents_update(ctx);
      if (client != ctx->objects.client)
         continue;
      if (!sdog_queries_fit(ctx))
         sdog_batch_flush(ctx);
      sdog_batch_prepare_shaders(ctx, dwords);
   } while (client != ctx->objects.client);
   return true;
}

/* Does everything that may end the rendering or flush the submission, before state is emitted.
 * Returns false if the draw is not possible. */
static bool
prepare(const struct sdog_draw *draw)
{
   const uint32_t dwords = STATE_DWORDS + draw->num_draws * DRAW_DWORDS;
   struct sdog_context *ctx = draw->ctx;
   bool may_flush = true;

   set_primitive(ctx, draw->info);
   for (;;) {
      if (!prepare_shaders(ctx, draw->info->mode, dwords))
         return false;
      sdog_condition_prepare(ctx);
      /* The device does not permit shader changes while transform feedback is active. */
      if (ctx->feedback.on && (ctx->dirty & SDOG_DIRTY_SHADERS))
         sdog_render_end(ctx);
      if (order_all_uses(draw, may_flush))
         return true;
      may_flush = false;
   }
}

/* Pushes the draw parameters of draw @i to the vertex shader. */
static void
emit_parameters(const struct sdog_draw *draw, unsigned i)
{
   const uint32_t data[2] = {
      [SDOG_DRAW_FIRST_ID] = sdog_draw_id(draw, i),
      [SDOG_DRAW_INDEXED] = draw->info->index_size ? ~0u : 0,
   };
   const struct sundog_cmd_push_constants cmd = {
      .offset = SDOG_DRAW_PARAMETERS * 4,
      .count = ARRAY_SIZE(data),
   };
   struct sdog_context *ctx = draw->ctx;

   if (!ctx->variants[SUNDOG_STAGE_VERTEX]->knows_draw ||
       (!(ctx->dirty & SDOG_DIRTY_DRAW_PARAMETERS) &&
        !memcmp(ctx->emitted.draw_parameters, data, sizeof(data))))
      return;
   memcpy(ctx->emitted.draw_parameters, data, sizeof(data));
   ctx->dirty &= ~SDOG_DIRTY_DRAW_PARAMETERS;
   sundog_emit_push_constants(ctx->batch.stream, &cmd, data);
}

/* Pushes the number of the first polygon to a fragment shader that counts polygons. */
static void
emit_first_polygon(struct sdog_context *ctx)
{
   const uint32_t first = ctx->edges.first;
   const struct sundog_cmd_push_constants cmd = {
      .offset = (SDOG_PUSH_DWORDS + SDOG_DRAW_PARAMETERS + SDOG_DRAW_FIRST_ID) * 4,
      .count = 1,
   };

   if (ctx->variants[SUNDOG_STAGE_FRAGMENT]->knows_draw)
      sundog_emit_push_constants(ctx->batch.stream, &cmd, &first);
}

/* Instance numbers of the device have 32 bits, so the first one is clamped. No buffer has
 * attributes for instances beyond that. */
static uint32_t
first_instance(const struct pipe_draw_info *info)
{
   return MIN2(info->start_instance, UINT32_MAX - info->instance_count);
}

static void
emit_array_draws(const struct sdog_draw *draw)
{
   for (unsigned i = 0; i < draw->num_draws; i++) {
      struct sundog_cmd_draw cmd = {
         .vertex_count = draw->draws[i].count,
         .instance_count = draw->info->instance_count,
         .first_vertex = draw->draws[i].start,
         .first_instance = first_instance(draw->info),
      };

      if (!cmd.vertex_count)
         continue;
      emit_parameters(draw, i);
      sundog_emit_draw(draw->ctx->batch.stream, &cmd);
   }
}

static void
bind_index_buffer(struct sdog_context *ctx, struct sdog_resource *rsc, unsigned index_size,
                  uint32_t offset)
{
   struct sundog_cmd_bind_index_buffer cmd = {
      .mem = rsc->mem,
      .offset = rsc->offset + offset,
      .type = index_size == 4 ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16,
   };

   sdog_use_resource(ctx, rsc, SDOG_USE_INDEX);
   if (!(ctx->dirty & SDOG_DIRTY_INDEX_BUFFER) && !memcmp(&ctx->emitted.index, &cmd, sizeof(cmd)))
      return;
   ctx->emitted.index = cmd;
   ctx->dirty &= ~SDOG_DIRTY_INDEX_BUFFER;
   sundog_emit_bind_index_buffer(ctx->batch.stream, &cmd);
}

static void
emit_indexed(struct sdog_context *ctx, const struct pipe_draw_info *info,
             const struct pipe_draw_start_count_bias *range, unsigned first_index)
{
   struct sundog_cmd_draw_indexed cmd = {
      .index_count = range->count,
      .instance_count = info->instance_count,
      .first_index = first_index,
      .vertex_offset = range->index_bias,
      .first_instance = first_instance(info),
   };

   if (cmd.index_count)
      sundog_emit_draw_indexed(ctx->batch.stream, &cmd);
}

/* Uploads the indices of each draw from user memory. */
static void
emit_user_indexed(struct sdog_context *ctx, const struct pipe_draw_info *info,
                  const struct pipe_draw_start_count_bias *range)
{
   const uint8_t *indices = info->index.user;
   struct pipe_resource *buffer = NULL;
   unsigned offset = 0;

   u_upload_data(ctx->base.stream_uploader, 0, range->count * info->index_size, 4,
                 indices + range->start * info->index_size, &offset, &buffer);
   if (!buffer)
      return;
   bind_index_buffer(ctx, sdog_resource(buffer), info->index_size, offset);
   emit_indexed(ctx, info, range, 0);
   pipe_resource_reference(&buffer, NULL);
}

/* Clamps @range to the indices in the buffer: the device faults on indices past its end. */
static struct pipe_draw_start_count_bias
clamp_indices(const struct pipe_draw_info *info, const struct pipe_draw_start_count_bias *range)
{
   struct pipe_draw_start_count_bias out = *range;
   uint64_t end;

   if (info->has_user_indices)
      return out;
   end = sdog_resource(info->index.resource)->size / info->index_size;
   out.count = range->start < end ? MIN2(range->count, end - range->start) : 0;
   return out;
}

static void
emit_indexed_draws(const struct sdog_draw *draw)
{
   const struct pipe_draw_info *info = draw->info;
   struct sdog_context *ctx = draw->ctx;

   if (!info->has_user_indices)
      bind_index_buffer(ctx, sdog_resource(info->index.resource), info->index_size, 0);
   for (unsigned i = 0; i < draw->num_draws; i++) {
      const struct pipe_draw_start_count_bias range = clamp_indices(info, &draw->draws[i]);

      emit_parameters(draw, i);
      if (info->has_user_indices)
         emit_user_indexed(ctx, info, &range);
      else if (range.count)
         emit_indexed(ctx, info, &range, range.start);
   }
}

static void
emit_indirect_draws(const struct sdog_draw *draw)
{
   const struct pipe_draw_indirect_info *indirect = draw->indirect;
   const struct pipe_draw_info *info = draw->info;
   struct sdog_context *ctx = draw->ctx;

   emit_parameters(draw, 0);
   if (indirect->count_from_stream_output) {
      sdog_feedback_draw(ctx, indirect->count_from_stream_output, info->instance_count,
                         first_instance(info));
      return;
   }
   if (info->index_size)
      bind_index_buffer(ctx, sdog_resource(info->index.resource), info->index_size, 0);
   sdog_indirect_emit(draw);
}

static void
emit_draws(const struct sdog_draw *draw)
{
   if (draw->indirect)
      emit_indirect_draws(draw);
   else if (draw->info->index_size)
      emit_indexed_draws(draw);
   else
      emit_array_draws(draw);
}

static void
emit_all(const struct sdog_draw *draw)
{
   struct sdog_context *ctx = draw->ctx;

   if (!ctx->rendering)
      sdog_render_begin_ordered(ctx);
   emit_state(ctx);
   emit_first_polygon(ctx);
   if (!ctx->back_turn)
      sdog_feedback_begin(ctx);
   sdog_condition_begin(ctx);
   emit_draws(draw);
}

/* Draws the same primitives again for their back faces. Transform feedback and the primitive
 * counters run in the first pass only. */
static void
draw_back_faces(const struct sdog_draw *draw)
{
   struct sdog_context *ctx = draw->ctx;

   sdog_feedback_end(ctx);
   ctx->back_turn = true;
   ctx->dirty |= SDOG_DIRTY_RASTERIZER | SDOG_DIRTY_SHADER_KEY;
   if (prepare(draw)) {
      if (!ctx->rendering)
         sdog_render_begin_ordered(ctx);
      sdog_queries_pause(ctx, SDOG_COUNTERS_OF_PRIMITIVES);
      sdog_queries_resume(ctx, SDOG_COUNTERS_OF_BACK_FACES);
      emit_all(draw);
      sdog_queries_pause(ctx, SDOG_COUNTERS_OF_BACK_FACES);
   }
   ctx->back_turn = false;
   if (ctx->rendering)
      sdog_queries_resume(ctx, SDOG_COUNTERS_OF_PRIMITIVES);
   ctx->dirty |= SDOG_DIRTY_RASTERIZER | SDOG_DIRTY_SHADER_KEY;
}

/* Draws @draw, whose draws fit in a stream. */
static void
draw_some(const struct sdog_draw *draw)
{
   struct sdog_context *ctx = draw->ctx;

   sdog_naming_begin(ctx);
   if (prepare(draw)) {
      emit_all(draw);
      if (sdog_rasterizer_needs_two(ctx->rasterizer, sdog_rasterized_prim(ctx, draw->info->mode)))
         draw_back_faces(draw);
   }
   sdog_naming_end(ctx);
}

/* Draws @draw in parts of at most MAX_DRAWS draws. */
static void
draw_all(const struct sdog_draw *draw)
{
   struct sdog_context *ctx = draw->ctx;

   if (!draw->info->instance_count || !ctx->framebuffer.width || !ctx->framebuffer.height ||
       !sdog_condition_passes(ctx))
      return;
   for (unsigned i = 0; i < draw->num_draws; i += MAX_DRAWS) {
      struct sdog_draw part = *draw;

      part.first_id = sdog_draw_id(draw, i);
      part.draws = &draw->draws[i];
      part.num_draws = MIN2(draw->num_draws - i, MAX_DRAWS);
      draw_some(&part);
   }
}

static void
sdog_draw_vbo(struct pipe_context *pctx, const struct pipe_draw_info *info,
              unsigned drawid_offset, const struct pipe_draw_indirect_info *indirect,
              const struct pipe_draw_start_count_bias *draws, unsigned num_draws)
{
   const struct sdog_draw draw = {
      .ctx = sdog_context(pctx),
      .info = info,
      .indirect = indirect,
      .draws = draws,
      .num_draws = num_draws,
      .first_id = drawid_offset,
   };

   if (indirect && !sdog_indirect_fits(&draw))
      sdog_indirect_read(&draw);
   else if (info->mode == MESA_PRIM_LINE_LOOP)
      sdog_loops_draw(&draw);
   else if (BITFIELD_BIT(info->mode) & SDOG_EDGES_MODES)
      sdog_edges_draw(&draw);
   else
      draw_all(&draw);
   if (info->index_size && info->take_index_buffer_ownership) {
      struct pipe_resource *buffer = info->index.resource;

      pipe_resource_reference(&buffer, NULL);
   }
}

void
sdog_init_draw_functions(struct pipe_context *pctx)
{
   pctx->draw_vbo = sdog_draw_vbo;
}
