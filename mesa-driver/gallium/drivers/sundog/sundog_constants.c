/* SPDX-License-Identifier: MIT */
/* Uniforms and uniform blocks: pipe_context::set_constant_buffer, uploads, and the packets that
 * draws and dispatches emit. Runs on the context's thread. */
#include "sundog_constants.h"

#include "sundog_context.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "util/u_inlines.h"
#include "util/u_upload_mgr.h"

static void
upload(struct sdog_context *ctx, struct sdog_constants *constants, const void *data)
{
   const struct sundog_caps *caps = sdog_screen(ctx->base.screen)->caps;

   u_upload_data(ctx->base.const_uploader, 0, constants->size, caps->min_ubo_align, data,
                 &constants->offset, &constants->buffer);
}

static const void *
buffer_data(const struct pipe_constant_buffer *cb)
{
   const uint8_t *map = sdog_resource_map(sdog_resource(cb->buffer));

   return map ? map + cb->buffer_offset : NULL;
}

static void
take_buffer(struct pipe_resource **out, const struct pipe_constant_buffer *cb, bool take_ownership)
{
   struct pipe_resource *buffer = cb ? cb->buffer : NULL;

   if (take_ownership) {
      pipe_resource_reference(out, NULL);
      *out = buffer;
   } else {
      pipe_resource_reference(out, buffer);
   }
}

/* Uniforms outside of blocks. They come from memory of the program, and are often few. */
static void
set_constants(struct sdog_context *ctx, unsigned stage, bool take_ownership,
              const struct pipe_constant_buffer *cb)
{
   struct sdog_constants *constants = &ctx->stages[stage].constants;
   const void *data = NULL;

   constants->size = cb ? cb->buffer_size : 0;
   if (cb && cb->user_buffer)
      data = cb->user_buffer;
   else if (cb && cb->buffer)
      data = buffer_data(cb);
   if (data)
      memcpy(constants->data, data, MIN2(constants->size, sizeof(constants->data)));

   take_buffer(&constants->buffer, cb, take_ownership);
   if (constants->buffer)
      constants->offset = cb->buffer_offset;
   else if (constants->size > sizeof(constants->data))
      upload(ctx, constants, data);
   ctx->dirty |= SDOG_DIRTY_CONSTANTS << stage;
}

static void
set_block(struct sdog_context *ctx, unsigned stage, unsigned slot, bool take_ownership,
          const struct pipe_constant_buffer *cb)
{
   struct sdog_block *block = &ctx->stages[stage].blocks[slot];

   take_buffer(&block->buffer, cb, take_ownership);
   block->offset = cb ? cb->buffer_offset : 0;
   block->size = cb ? cb->buffer_size : 0;
   ctx->dirty |= SDOG_DIRTY_BLOCKS << stage;
}

static void
sdog_set_constant_buffer(struct pipe_context *pctx, enum pipe_shader_type shader, uint index,
                         bool take_ownership, const struct pipe_constant_buffer *cb)
{
   struct sdog_context *ctx = sdog_context(pctx);
   unsigned stage = sdog_stage_index(shader);

   if (index)
      set_block(ctx, stage, index, take_ownership, cb);
   else
      set_constants(ctx, stage, take_ownership, cb);
}

static void
emit_push(struct sdog_context *ctx, unsigned stage, const struct sdog_constants *constants)
{
   struct sundog_cmd_push_constants cmd = {
      .offset = stage == SUNDOG_STAGE_FRAGMENT ? SDOG_PUSH_DWORDS * 4 : 0,
      .count = ctx->variants[stage]->uniform_size / 4,
   };

   sundog_emit_push_constants(ctx->batch.stream, &cmd, constants->data);
   /* The push may have overwritten the draw parameters. */
   if (stage == SUNDOG_STAGE_VERTEX)
      ctx->dirty |= SDOG_DIRTY_DRAW_PARAMETERS;
}

/* Tessellation levels are the uniforms of the control shader that stands in for a missing one. */
static struct sdog_constants *
drawn_constants(struct sdog_context *ctx, unsigned stage)
{
   return ctx->variants[stage]->key.patch_vertices ? &ctx->tess_levels
                                                   : &ctx->stages[stage].constants;
}

