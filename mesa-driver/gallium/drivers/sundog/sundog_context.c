/* SPDX-License-Identifier: MIT */
/* Rebinding after a resource got other memory, and the lock that protects buffers' memory while
 * packets name it. Runs on the context's thread. */
#include "sundog_context.h"

#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_texel.h"

void
sdog_context_rebind_buffer(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   for (unsigned i = 0; i < ctx->num_vertex_buffers; i++) {
      if (ctx->vertex_buffers[i].buffer.resource == &rsc->base)
         ctx->dirty |= SDOG_DIRTY_VERTEX_BUFFERS;
   }
   sdog_feedback_rebind_buffer(ctx, rsc);
   sdog_texels_rebind_buffer(ctx, rsc);
   sdog_shader_buffers_rebind_buffer(ctx, rsc);
   sdog_shader_images_rebind_buffer(ctx, rsc);
   sdog_residents_rebind(&ctx->residents);
   for (unsigned i = 0; i < SDOG_STAGES; i++) {
      if (ctx->stages[i].constants.buffer == &rsc->base)
         ctx->dirty |= SDOG_DIRTY_CONSTANTS << i;
      for (unsigned slot = 1; slot < SUNDOG_MAX_UBOS; slot++) {
         if (ctx->stages[i].blocks[slot].buffer == &rsc->base)
            ctx->dirty |= SDOG_DIRTY_BLOCKS << i;
      }
   }
}

/* Makes all buffer bindings dirty if other contexts replaced the memory of shared buffers. */
static void
note_renames(struct sdog_context *ctx)
{
   uint32_t renames = sdog_screen(ctx->base.screen)->renames;

   if (renames == ctx->renames)
      return;
   ctx->renames = renames;
   ctx->dirty |= SDOG_DIRTY_VERTEX_BUFFERS | SDOG_DIRTY_INDEX_BUFFER |
                 SDOG_DIRTY_BINDINGS * BITFIELD_MASK(SDOG_STAGES);
   sdog_residents_rebind(&ctx->residents);
   if (ctx->feedback.on)
      sdog_render_end(ctx);
}

void
sdog_naming_begin(struct sdog_context *ctx)
{
   if (ctx->naming++)
      return;
   u_rwlock_rdlock(&sdog_screen(ctx->base.screen)->rename_lock);
   note_renames(ctx);
}

void
sdog_naming_end(struct sdog_context *ctx)
{
   assert(ctx->naming);
   if (!--ctx->naming)
      u_rwlock_rdunlock(&sdog_screen(ctx->base.screen)->rename_lock);
}

void
sdog_context_rebind_texture(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   sdog_texels_rebind_buffer(ctx, rsc);
   sdog_shader_images_rebind_buffer(ctx, rsc);
   sdog_residents_rebind(&ctx->residents);
}
