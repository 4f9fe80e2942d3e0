/* SPDX-License-Identifier: MIT */
/* pipe_context::set_shader_buffers, and the uses and binding of storage buffers by draws and
 * dispatches. Runs on the context's thread. */
#include "sundog_shader_buffer.h"

#include "sundog_context.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "util/u_inlines.h"

static struct sundog_mem_range
slot_range(const struct sundog_caps *caps, const struct sdog_shader_buffer *slot)
{
   const struct sdog_resource *rsc = sdog_resource(slot->buffer);
   uint64_t room = rsc->size - MIN2(slot->offset, rsc->size);

   return (struct sundog_mem_range){
      .mem = rsc->mem,
      .offset = rsc->offset + slot->offset,
      .size = MIN3(slot->size, room, caps->max_ssbo_range),
   };
}

void
sdog_shader_buffers_order(struct sdog_context *ctx, unsigned stage)
{
   const struct sdog_shader_buffers *buffers = &ctx->stages[stage].shader_buffers;
   const struct sdog_variant *variant = ctx->variants[stage];

   u_foreach_bit(i, variant->ssbos) {
      const struct sdog_shader_buffer *slot = &buffers->slots[i];
      struct sdog_resource *rsc = sdog_resource(slot->buffer);

      if (!rsc)
         continue;
      if (variant->ssbos_written & buffers->writable & BITFIELD_BIT(i)) {
         sdog_use_for_draw(ctx, rsc, SDOG_USE_STORAGE_WRITE);
         util_range_add(&rsc->base, &rsc->valid_range, slot->offset, slot->offset + slot->size);
         continue;
      }
      sdog_use_for_draw(ctx, rsc, SDOG_USE_STORAGE_READ);
      /* The device binds all of a stage's buffers as one array, so each needs write access if any
       * is written. */
      if (variant->ssbos_written)
         sdog_batch_add(ctx, rsc, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
   }
}

void
sdog_shader_buffers_emit(struct sdog_context *ctx, unsigned stage)
{
   const struct sundog_caps *caps = sdog_screen(ctx->base.screen)->caps;
   uint32_t slots = ctx->variants[stage]->ssbos;
   struct sundog_mem_range ranges[SUNDOG_MAX_SSBOS] = {0};
   struct sundog_cmd_bind_ssbos cmd = {.stage = stage, .count = util_last_bit(slots)};

   u_foreach_bit(i, slots) {
      const struct sdog_shader_buffer *slot = &ctx->stages[stage].shader_buffers.slots[i];

      if (slot->buffer)
         ranges[i] = slot_range(caps, slot);
   }
   if (cmd.count)
      sundog_emit_bind_ssbos(ctx->batch.stream, &cmd, ranges);
}

void
sdog_shader_buffers_unbind(struct sdog_context *ctx, unsigned stage)
{
   for (unsigned i = 0; i < SUNDOG_MAX_SSBOS; i++)
      pipe_resource_reference(&ctx->stages[stage].shader_buffers.slots[i].buffer, NULL);
}

void
sdog_shader_buffers_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc)
{
   for (unsigned stage = 0; stage < SDOG_STAGES; stage++) {
      for (unsigned i = 0; i < SUNDOG_MAX_SSBOS; i++) {
         if (ctx->stages[stage].shader_buffers.slots[i].buffer == &rsc->base)
            ctx->dirty |= SDOG_DIRTY_SSBOS << stage;
      }
   }
}

static void
sdog_set_shader_buffers(struct pipe_context *pctx, enum pipe_shader_type shader, unsigned start,
                        unsigned count, const struct pipe_shader_buffer *buffers,
                        unsigned writable_bitmask)
{
   struct sdog_context *ctx = sdog_context(pctx);
   unsigned stage = sdog_stage_index(shader);
   struct sdog_shader_buffers *bound = &ctx->stages[stage].shader_buffers;

   assert(start + count <= SUNDOG_MAX_SSBOS);
   for (unsigned i = 0; i < count; i++) {
      struct sdog_shader_buffer *slot = &bound->slots[start + i];

      pipe_resource_reference(&slot->buffer, buffers ? buffers[i].buffer : NULL);
      slot->offset = buffers ? buffers[i].buffer_offset : 0;
      slot->size = buffers ? buffers[i].buffer_size : 0;
   }
   bound->writable &= ~BITFIELD_RANGE(start, count);
   bound->writable |= (writable_bitmask << start) & BITFIELD_RANGE(start, count);
   ctx->dirty |= SDOG_DIRTY_SSBOS << stage;
}

void
sdog_init_shader_buffer_functions(struct pipe_context *pctx)
{
   pctx->set_shader_buffers = sdog_set_shader_buffers;
}
