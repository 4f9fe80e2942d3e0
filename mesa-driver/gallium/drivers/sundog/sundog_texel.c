/* SPDX-License-Identifier: MIT */
/* Creates and binds views of texture buffers, called by draws and dispatches on the context's
 * thread. */
#include "sundog_texel.h"

#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "sundog_texture.h"
#include "util/format/u_format.h"

/* Returns the part of the range that is inside the buffer, in whole texels. */
static struct sundog_mem_range
view_range(const struct sundog_caps *caps, const struct sdog_resource *rsc,
           enum pipe_format format, unsigned offset, unsigned size)
{
   unsigned block = util_format_get_blocksize(format);
   uint64_t room = rsc->size - MIN2(offset, rsc->size);
   uint64_t texels = MIN2(size, room) / block;

   return (struct sundog_mem_range){
      .mem = rsc->mem,
      .offset = rsc->offset + offset,
      .size = MIN2(texels, caps->max_texel_elements) * block,
   };
}

uint32_t
sdog_texel_view_id(struct sdog_context *ctx, struct sdog_resource *rsc, enum pipe_format format,
                   unsigned offset, unsigned size, struct sdog_texel_view *view)
{
   struct sundog_cmd_create_buffer_view cmd = {
      .range = view_range(sdog_screen(ctx->base.screen)->caps, rsc, format, offset, size),
      .format = sdog_vk_format(sdog_texel_format(format)),
   };

   cmd.id = view->object.id;
   if (sdog_object_exists(ctx, &view->object) && view->memory == rsc->memory &&
       !memcmp(&cmd, &view->made, sizeof(cmd)))
      return cmd.id;
   sdog_texel_view_drop(ctx, view);
   if (!cmd.range.size || !cmd.format || !sdog_object_make(ctx, &view->object))
      return 0;
   cmd.id = view->object.id;
   sundog_emit_create_buffer_view(ctx->batch.stream, &cmd);
   view->made = cmd;
   view->memory = rsc->memory;
   return cmd.id;
}

void
sdog_texel_view_drop(struct sdog_context *ctx, struct sdog_texel_view *view)
{
   sdog_object_destroy(ctx, SUNDOG_OBJECT_KIND_BUFFER_VIEW, &view->object);
}

uint32_t
sdog_sampler_texels_id(struct sdog_context *ctx, struct sdog_sampler_view *view)
{
   return sdog_texel_view_id(ctx, sdog_resource(view->base.texture), view->base.format,
                             view->base.u.buf.offset, view->base.u.buf.size, &view->texels);
}

void
sdog_texels_emit(struct sdog_context *ctx, unsigned stage)
{
   uint32_t slots = ctx->variants[stage]->texels;
   uint32_t views[SUNDOG_MAX_TEXEL_BUFFERS] = {0};
   struct sundog_cmd_bind_texel_buffers cmd = {.stage = stage};

   u_foreach_bit(i, slots) {
      struct sdog_sampler_view *view = ctx->stages[stage].views[i];

      if (view && view->base.texture->target == PIPE_BUFFER)
         views[i] = sdog_sampler_texels_id(ctx, view);
   }
   cmd.first = slots ? ffs(slots) - 1 : 0;
   cmd.count = util_last_bit(slots) - cmd.first;
   if (cmd.count)
      sundog_emit_bind_texel_buffers(ctx->batch.stream, &cmd, &views[cmd.first]);
}

void
sdog_texels_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc)
{
   for (unsigned stage = 0; stage < SDOG_STAGES; stage++) {
      for (unsigned i = 0; i < SUNDOG_MAX_TEXTURES; i++) {
         const struct sdog_sampler_view *view = ctx->stages[stage].views[i];

         if (view && view->base.texture == &rsc->base)
            ctx->dirty |= SDOG_DIRTY_TEXTURES << stage;
      }
   }
}
