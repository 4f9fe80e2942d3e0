/* SPDX-License-Identifier: MIT */
/* Begin and end of renderings, clears and texture barriers: see sundog_render.h. Runs on the
 * context's thread. */
#include "sundog_render.h"

#include "sundog_barrier.h"
#include "sundog_context.h"
#include "sundog_fetch.h"
#include "sundog_format.h"
#include "sundog_resource.h"
#include "sundog_surface.h"
#include "util/format/u_format.h"
#include "util/u_framebuffer.h"
#include "util/u_helpers.h"

static uint32_t
load_op(const struct sdog_context *ctx, unsigned clear)
{
   return ctx->clears & clear ? SUNDOG_LOAD_OP_CLEAR : SUNDOG_LOAD_OP_LOAD;
}

static void
color_attachment(struct sdog_context *ctx, unsigned i, struct sundog_attachment *out)
{
   struct pipe_surface *psurf = ctx->framebuffer.cbufs[i];

   if (!psurf)
      return;
   out->view = sdog_surface_view(ctx, sdog_surface(psurf));
   out->load = load_op(ctx, PIPE_CLEAR_COLOR0 << i);
   memcpy(out->clear, ctx->clear_color[i].ui, sizeof(out->clear));
}

static void
depth_attachments(struct sdog_context *ctx, struct sundog_cmd_begin_rendering *cmd)
{
   struct pipe_surface *psurf = ctx->framebuffer.zsbuf;
   struct sundog_attachment both = {0};
   uint32_t aspects;

   if (!psurf)
      return;
   aspects = sdog_format_aspects(psurf->format);
   both.view = sdog_surface_view(ctx, sdog_surface(psurf));
   both.clear[0] = fui(ctx->clear_depth);
   both.clear[1] = ctx->clear_stencil;
   if (aspects & SUNDOG_ASPECT_DEPTH) {
      cmd->depth = both;
      cmd->depth.load = load_op(ctx, PIPE_CLEAR_DEPTH);
   }
   if (aspects & SUNDOG_ASPECT_STENCIL) {
      cmd->stencil = both;
      cmd->stencil.load = load_op(ctx, PIPE_CLEAR_STENCIL);
   }
}

void
sdog_render_order(struct sdog_context *ctx)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;

   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (fb->cbufs[i])
         sdog_use_for_draw(ctx, sdog_resource(fb->cbufs[i]->texture), SDOG_USE_COLOR);
   }
   if (fb->zsbuf)
      sdog_use_for_draw(ctx, sdog_resource(fb->zsbuf->texture), SDOG_USE_DEPTH);
}

static uint64_t
attachments_missing(const struct sdog_context *ctx)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   uint64_t bytes = 0;

   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (fb->cbufs[i])
         bytes += sdog_batch_missing(&ctx->batch, sdog_resource(fb->cbufs[i]->texture));
   }
   if (fb->zsbuf)
      bytes += sdog_batch_missing(&ctx->batch, sdog_resource(fb->zsbuf->texture));
   return bytes;
}

uint64_t
sdog_render_clears_missing(const struct sdog_context *ctx)
{
   return ctx->clears && !ctx->rendering ? attachments_missing(ctx) : 0;
}

unsigned
sdog_color_count(const struct pipe_framebuffer_state *fb)
{
   unsigned count = fb->nr_cbufs;

   while (count && !fb->cbufs[count - 1])
      count--;
   return count;
}

/* Returns the number of layers that all attachments have. If only some have more, GL leaves the
 * contents of those layers undefined (OpenGL 4.6, 9.8 Layered Framebuffers). */
static unsigned
layer_count(const struct pipe_framebuffer_state *fb)
{
   unsigned layers = UINT_MAX;

   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (fb->cbufs[i])
         layers = MIN2(layers, sdog_surface_layers(fb->cbufs[i]));
   }
   if (fb->zsbuf)
      layers = MIN2(layers, sdog_surface_layers(fb->zsbuf));
   return layers == UINT_MAX ? MAX2(fb->layers, 1) : layers;
}

