/* SPDX-License-Identifier: MIT */
/* Indirect draws, and draws whose vertex count comes from transform feedback: see
 * sundog_indirect.h. Called by draws on the context's thread. */
#include "sundog_indirect.h"

#include "nir.h"
#include "sundog_context.h"
#include "sundog_draw.h"
#include "sundog_edges.h"
#include "sundog_feedback.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "util/u_draw.h"
#include "vulkan/vulkan_core.h"

/* Limits of the packet. */
#define MAX_STRIDE 0xffff
#define MAX_INDIRECT_DRAWS 0x100000

/* The device draws BATCH_PRIMITIVES primitives, or vertices of patches, at a time, and needs memory
 * for all that the shaders output for them: at most MAX_BATCH_BYTES with a geometry shader,
 * MAX_PATCHES_BYTES with tessellation. A patch is tessellated into at most PATCH_POINTS vertices
 * and PATCH_PRIMITIVES primitives. */
#define BATCH_PRIMITIVES 4096
#define MAX_BATCH_BYTES (512ull << 20)
#define MAX_PATCHES_BYTES UINT32_MAX
#define PATCH_POINTS (65 * 65)
#define PATCH_PRIMITIVES (64 * 64 * 2)

static unsigned
arguments_size(const struct pipe_draw_info *info)
{
   return info->index_size ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
}

/* Returns the maximum size in bytes of a vertex that @shader outputs. Outputs that are captured in
 * parts can have any location. */
static uint64_t
vertex_bytes(const struct sdog_shader *shader)
{
   return 256 + 16 * (shader->nir->xfb_info ? 64 : util_bitcount64(shader->varyings_written));
}

/* Returns the maximum size in bytes of the output of @gs for a primitive, or 0 without a geometry
 * shader. */
static uint64_t
primitive_bytes(const struct sdog_shader *gs)
{
   return gs ? vertex_bytes(gs) * (gs->nir->info.gs.vertices_out + 1) *
                  gs->nir->info.gs.invocations
             : 0;
}

/* Returns true if the shaders may output so much that the device has to know the number of
 * primitives in advance. */
static bool
makes_much(const struct sdog_context *ctx)
{
   const struct sdog_shader *tes = ctx->shaders[SUNDOG_STAGE_TESS_EVAL];
   const struct sdog_shader *gs = ctx->shaders[SUNDOG_STAGE_GEOMETRY];

   if (tes)
      return BATCH_PRIMITIVES / MAX2(ctx->patch_vertices, 1) *
                (PATCH_POINTS * vertex_bytes(tes) + 2 * PATCH_PRIMITIVES * primitive_bytes(gs)) >
             MAX_PATCHES_BYTES;
   return primitive_bytes(gs) * BATCH_PRIMITIVES > MAX_BATCH_BYTES;
}

bool
sdog_indirect_fits(const struct sdog_draw *draw)
{
   const struct sundog_caps *caps = sdog_screen(draw->ctx->base.screen)->caps;
   const struct pipe_draw_indirect_info *indirect = draw->indirect;

   if ((BITFIELD_BIT(draw->info->mode) & SDOG_CONVERTED_MODES) || makes_much(draw->ctx))
      return false;
   if (!indirect->buffer)
      return true;
   if (indirect->draw_count <= 1)
      return true;
   return indirect->stride >= arguments_size(draw->info) && indirect->stride <= MAX_STRIDE &&
          indirect->draw_count <= MIN2(caps->max_indirect_draws, MAX_INDIRECT_DRAWS);
}

/* Draws as many vertices as were captured in the target of @draw, with the parameters in @info. */
static void
draw_captured(const struct sdog_draw *draw, const struct pipe_draw_info *info)
{
   struct sdog_context *ctx = draw->ctx;
   struct pipe_draw_start_count_bias range = {
      .count = sdog_feedback_count(ctx, draw->indirect->count_from_stream_output),
   };

   if (range.count)
      ctx->base.draw_vbo(&ctx->base, info, draw->first_id, NULL, &range, 1);
}

void
sdog_indirect_read(const struct sdog_draw *draw)
{
   struct pipe_draw_info each = *draw->info;

   each.take_index_buffer_ownership = false;
   if (draw->indirect->count_from_stream_output) {
      draw_captured(draw, &each);
      return;
   }
   util_draw_indirect(&draw->ctx->base, &each, draw->first_id, draw->indirect);
}

void
sdog_indirect_order(struct sdog_context *ctx, const struct pipe_draw_indirect_info *indirect)
{
   if (indirect->buffer)
      sdog_use_for_draw(ctx, sdog_resource(indirect->buffer), SDOG_USE_INDIRECT);
   if (indirect->indirect_draw_count)
      sdog_use_for_draw(ctx, sdog_resource(indirect->indirect_draw_count), SDOG_USE_INDIRECT);
}

void
sdog_indirect_emit(const struct sdog_draw *draw)
{
   const struct pipe_draw_indirect_info *indirect = draw->indirect;
   const struct pipe_draw_info *info = draw->info;
   struct sundog_stream *stream = draw->ctx->batch.stream;
   const struct sdog_resource *rsc = sdog_resource(indirect->buffer);
   const struct sdog_resource *count = sdog_resource(indirect->indirect_draw_count);
   struct sundog_indirect args = {
      .mem = rsc->mem,
      .offset = rsc->offset + indirect->offset,
      /* The stride of a single draw is undefined. */
      .stride = indirect->draw_count > 1 ? indirect->stride : arguments_size(info),
      .max_draws = indirect->draw_count,
   };

   if (!indirect->draw_count)
      return;
   if (count) {
      args.count_mem = count->mem;
      args.count_offset = count->offset + indirect->indirect_draw_count_offset;
   }
   if (info->index_size)
      sundog_emit_draw_indexed_indirect(
         stream, &(struct sundog_cmd_draw_indexed_indirect){.indirect = args});
   else
      sundog_emit_draw_indirect(stream, &(struct sundog_cmd_draw_indirect){.indirect = args});
}
