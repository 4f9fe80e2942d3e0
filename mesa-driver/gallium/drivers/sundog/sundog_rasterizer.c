/* SPDX-License-Identifier: MIT */
/* The rasterizer state objects and their packet. The state tracker calls the pipe functions, draws
 * call the others. Runs on the context's thread. */
#include "sundog_rasterizer.h"

#include "sundog_context.h"
#include "sundog_screen.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "vulkan/vulkan_core.h"

static VkPolygonMode
polygon_mode(unsigned mode)
{
   switch (mode) {
   case PIPE_POLYGON_MODE_LINE:
      return VK_POLYGON_MODE_LINE;
   case PIPE_POLYGON_MODE_POINT:
      return VK_POLYGON_MODE_POINT;
   default:
      return VK_POLYGON_MODE_FILL;
   }
}

static bool
offset_enabled(const struct pipe_rasterizer_state *state, unsigned fill)
{
   switch (fill) {
   case PIPE_POLYGON_MODE_LINE:
      return state->offset_line;
   case PIPE_POLYGON_MODE_POINT:
      return state->offset_point;
   default:
      return state->offset_tri;
   }
}

static uint32_t
line_mode(const struct pipe_rasterizer_state *state)
{
   if (state->line_smooth)
      return VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
   return state->line_rectangular ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT
                                  : VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
}

static struct sundog_cmd_set_raster
fill_packet(const struct sundog_caps *caps, const struct pipe_rasterizer_state *state,
            unsigned fill, unsigned cull)
{
   /* PIPE_FACE_* have the same values as in Vulkan. */
   STATIC_ASSERT(PIPE_FACE_BACK == (int)VK_CULL_MODE_BACK_BIT);
   return (struct sundog_cmd_set_raster){
      .flags = (state->rasterizer_discard ? SUNDOG_RASTER_FLAG_DISCARD : 0) |
               (state->depth_clamp ? SUNDOG_RASTER_FLAG_DEPTH_CLAMP : 0) |
               (state->depth_clip_near ? SUNDOG_RASTER_FLAG_DEPTH_CLIP : 0) |
               (offset_enabled(state, fill) ? SUNDOG_RASTER_FLAG_DEPTH_BIAS : 0) |
               (state->flatshade_first ? 0 : SUNDOG_RASTER_FLAG_PROVOKING_LAST) |
               (state->line_stipple_enable ? SUNDOG_RASTER_FLAG_LINE_STIPPLE : 0) |
               (state->clip_halfz ? 0 : SUNDOG_RASTER_FLAG_CLIP_NEGATIVE_ONE),
      .polygon_mode = polygon_mode(fill),
      .cull_mode = cull,
      .front_face = state->front_ccw ? VK_FRONT_FACE_COUNTER_CLOCKWISE : VK_FRONT_FACE_CLOCKWISE,
      .line_mode = line_mode(state),
      .line_width = CLAMP(state->line_width, caps->line_width_min, caps->line_width_max),
      .stipple_factor = state->line_stipple_factor + 1,
      .stipple_pattern = state->line_stipple_pattern,
      .bias_constant = state->offset_units,
      .bias_clamp = state->offset_clamp,
      .bias_slope = state->offset_scale,
   };
}

/* Returns the polygon mode of the faces that the pass draws: in the first pass the front faces,
 * unless they are culled. */
static unsigned
drawn_fill(const struct pipe_rasterizer_state *state, bool back_turn)
{
   return back_turn || state->cull_face == PIPE_FACE_FRONT ? state->fill_back : state->fill_front;
}