void
sdog_constants_emit(struct sdog_context *ctx, unsigned stage)
{
   struct sdog_constants *constants = drawn_constants(ctx, stage);
   struct sundog_cmd_bind_ubo cmd = {.stage = stage};
   struct sdog_resource *rsc;

   if (!ctx->variants[stage]->uniform_size || !constants->size)
      return;
   if (ctx->variants[stage]->push) {
      emit_push(ctx, stage, constants);
      return;
   }
   if (!constants->buffer)
      upload(ctx, constants, constants->data);
   rsc = sdog_resource(constants->buffer);
   if (!rsc)
      return;
   sdog_batch_add(ctx, rsc, SUNDOG_ACCESS_READ);
   cmd.range.mem = rsc->mem;
   cmd.range.offset = rsc->offset + constants->offset;
   /* Constants that the state tracker appends can exceed the limit by a vector. */
   cmd.range.size =
      MIN2(constants->size, sdog_screen(ctx->base.screen)->caps->max_ubo_range);
   sundog_emit_bind_ubo(ctx->batch.stream, &cmd);
}

void
sdog_blocks_order(struct sdog_context *ctx, unsigned stage)
{
   u_foreach_bit(slot, ctx->variants[stage]->blocks) {
      struct pipe_resource *buffer = ctx->stages[stage].blocks[slot].buffer;

      if (buffer)
         sdog_use_for_draw(ctx, sdog_resource(buffer), SDOG_USE_UNIFORM);
   }
}

/* Returns the range of @block that its buffer has: the buffer may have become smaller since it was
 * bound, or may be bound as a whole and be larger than max_ubo_range. */
static struct sundog_mem_range
block_range(const struct sundog_caps *caps, const struct sdog_block *block)
{
   const struct sdog_resource *rsc = sdog_resource(block->buffer);
   uint64_t room = rsc->size - MIN2(block->offset, rsc->size);

   if (!room)
      return (struct sundog_mem_range){0};
   return (struct sundog_mem_range){
      .mem = rsc->mem,
      .offset = rsc->offset + block->offset,
      .size = MIN3(block->size, room, caps->max_ubo_range),
   };
}

void
sdog_blocks_emit(struct sdog_context *ctx, unsigned stage)
{
   const struct sundog_caps *caps = sdog_screen(ctx->base.screen)->caps;

   u_foreach_bit(slot, ctx->variants[stage]->blocks) {
      const struct sdog_block *block = &ctx->stages[stage].blocks[slot];
      struct sundog_cmd_bind_ubo cmd = {.stage = stage, .slot = slot};

      /* A slot without a buffer reads as zero. */
      if (block->buffer)
         cmd.range = block_range(caps, block);
      sundog_emit_bind_ubo(ctx->batch.stream, &cmd);
   }
}

void
sdog_constants_unbind(struct sdog_context *ctx, unsigned stage)
{
   pipe_resource_reference(&ctx->stages[stage].constants.buffer, NULL);
   for (unsigned slot = 1; slot < SUNDOG_MAX_UBOS; slot++)
      pipe_resource_reference(&ctx->stages[stage].blocks[slot].buffer, NULL);
}

void
sdog_constants_save(struct sdog_context *ctx, unsigned stage, struct pipe_constant_buffer *out)
{
   const struct sdog_constants *constants = &ctx->stages[stage].constants;

   *out = (struct pipe_constant_buffer){
      .buffer = constants->buffer,
      .buffer_offset = constants->offset,
      .buffer_size = constants->size,
   };
   if (constants->buffer)
      return;
   memcpy(ctx->saved_constants, constants->data, sizeof(ctx->saved_constants));
   out->buffer_offset = 0;
   out->user_buffer = constants->size ? ctx->saved_constants : NULL;
}

void
sdog_init_constant_functions(struct pipe_context *pctx)
{
   pctx->set_constant_buffer = sdog_set_constant_buffer;
}
