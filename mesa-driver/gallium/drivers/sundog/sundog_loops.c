/* SPDX-License-Identifier: MIT */
/* Line loops: see sundog_loops.h. Called by draws on the context's thread. */
#include "sundog_loops.h"

#include "pipe/p_state.h"
#include "sundog_context.h"
#include "sundog_draw.h"
#include "util/u_draw.h"
#include "util/u_inlines.h"
#include "util/u_upload_mgr.h"

/* Restart index between two strips. A loop becomes a strip, not separate lines, because the line
 * stipple continues along it. All loops become one draw, so that primitive ids continue and
 * instances stay in order. */
#define RESTART UINT32_MAX

/* The indices of the strips that were made so far. */
struct strips {
   uint32_t *out;
   unsigned count;
   /* Index in @out at which the last strip begins. */
   unsigned first;
};

/* Closes the last strip with its first index. Drops a loop of less than two vertices. */
static void
end_strip(struct strips *strips)
{
   if (strips->count - strips->first < 2) {
      strips->count = strips->first;
      return;
   }
   strips->out[strips->count++] = strips->out[strips->first];
   strips->first = strips->count;
}

static void
add_index(struct strips *strips, uint32_t index)
{
   if (strips->count && strips->count == strips->first) {
      strips->out[strips->count++] = RESTART;
      strips->first = strips->count;
   }
   strips->out[strips->count++] = index;
}

/* Returns the maximum number of indices for @count vertices: every two vertices can add a closing
 * index and a restart index. */
static uint64_t
most_indices(unsigned count)
{
   return 2 * (uint64_t)count + 2;
}

static uint32_t
read_index(const void *indices, unsigned size, unsigned i)
{
   switch (size) {
   case 1:
      return ((const uint8_t *)indices)[i];
   case 2:
      return ((const uint16_t *)indices)[i];
   default:
      return ((const uint32_t *)indices)[i];
   }
}

/* Appends the strips of a draw. If @indices is NULL, the vertices are consecutive from @start. A
 * restart index ends a loop as the end of the draw does, and is compared before the base vertex is
 * added (OpenGL 4.6, 10.3.6 Primitive Restart). */
static void
make_strips(struct strips *strips, const struct pipe_draw_info *info, const void *indices,
            unsigned start, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      const uint32_t index = indices ? read_index(indices, info->index_size, i) : start + i;

      if (indices && info->primitive_restart && index == info->restart_index)
         end_strip(strips);
      else
         add_index(strips, index);
   }
   end_strip(strips);
}

/* Returns how many indices of @range are inside the buffer. */
static unsigned
indices_there(const struct pipe_draw_info *info, const struct pipe_draw_start_count_bias *range)
{
   unsigned there;

   if (!info->index_size || info->has_user_indices)
      return range->count;
   there = info->index.resource->width0 / info->index_size;
   return range->start < there ? MIN2(range->count, there - range->start) : 0;
}

static const void *
map_indices(struct sdog_context *ctx, const struct pipe_draw_info *info, unsigned start,
            unsigned count, struct pipe_transfer **transfer)
{
   const unsigned size = info->index_size;

   *transfer = NULL;
   if (info->has_user_indices)
      return (const uint8_t *)info->index.user + (size_t)start * size;
   return pipe_buffer_map_range(&ctx->base, info->index.resource, start * size, count * size,
                                PIPE_MAP_READ, transfer);
}

/* Draws @range of the indices in @buffer, which are the strips of draw @i. */
static void
draw_strips(const struct sdog_draw *draw, unsigned i, struct pipe_resource *buffer,
            const struct pipe_draw_start_count_bias *range)
{
   const struct pipe_draw_info *info = draw->info;
   struct pipe_context *pctx = &draw->ctx->base;
   struct pipe_draw_info strips = *info;

   strips.mode = MESA_PRIM_LINE_STRIP;
   strips.index_size = sizeof(uint32_t);
   strips.has_user_indices = false;
   strips.index.resource = buffer;
   strips.take_index_buffer_ownership = false;
   strips.index_bounds_valid = false;
   strips.increment_draw_id = false;
   strips.primitive_restart = info->index_size && info->primitive_restart;
   strips.restart_index = RESTART;
   pctx->draw_vbo(pctx, &strips, sdog_draw_id(draw, i), NULL, range, 1);
}

/* Draws the loops of draw @i. */
static void
draw_one(const struct sdog_draw *draw, unsigned i)
{
   const struct pipe_draw_start_count_bias *range = &draw->draws[i];
   const struct pipe_draw_info *info = draw->info;
   const unsigned count = indices_there(info, range);
   struct sdog_context *ctx = draw->ctx;
   struct pipe_draw_start_count_bias strip = {
      .index_bias = info->index_size ? range->index_bias : 0,
   };
   struct pipe_transfer *transfer = NULL;
   struct pipe_resource *buffer = NULL;
   struct strips strips = {0};
   const void *indices = NULL;
   unsigned offset;

   if (count < 2 || most_indices(count) > UINT32_MAX / sizeof(uint32_t))
      return;
   if (info->index_size && !(indices = map_indices(ctx, info, range->start, count, &transfer)))
      return;
   u_upload_alloc(ctx->base.stream_uploader, 0, most_indices(count) * sizeof(uint32_t),
                  sizeof(uint32_t), &offset, &buffer, (void **)&strips.out);
   if (strips.out)
      make_strips(&strips, info, indices, range->start, count);
   if (transfer)
      pipe_buffer_unmap(&ctx->base, transfer);
   if (strips.count) {
      u_upload_unmap(ctx->base.stream_uploader);
      strip.start = offset / sizeof(uint32_t);
      strip.count = strips.count;
      draw_strips(draw, i, buffer, &strip);
   }
   pipe_resource_reference(&buffer, NULL);
}

void
sdog_loops_draw(const struct sdog_draw *draw)
{
   for (unsigned i = 0; i < draw->num_draws; i++)
      draw_one(draw, i);
}