static void
order_for_clears(struct sdog_context *ctx)
{
   sdog_uses_look(ctx);
   sdog_render_order(ctx);
   sdog_uses_note(ctx);
   sdog_render_order(ctx);
}

/* The area that all attachments cover; the blitter may set a larger framebuffer. */
static struct sundog_rect
render_area(const struct pipe_framebuffer_state *fb)
{
   struct sundog_rect area = {0, 0, fb->width, fb->height};

   for (unsigned i = 0; i <= fb->nr_cbufs; i++) {
      const struct pipe_surface *surf = i < fb->nr_cbufs ? fb->cbufs[i] : fb->zsbuf;

      if (!surf)
         continue;
      area.width = MIN2(area.width, surf->width);
      area.height = MIN2(area.height, surf->height);
   }
   return area;
}

uint8_t
sdog_render_views(const struct pipe_framebuffer_state *fb)
{
   return fb->viewmask ? fb->viewmask & BITFIELD_MASK(layer_count(fb)) : 0;
}

static void
emit_begin_multiview(struct sdog_context *ctx, const struct sundog_cmd_begin_rendering *rendering,
                     const struct sundog_attachment *colors)
{
   const struct sundog_cmd_begin_multiview cmd = {
      .area = rendering->area,
      .view_mask = sdog_render_views(&ctx->framebuffer),
      .depth = rendering->depth,
      .stencil = rendering->stencil,
      .count = rendering->count,
   };

   sundog_emit_begin_multiview(ctx->batch.stream, &cmd, colors);
}

static void
begin(struct sdog_context *ctx, bool ordered)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   struct sundog_attachment colors[PIPE_MAX_COLOR_BUFS] = {0};
   struct sundog_cmd_begin_rendering cmd = {
      .area = render_area(fb),
      .layers = layer_count(fb),
      .count = sdog_color_count(fb),
   };

   for (unsigned i = 0; i < cmd.count; i++)
      color_attachment(ctx, i, &colors[i]);
   depth_attachments(ctx, &cmd);
   /* After the creation of the views, which may flush the submission here, unlike for draws. */
   if (!ordered)
      order_for_clears(ctx);
   if (sdog_render_views(fb))
      emit_begin_multiview(ctx, &cmd, colors);
   else
      sundog_emit_begin_rendering(ctx->batch.stream, &cmd, colors);
   ctx->clears = 0;
   ctx->rendering = true;
   sdog_queries_resume(ctx, SDOG_COUNTERS_ALL);
}

void
sdog_render_begin_ordered(struct sdog_context *ctx)
{
   begin(ctx, true);
}

static void
emit_end(struct sdog_context *ctx)
{
   sdog_queries_pause(ctx, SDOG_COUNTERS_ALL);
   sdog_feedback_end(ctx);
   sdog_condition_end(ctx);
   sundog_emit_end_rendering(ctx->batch.stream);
   ctx->rendering = false;
}

void
sdog_render_end(struct sdog_context *ctx)
{
   if (!ctx->rendering && ctx->clears)
      begin(ctx, false);
   if (ctx->rendering)
      emit_end(ctx);
}

void
sdog_render_flush_clears(struct sdog_context *ctx, struct pipe_resource *prsc)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;

   if (!ctx->clears)
      return;
   sdog_batch_make_room(ctx, sdog_render_clears_missing(ctx));
   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (fb->cbufs[i] && fb->cbufs[i]->texture == prsc)
         sdog_render_end(ctx);
   }
   if (fb->zsbuf && fb->zsbuf->texture == prsc)
      sdog_render_end(ctx);
}

