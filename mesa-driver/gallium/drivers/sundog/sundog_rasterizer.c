/* SPDX-License-Identifier: MIT */
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

/* The device has one mode for both faces: that of the face which can be seen. */
static unsigned
visible_fill(const struct pipe_rasterizer_state *state)
{
   return state->cull_face == PIPE_FACE_FRONT ? state->fill_back : state->fill_front;
}

static bool
offset_enabled(const struct pipe_rasterizer_state *state)
{
   switch (visible_fill(state)) {
   case PIPE_POLYGON_MODE_LINE:
      return state->offset_line;
   case PIPE_POLYGON_MODE_POINT:
      return state->offset_point;
   default:
      return state->offset_tri;
   }
}

static void *
sdog_create_rasterizer_state(struct pipe_context *pctx, const struct pipe_rasterizer_state *state)
{
   const struct sundog_caps *caps = sdog_screen(pctx->screen)->caps;
   struct sdog_rasterizer *rast = CALLOC_STRUCT(sdog_rasterizer);
   struct sundog_cmd_set_raster *cmd;

   if (!rast)
      return NULL;
   /* PIPE_FACE_* have Vulkan's values. */
   STATIC_ASSERT(PIPE_FACE_BACK == (int)VK_CULL_MODE_BACK_BIT);
   rast->base = *state;
   cmd = &rast->cmd;
   cmd->flags = (state->rasterizer_discard ? SUNDOG_RASTER_FLAG_DISCARD : 0) |
                (state->depth_clamp ? SUNDOG_RASTER_FLAG_DEPTH_CLAMP : 0) |
                (state->depth_clip_near ? SUNDOG_RASTER_FLAG_DEPTH_CLIP : 0) |
                (offset_enabled(state) ? SUNDOG_RASTER_FLAG_DEPTH_BIAS : 0) |
                (state->flatshade_first ? 0 : SUNDOG_RASTER_FLAG_PROVOKING_LAST) |
                (state->line_stipple_enable ? SUNDOG_RASTER_FLAG_LINE_STIPPLE : 0) |
                (state->clip_halfz ? 0 : SUNDOG_RASTER_FLAG_CLIP_NEGATIVE_ONE);
   cmd->polygon_mode = polygon_mode(visible_fill(state));
   cmd->cull_mode = state->cull_face;
   cmd->front_face = state->front_ccw ? VK_FRONT_FACE_COUNTER_CLOCKWISE : VK_FRONT_FACE_CLOCKWISE;
   cmd->line_mode = state->line_rectangular ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT
                                            : VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
   cmd->line_width = CLAMP(state->line_width, caps->line_width_min, caps->line_width_max);
   cmd->stipple_factor = state->line_stipple_factor + 1;
   cmd->stipple_pattern = state->line_stipple_pattern;
   cmd->bias_constant = state->offset_units;
   cmd->bias_clamp = state->offset_clamp;
   cmd->bias_slope = state->offset_scale;
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
   default:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
   }
}

struct sundog_cmd_set_raster
sdog_rasterizer_packet(const struct sdog_rasterizer *rast, enum mesa_prim prim, bool restart)
{
   struct sundog_cmd_set_raster cmd = rast->cmd;

   cmd.topology = topology(prim);
   if (restart)
      cmd.flags |= SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART;
   return cmd;
}

static void
sdog_bind_rasterizer_state(struct pipe_context *pctx, void *cso)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->rasterizer = cso;
   ctx->dirty |= SDOG_DIRTY_RASTERIZER | SDOG_DIRTY_SCISSOR | SDOG_DIRTY_SHADER_KEY;
}

static void
sdog_delete_rasterizer_state(struct pipe_context *pctx, void *cso)
{
   FREE(cso);
}

void
sundog_init_rasterizer_functions(struct pipe_context *pctx)
{
   pctx->create_rasterizer_state = sdog_create_rasterizer_state;
   pctx->bind_rasterizer_state = sdog_bind_rasterizer_state;
   pctx->delete_rasterizer_state = sdog_delete_rasterizer_state;
}
