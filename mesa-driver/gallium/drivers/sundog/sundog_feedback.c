/* SPDX-License-Identifier: MIT */
/* Transform feedback: targets, their counters, and begin and end on the device. Runs on the
 * context's thread. */
#include "sundog_feedback.h"

#include "nir.h"
#include "nir/nir_xfb_info.h"
#include "sundog_context.h"
#include "sundog_copy.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

/* Returns the outputs that the last stage before rasterization captures, or NULL. */
static const nir_xfb_info *
captured_outputs(const struct sdog_context *ctx)
{
   static const enum sundog_stage last_first[] = {
      SUNDOG_STAGE_GEOMETRY, SUNDOG_STAGE_TESS_EVAL, SUNDOG_STAGE_VERTEX,
   };

   for (unsigned i = 0; i < ARRAY_SIZE(last_first); i++) {
      if (ctx->shaders[last_first[i]])
         return ctx->shaders[last_first[i]]->nir->xfb_info;
   }
   return NULL;
}

static struct sundog_mem_range
target_range(const struct pipe_stream_output_target *target)
{
   const struct sdog_resource *rsc = sdog_resource(target->buffer);
   uint64_t room = rsc->size - MIN2(target->buffer_offset, rsc->size);

   return (struct sundog_mem_range){
      .mem = rsc->mem,
      .offset = rsc->offset + target->buffer_offset,
      .size = MIN2(target->buffer_size, room) & ~(uint64_t)3,
   };
}

/* An invalidated buffer can remain bound as a target, and becomes valid again. */
static void
note_written(const struct pipe_stream_output_target *target)
{
   struct sdog_resource *rsc = sdog_resource(target->buffer);

   util_range_add(&rsc->base, &rsc->valid_range, target->buffer_offset,
                  target->buffer_offset + target->buffer_size);
}

static bool
has_room(const struct sdog_context *ctx, unsigned i)
{
   const struct pipe_stream_output_target *target = ctx->feedback.targets[i];

   return target && target_range(target).size;
}

/* Returns true if the next draw captures primitives. A primitive is captured in all its buffers or
 * not at all (OpenGL 4.6, 13.3.2 Transform Feedback Primitive Capture), so none is if a buffer has
 * no room. With several views, OpenGL captures nothing. */
static bool
is_wanted(const struct sdog_context *ctx)
{
   const nir_xfb_info *captured = captured_outputs(ctx);

   if (sdog_render_views(&ctx->framebuffer) || !ctx->feedback.num_targets || !captured ||
       !captured->buffers_written)
      return false;
   u_foreach_bit(i, captured->buffers_written) {
      if (!has_room(ctx, i))
         return false;
   }
   return true;
}

void
sdog_feedback_order(struct sdog_context *ctx, struct pipe_stream_output_target *count)
{
   const struct sdog_feedback *feedback = &ctx->feedback;

   if (count)
      sdog_use_for_draw(ctx, sdog_resource(count->buffer), SDOG_USE_DRAW_COUNT);
   if (feedback->on || ctx->back_turn || !is_wanted(ctx))
      return;
   for (unsigned i = 0; i < feedback->num_targets; i++) {
      if (feedback->targets[i])
         sdog_use_for_draw(ctx, sdog_resource(feedback->targets[i]->buffer), SDOG_USE_FEEDBACK);
   }
}

/* Returns true if capturing resumes at the counter. The counter is in bytes and remains valid if
 * the target gets other memory, unless that has less room. */
static bool
resume(struct sdog_context *ctx, struct sdog_feedback_target *target, uint32_t stride)
{
   const uint64_t size = target_range(&target->base).size;
   bool resumes;

   if (sdog_object_make(ctx, &target->counter)) {
      target->resumes = false;
      sundog_emit_create_feedback_counter(
         ctx->batch.stream, &(struct sundog_cmd_create_feedback_counter){target->counter.id});
   }
   resumes = target->resumes && size >= target->size;
   target->size = size;
   target->stride = stride;
   target->resumes = true;
   return resumes;
}

void
sdog_feedback_begin(struct sdog_context *ctx)
{
   struct sdog_feedback *feedback = &ctx->feedback;
   struct sundog_mem_range ranges[SUNDOG_MAX_FEEDBACK_BUFFERS] = {0};
   struct sundog_cmd_bind_feedback_buffers bind = {.count = feedback->num_targets};
   struct sundog_cmd_begin_feedback begin = {0};

   if (feedback->on || !is_wanted(ctx))
      return;
   for (unsigned i = 0; i < feedback->num_targets; i++) {
      struct sdog_feedback_target *target = sdog_feedback_target(feedback->targets[i]);

      if (!has_room(ctx, i))
         continue;
      if (resume(ctx, target, captured_outputs(ctx)->buffers[i].stride))
         begin.resume |= BITFIELD_BIT(i);
      begin.counters[i] = target->counter.id;
      ranges[i] = target_range(&target->base);
      note_written(&target->base);
   }
   sundog_emit_bind_feedback_buffers(ctx->batch.stream, &bind, ranges);
   sundog_emit_begin_feedback(ctx->batch.stream, &begin);
   feedback->on = true;
   sdog_queries_resume(ctx, SDOG_COUNTERS_OF_FEEDBACK);
}

void
sdog_feedback_end(struct sdog_context *ctx)
{
   if (!ctx->feedback.on)
      return;
   sdog_queries_pause(ctx, SDOG_COUNTERS_OF_FEEDBACK);
   sundog_emit_end_feedback(ctx->batch.stream);
   ctx->feedback.on = false;
}