static void
sdog_set_framebuffer_state(struct pipe_context *pctx, const struct pipe_framebuffer_state *fb)
{
   struct sdog_context *ctx = sdog_context(pctx);

   if (util_framebuffer_state_equal(&ctx->framebuffer, fb))
      return;
   sdog_batch_make_room(ctx, sdog_render_clears_missing(ctx));
   sdog_render_end(ctx);
   util_copy_framebuffer_state(&ctx->framebuffer, fb);
   ctx->dirty |= SDOG_DIRTY_FRAMEBUFFER | SDOG_DIRTY_BLEND | SDOG_DIRTY_SCISSOR |
                 SDOG_DIRTY_SHADER_KEY | SDOG_DIRTY_ZSA | SDOG_DIRTY_MULTISAMPLE;
   if (sdog_fetched_colors(ctx))
      ctx->dirty |= SDOG_DIRTY_TEXTURES << SUNDOG_STAGE_FRAGMENT;
}

/* Clears */

/* Stream space, in dwords, for a clear, its condition and the creation of views: the submission
 * must not be flushed between sdog_condition_prepare() and sdog_condition_begin(). */
#define CLEAR_DWORDS 1024

static bool
covers_framebuffer(const struct pipe_framebuffer_state *fb,
                   const struct pipe_scissor_state *scissor)
{
   return !scissor || (!scissor->minx && !scissor->miny && scissor->maxx >= fb->width &&
                       scissor->maxy >= fb->height);
}

static struct sundog_rect
clear_rect(const struct pipe_framebuffer_state *fb, const struct pipe_scissor_state *scissor)
{
   struct sundog_rect rect = {0, 0, fb->width, fb->height};

   if (scissor) {
      unsigned maxx = MIN2(scissor->maxx, fb->width), maxy = MIN2(scissor->maxy, fb->height);

      rect.x = MIN2(scissor->minx, maxx);
      rect.y = MIN2(scissor->miny, maxy);
      rect.width = maxx - rect.x;
      rect.height = maxy - rect.y;
   }
   return rect;
}

static void
clear_later(struct sdog_context *ctx, unsigned buffers, const union pipe_color_union *color,
            double depth, unsigned stencil)
{
   u_foreach_bit(i, buffers >> 2)
      ctx->clear_color[i] = *color;
   if (buffers & PIPE_CLEAR_DEPTH)
      ctx->clear_depth = depth;
   if (buffers & PIPE_CLEAR_STENCIL)
      ctx->clear_stencil = stencil;
   ctx->clears |= buffers;
}

static void
clear_now(struct sdog_context *ctx, unsigned buffers, const struct sundog_rect *rect,
          const union pipe_color_union *color, double depth, unsigned stencil)
{
   struct sundog_clear_attachment attachments[PIPE_MAX_COLOR_BUFS + 1] = {0};
   struct sundog_cmd_clear_attachments cmd = {
      .rect = *rect,
      .layers = sdog_render_views(&ctx->framebuffer) ? 1 : layer_count(&ctx->framebuffer),
   };
   struct sundog_clear_attachment *at = attachments;

   u_foreach_bit(i, buffers >> 2) {
      at->aspect = SUNDOG_ASPECT_COLOR;
      at->index = i;
      memcpy(at->clear, color->ui, sizeof(at->clear));
      at++;
   }
   if (buffers & PIPE_CLEAR_DEPTHSTENCIL) {
      at->aspect = (buffers & PIPE_CLEAR_DEPTH ? SUNDOG_ASPECT_DEPTH : 0) |
                   (buffers & PIPE_CLEAR_STENCIL ? SUNDOG_ASPECT_STENCIL : 0);
      at->clear[0] = fui(depth);
      at->clear[1] = stencil;
      at++;
   }
   cmd.count = at - attachments;
   if (cmd.count)
      sundog_emit_clear_attachments(ctx->batch.stream, &cmd, attachments);
}

