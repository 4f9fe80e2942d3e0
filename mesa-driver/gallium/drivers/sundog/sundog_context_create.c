/* SPDX-License-Identifier: MIT */
/* Creates and destroys contexts, and fills in their function tables. Runs on the thread that
 * creates or destroys the context. */
#include "sundog_context_create.h"

#include "sundog_blend.h"
#include "sundog_blit.h"
#include "sundog_compute.h"
#include "sundog_constants.h"
#include "sundog_context.h"
#include "sundog_copy.h"
#include "sundog_draw.h"
#include "sundog_fence.h"
#include "sundog_handle.h"
#include "sundog_image.h"
#include "sundog_rasterizer.h"
#include "sundog_render.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "sundog_share.h"
#include "sundog_state.h"
#include "sundog_stipple.h"
#include "sundog_surface.h"
#include "sundog_texture.h"
#include "sundog_transfer.h"
#include "sundog_vertex.h"
#include "sundog_zsa.h"
#include "util/u_blitter.h"
#include "util/u_framebuffer.h"
#include "util/u_helpers.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_upload_mgr.h"

#define CONST_UPLOAD_SIZE (256 * 1024)

static void
unbind_all(struct sdog_context *ctx)
{
   util_unreference_framebuffer_state(&ctx->framebuffer);
   ctx->base.set_stream_output_targets(&ctx->base, 0, NULL, NULL, 0);
   util_set_vertex_buffers_count(ctx->vertex_buffers, &ctx->num_vertex_buffers, NULL, 0, true);
   pipe_resource_reference(&ctx->tess_levels.buffer, NULL);
   for (unsigned stage = 0; stage < SDOG_STAGES; stage++) {
      sdog_constants_unbind(ctx, stage);
      sdog_shader_buffers_unbind(ctx, stage);
      sdog_shader_images_unbind(ctx, stage);
      for (unsigned i = 0; i < SUNDOG_MAX_TEXTURES; i++)
         pipe_sampler_view_reference((struct pipe_sampler_view **)&ctx->stages[stage].views[i],
                                     NULL);
   }
}

static void
sdog_context_destroy(struct pipe_context *pctx)
{
   struct sdog_context *ctx = sdog_context(pctx);

   /* Other contexts may use the data that it uploaded. */
   if (ctx->batch.submit)
      sdog_uploads_settle(ctx);
   sdog_loss_finish(ctx);
   if (ctx->batch.submit) {
      sdog_render_end(ctx);
      unbind_all(ctx);
      sdog_residents_finish(ctx);
      sdog_stipple_finish(ctx);
      sdog_textures_finish(ctx);
      sdog_queries_finish(ctx);
      if (ctx->blitter)
         util_blitter_destroy(ctx->blitter);
      sdog_context_drop_images(ctx);
   }
   sdog_edges_finish(ctx);
   if (pctx->const_uploader && pctx->const_uploader != pctx->stream_uploader)
      u_upload_destroy(pctx->const_uploader);
   if (pctx->stream_uploader)
      u_upload_destroy(pctx->stream_uploader);
   sdog_batch_finish(ctx);
   sdog_uploads_finish(ctx);
   sdog_objects_fini(ctx);
   slab_destroy_child(&ctx->transfer_pool);
   FREE(ctx);
}

struct pipe_context *
sdog_context_create(struct pipe_screen *pscreen, void *priv, unsigned flags)
{
   struct sdog_context *ctx = CALLOC_STRUCT(sdog_context);
   struct pipe_context *pctx;

   if (!ctx)
      return NULL;
   pctx = &ctx->base;
   pctx->screen = pscreen;
   pctx->priv = priv;
   pctx->destroy = sdog_context_destroy;
   list_inithead(&ctx->images);
   sdog_residents_init(ctx);
   sdog_queries_init(ctx);
   sdog_objects_init(ctx);
   sdog_uploads_init(ctx);
   slab_create_child(&ctx->transfer_pool, &sdog_screen(pscreen)->transfer_pool);
   ctx->sample_mask = ~0u;
   ctx->num_viewports = 1;
   ctx->robust = flags & PIPE_CONTEXT_ROBUST_BUFFER_ACCESS;
   ctx->loss.notifies = flags & PIPE_CONTEXT_LOSE_CONTEXT_ON_RESET;

   sdog_init_barrier_functions(pctx);
   sdog_init_blend_functions(pctx);
   sdog_init_blit_functions(pctx);
   sdog_init_compute_functions(pctx);
   sdog_init_condition_functions(pctx);
   sdog_init_constant_functions(pctx);
   sdog_init_copy_functions(pctx);
   sdog_init_draw_functions(pctx);
   sdog_init_feedback_functions(pctx);
   sdog_init_fence_functions(pctx);
   sdog_init_handle_functions(pctx);
   sdog_init_loss_functions(pctx);
   sdog_init_query_functions(pctx);
   sdog_init_rasterizer_functions(pctx);
   sdog_init_render_functions(pctx);
   sdog_init_shader_buffer_functions(pctx);
   sdog_init_shader_functions(pctx);
   sdog_init_shader_image_functions(pctx);
   sdog_init_share_context_functions(pctx);
   sdog_init_state_functions(pctx);
   sdog_init_stipple_functions(pctx);
   sdog_init_surface_functions(pctx);
   sdog_init_texture_functions(pctx);
   sdog_init_transfer_functions(pctx);
   sdog_init_vertex_functions(pctx);
   sdog_init_zsa_functions(pctx);

   sdog_screen_adopt(sdog_screen(pscreen));
   if (!sdog_batch_init(ctx))
      goto fail;
   pctx->stream_uploader = u_upload_create_default(pctx);
   pctx->const_uploader = u_upload_create(pctx, CONST_UPLOAD_SIZE, PIPE_BIND_CONSTANT_BUFFER,
                                          PIPE_USAGE_STREAM, 0);
   if (!pctx->stream_uploader || !pctx->const_uploader)
      goto fail;
   ctx->blitter = util_blitter_create(pctx);
   if (!ctx->blitter || !sdog_edges_init(ctx))
      goto fail;
   return pctx;

fail:
   sdog_context_destroy(pctx);
   return NULL;
}