/* Returns the number of vertices of a full target, for use if the counter was lost with its client.
 * Most programs that draw captured vertices fill their buffers. */
static uint32_t
most_captured(const struct sdog_feedback_target *target)
{
   return target_range(&target->base).size / target->stride;
}

static void
draw_all_captured(struct sdog_context *ctx, const struct sdog_feedback_target *target,
                  unsigned num_instances, unsigned first_instance)
{
   struct sundog_cmd_draw cmd = {
      .vertex_count = most_captured(target),
      .instance_count = num_instances,
      .first_instance = first_instance,
   };

   sundog_emit_draw(ctx->batch.stream, &cmd);
}

void
sdog_feedback_draw(struct sdog_context *ctx, struct pipe_stream_output_target *count,
                   unsigned num_instances, unsigned first_instance)
{
   const struct sdog_feedback_target *target = sdog_feedback_target(count);
   struct sundog_cmd_draw_feedback cmd = {
      .counter = target->counter.id,
      .stride = target->stride,
      .instance_count = num_instances,
      .first_instance = first_instance,
   };

   if (!target->stride)
      return;
   if (sdog_object_exists(ctx, &target->counter))
      sundog_emit_draw_feedback(ctx->batch.stream, &cmd);
   else
      draw_all_captured(ctx, target, num_instances, first_instance);
}

/* Copies the counter to @rsc. Returns false if the counter was lost. */
static bool
copy_counter(struct sdog_context *ctx, const struct sdog_feedback_target *target,
             struct sdog_resource *rsc)
{
   sdog_transfer_begin(ctx, rsc, rsc);
   if (!sdog_object_exists(ctx, &target->counter))
      return false;
   sundog_emit_copy_feedback_counter(ctx->batch.stream,
                                     &(struct sundog_cmd_copy_feedback_counter){
                                        .counter = target->counter.id,
                                        .mem = rsc->mem,
                                        .offset = rsc->offset,
                                     });
   util_range_add(&rsc->base, &rsc->valid_range, 0, sizeof(uint32_t));
   return true;
}

uint32_t
sdog_feedback_count(struct sdog_context *ctx, struct pipe_stream_output_target *count)
{
   const struct sdog_feedback_target *target = sdog_feedback_target(count);
   const struct sundog_caps *caps = sdog_screen(ctx->base.screen)->caps;
   uint32_t bytes = 0;
   struct pipe_resource *buffer;

   if (!target->stride || !(caps->features & SUNDOG_FEATURE_FEEDBACK_COUNTS))
      return 0;
   if (!sdog_object_exists(ctx, &target->counter))
      return most_captured(target);
   buffer = pipe_buffer_create_with_data(&ctx->base, 0, PIPE_USAGE_STAGING, sizeof(bytes), &bytes);
   if (!buffer)
      return 0;
   if (copy_counter(ctx, target, sdog_resource(buffer)))
      pipe_buffer_read(&ctx->base, buffer, 0, sizeof(bytes), &bytes);
   pipe_resource_reference(&buffer, NULL);
   return bytes / target->stride;
}

void
sdog_feedback_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc)
{
   for (unsigned i = 0; ctx->feedback.on && i < ctx->feedback.num_targets; i++) {
      if (ctx->feedback.targets[i] && ctx->feedback.targets[i]->buffer == &rsc->base)
         sdog_render_end(ctx);
   }
}

static struct pipe_stream_output_target *
sdog_create_target(struct pipe_context *pctx, struct pipe_resource *prsc, unsigned offset,
                   unsigned size)
{
   struct sdog_feedback_target *target = CALLOC_STRUCT(sdog_feedback_target);

   if (!target)
      return NULL;
   pipe_reference_init(&target->base.reference, 1);
   pipe_resource_reference(&target->base.buffer, prsc);
   target->base.context = pctx;
   target->base.buffer_offset = offset;
   target->base.buffer_size = size;
   note_written(&target->base);
   return &target->base;
}

static void
sdog_target_destroy(struct pipe_context *pctx, struct pipe_stream_output_target *ptarget)
{
   struct sdog_feedback_target *target = sdog_feedback_target(ptarget);

   sdog_object_destroy(sdog_context(pctx), SUNDOG_OBJECT_KIND_FEEDBACK_COUNTER, &target->counter);
   pipe_resource_reference(&target->base.buffer, NULL);
   FREE(target);
}

static void
sdog_set_targets(struct pipe_context *pctx, unsigned count,
                 struct pipe_stream_output_target **targets, const unsigned *offsets,
                 enum mesa_prim output_prim)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_feedback *feedback = &ctx->feedback;

   /* Later captures and reads must be ordered after the earlier captures, which takes a barrier and
    * thus another rendering. */
   if (feedback->on)
      sdog_render_end(ctx);
   for (unsigned i = 0; i < SUNDOG_MAX_FEEDBACK_BUFFERS; i++) {
      struct pipe_stream_output_target *target = i < count ? targets[i] : NULL;

      pipe_so_target_reference(&feedback->targets[i], target);
      /* OpenGL restarts at offset 0 or appends (UINT_MAX); it has no other offsets. */
      if (target && offsets[i] != UINT_MAX)
         sdog_feedback_target(target)->resumes = false;
   }
   feedback->num_targets = count;
}

void
sdog_init_feedback_functions(struct pipe_context *pctx)
{
   pctx->create_stream_output_target = sdog_create_target;
   pctx->stream_output_target_destroy = sdog_target_destroy;
   pctx->set_stream_output_targets = sdog_set_targets;
}