/* Returns those of @buffers that the framebuffer has and the device can render to. */
static unsigned
present_buffers(const struct pipe_framebuffer_state *fb, unsigned buffers)
{
   unsigned present = 0;

   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (fb->cbufs[i] && sdog_surface_can_be_drawn_to(fb->cbufs[i]))
         present |= PIPE_CLEAR_COLOR0 << i;
   }
   if (fb->zsbuf && sdog_surface_can_be_drawn_to(fb->zsbuf)) {
      uint32_t aspects = sdog_format_aspects(fb->zsbuf->format);

      present |= (aspects & SUNDOG_ASPECT_DEPTH ? PIPE_CLEAR_DEPTH : 0) |
                 (aspects & SUNDOG_ASPECT_STENCIL ? PIPE_CLEAR_STENCIL : 0);
   }
   return buffers & present;
}

/* Returns those of @buffers with more layers than all attachments have in common. */
static unsigned
deeper_buffers(const struct pipe_framebuffer_state *fb, unsigned buffers)
{
   unsigned layers = layer_count(fb), deeper = 0;

   u_foreach_bit(i, buffers >> 2) {
      if (sdog_surface_layers(fb->cbufs[i]) > layers)
         deeper |= PIPE_CLEAR_COLOR0 << i;
   }
   if ((buffers & PIPE_CLEAR_DEPTHSTENCIL) && sdog_surface_layers(fb->zsbuf) > layers)
      deeper |= buffers & PIPE_CLEAR_DEPTHSTENCIL;
   return deeper;
}

static void
clear_surface(struct sdog_context *ctx, struct pipe_surface *dst, unsigned buffers,
              const union pipe_color_union *color, double depth, unsigned stencil,
              const struct sundog_rect *rect, bool conditional);

static void
clear_each(struct sdog_context *ctx, unsigned buffers, const struct sundog_rect *rect,
           const union pipe_color_union *color, double depth, unsigned stencil, bool conditional)
{
   struct pipe_framebuffer_state fb = {0};

   /* Keeps references to the surfaces, because clear_surface() binds others. */
   util_copy_framebuffer_state(&fb, &ctx->framebuffer);
   u_foreach_bit(i, buffers >> 2)
      clear_surface(ctx, fb.cbufs[i], PIPE_CLEAR_COLOR0, color, depth, stencil, rect, conditional);
   if (buffers & PIPE_CLEAR_DEPTHSTENCIL)
      clear_surface(ctx, fb.zsbuf, buffers & PIPE_CLEAR_DEPTHSTENCIL, color, depth, stencil, rect,
                    conditional);
   util_unreference_framebuffer_state(&fb);
}

/* With @conditional, the device decides whether to clear. */
static void
clear(struct sdog_context *ctx, unsigned buffers, const struct pipe_scissor_state *scissor,
      const union pipe_color_union *color, double depth, unsigned stencil, bool conditional)
{
   struct sundog_rect rect = clear_rect(&ctx->framebuffer, scissor);
   unsigned deeper;

   buffers = present_buffers(&ctx->framebuffer, buffers);
   /* GL clears all layers of each buffer (OpenGL 4.6, 9.8 Layered Framebuffers), but a rendering
    * only has the layers that all attachments have. */
   deeper = deeper_buffers(&ctx->framebuffer, buffers);
   clear_each(ctx, deeper, &rect, color, depth, stencil, conditional);
   buffers &= ~deeper;
   if (!buffers || !rect.width || !rect.height)
      return;
   if (!conditional && !ctx->rendering && covers_framebuffer(&ctx->framebuffer, scissor)) {
      clear_later(ctx, buffers, color, depth, stencil);
      return;
   }
   if (conditional && !sdog_queries_fit(ctx))
      sdog_batch_flush(ctx);
   sdog_batch_make_room(ctx, attachments_missing(ctx));
   sdog_batch_prepare(ctx, CLEAR_DWORDS);
   if (conditional)
      sdog_condition_prepare(ctx);
   if (!ctx->rendering)
      begin(ctx, false);
   if (conditional)
      sdog_condition_begin(ctx);
   else
      sdog_condition_end(ctx);
   clear_now(ctx, buffers, &rect, color, depth, stencil);
}