static void *
sdog_create_rasterizer_state(struct pipe_context *pctx, const struct pipe_rasterizer_state *state)
{
   const struct sundog_caps *caps = sdog_screen(pctx->screen)->caps;
   struct sdog_rasterizer *rast = CALLOC_STRUCT(sdog_rasterizer);
   unsigned cull = state->cull_face;

   if (!rast)
      return NULL;
   rast->base = *state;
   rast->two_modes = cull == PIPE_FACE_NONE && state->fill_front != state->fill_back;
   if (rast->two_modes) {
      rast->cmd = fill_packet(caps, state, drawn_fill(state, false), PIPE_FACE_BACK);
      rast->back_cmd = fill_packet(caps, state, drawn_fill(state, true), PIPE_FACE_FRONT);
   } else {
      rast->cmd = fill_packet(caps, state, drawn_fill(state, false), cull);
   }
   return rast;
}

static VkPrimitiveTopology
topology(enum mesa_prim prim)
{
   switch (prim) {
   case MESA_PRIM_POINTS:
      return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
   case MESA_PRIM_LINES:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
   case MESA_PRIM_LINE_STRIP:
      return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
   case MESA_PRIM_TRIANGLE_STRIP:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
   case MESA_PRIM_TRIANGLE_FAN:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
   case MESA_PRIM_PATCHES:
      return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
   case MESA_PRIM_LINES_ADJACENCY:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
   case MESA_PRIM_LINE_STRIP_ADJACENCY:
      return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
   case MESA_PRIM_TRIANGLES_ADJACENCY:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
   case MESA_PRIM_TRIANGLE_STRIP_ADJACENCY:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
   default:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
   }
}

bool
sdog_rasterizer_unfilled(const struct sdog_rasterizer *rast)
{
   const struct pipe_rasterizer_state *state = &rast->base;

   return (!(state->cull_face & PIPE_FACE_FRONT) &&
           state->fill_front != PIPE_POLYGON_MODE_FILL) ||
          (!(state->cull_face & PIPE_FACE_BACK) && state->fill_back != PIPE_POLYGON_MODE_FILL);
}

bool
sdog_rasterizer_needs_two(const struct sdog_rasterizer *rast, enum mesa_prim prim)
{
   return rast->two_modes && u_reduced_prim(prim) == MESA_PRIM_TRIANGLES;
}

unsigned
sdog_rasterizer_fill(const struct sdog_context *ctx)
{
   return drawn_fill(&ctx->rasterizer->base, ctx->back_turn);
}

void
sdog_rasterizer_emit(struct sdog_context *ctx)
{
   const struct sdog_rasterizer *rast = ctx->rasterizer;
   struct sundog_cmd_set_raster cmd = ctx->back_turn ? rast->back_cmd : rast->cmd;

   cmd.topology = topology(ctx->emitted.prim);
   if (ctx->emitted.restart)
      cmd.flags |= SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART;
   sundog_emit_set_raster(ctx->batch.stream, &cmd);
}

static void
sdog_bind_rasterizer_state(struct pipe_context *pctx, void *cso)
{
   struct sdog_context *ctx = sdog_context(pctx);

   if (cso && ctx->rasterizer &&
       ctx->rasterizer->base.multisample != ((struct sdog_rasterizer *)cso)->base.multisample)
      ctx->dirty |= SDOG_DIRTY_MULTISAMPLE;
   ctx->rasterizer = cso;
   ctx->dirty |= SDOG_DIRTY_RASTERIZER | SDOG_DIRTY_SCISSOR | SDOG_DIRTY_SHADER_KEY;
   if (cso && ctx->clip_halfz != ctx->rasterizer->base.clip_halfz) {
      ctx->clip_halfz = ctx->rasterizer->base.clip_halfz;
      ctx->dirty |= SDOG_DIRTY_VIEWPORT;
   }
}

static void
sdog_delete_rasterizer_state(struct pipe_context *pctx, void *cso)
{
   FREE(cso);
}

void
sdog_init_rasterizer_functions(struct pipe_context *pctx)
{
   pctx->create_rasterizer_state = sdog_create_rasterizer_state;
   pctx->bind_rasterizer_state = sdog_bind_rasterizer_state;
   pctx->delete_rasterizer_state = sdog_delete_rasterizer_state;
}