/* glClearBufferfv() does not clamp the clear value of float depth buffers (OpenGL 4.6, 17.4.3.1
 * Clearing Individual Buffers), but the device only accepts 0 to 1 (mesa-driver/README.md). */
static double
device_depth(double depth)
{
   return depth > 0 ? MIN2(depth, 1) : 0;
}

static void
sdog_clear(struct pipe_context *pctx, unsigned buffers, const struct pipe_scissor_state *scissor,
           const union pipe_color_union *color, double depth, unsigned stencil)
{
   struct sdog_context *ctx = sdog_context(pctx);

   if (sdog_condition_passes(ctx))
      clear(ctx, buffers, scissor, color, device_depth(depth), stencil,
            sdog_condition_streams(ctx));
}

/* Clears one surface, in a rendering of its own. */
static void
clear_surface(struct sdog_context *ctx, struct pipe_surface *dst, unsigned buffers,
              const union pipe_color_union *color, double depth, unsigned stencil,
              const struct sundog_rect *rect, bool conditional)
{
   struct pipe_framebuffer_state saved = {0}, fb = {.width = dst->width, .height = dst->height};
   struct pipe_scissor_state scissor = {rect->x, rect->y, rect->x + rect->width,
                                        rect->y + rect->height};

   if (buffers & PIPE_CLEAR_DEPTHSTENCIL) {
      fb.zsbuf = dst;
   } else {
      fb.nr_cbufs = 1;
      fb.cbufs[0] = dst;
   }
   util_copy_framebuffer_state(&saved, &ctx->framebuffer);
   sdog_set_framebuffer_state(&ctx->base, &fb);
   clear(ctx, buffers, &scissor, color, depth, stencil, conditional);
   sdog_set_framebuffer_state(&ctx->base, &saved);
   util_unreference_framebuffer_state(&saved);
}

static void
sdog_clear_render_target(struct pipe_context *pctx, struct pipe_surface *dst,
                         const union pipe_color_union *color, unsigned x, unsigned y,
                         unsigned width, unsigned height, bool render_condition)
{
   struct sdog_context *ctx = sdog_context(pctx);

   if (!render_condition || sdog_condition_passes(ctx))
      clear_surface(ctx, dst, PIPE_CLEAR_COLOR0, color, 0, 0,
                    &(struct sundog_rect){x, y, width, height},
                    render_condition && sdog_condition_streams(ctx));
}

static void
sdog_clear_depth_stencil(struct pipe_context *pctx, struct pipe_surface *dst, unsigned flags,
                         double depth, unsigned stencil, unsigned x, unsigned y, unsigned width,
                         unsigned height, bool render_condition)
{
   static const union pipe_color_union no_color;
   struct sdog_context *ctx = sdog_context(pctx);

   if (!render_condition || sdog_condition_passes(ctx))
      clear_surface(ctx, dst, flags, &no_color, device_depth(depth), stencil,
                    &(struct sundog_rect){x, y, width, height},
                    render_condition && sdog_condition_streams(ctx));
}

/* Ends the rendering. Later draws are in another one, which checks all its uses for hazards. */
static void
sdog_texture_barrier(struct pipe_context *pctx, unsigned flags)
{
   struct sdog_context *ctx = sdog_context(pctx);

   sdog_batch_prepare(ctx, 0);
   if (ctx->rendering)
      sdog_render_end(ctx);
   /* A host may skip a barrier between attachments and textures of fragment shaders, which is right
    * only for reads of the fragment's own texel. */
   if (flags & PIPE_TEXTURE_BARRIER_SAMPLER)
      sdog_barrier_all(ctx);
}

void
sdog_init_render_functions(struct pipe_context *pctx)
{
   pctx->set_framebuffer_state = sdog_set_framebuffer_state;
   pctx->clear = sdog_clear;
   pctx->texture_barrier = sdog_texture_barrier;
   pctx->clear_render_target = sdog_clear_render_target;
   pctx->clear_depth_stencil = sdog_clear_depth_stencil;
}
