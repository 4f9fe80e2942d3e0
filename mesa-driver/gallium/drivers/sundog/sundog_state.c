/* SPDX-License-Identifier: MIT */
#include "sundog_state.h"

#include "sundog_blend.h"
#include "sundog_context.h"
#include "sundog_rasterizer.h"
#include "util/u_framebuffer.h"

static void
sdog_set_viewport_states(struct pipe_context *pctx, unsigned start, unsigned count,
                         const struct pipe_viewport_state *states)
{
   struct sdog_context *ctx = sdog_context(pctx);

   if (start)
      return;
   ctx->viewport = states[0];
   ctx->dirty |= SDOG_DIRTY_VIEWPORT;
}

static void
sdog_set_scissor_states(struct pipe_context *pctx, unsigned start, unsigned count,
                        const struct pipe_scissor_state *states)
{
   struct sdog_context *ctx = sdog_context(pctx);

   if (start)
      return;
   ctx->scissor = states[0];
   ctx->dirty |= SDOG_DIRTY_SCISSOR;
}

static void
sdog_set_sample_mask(struct pipe_context *pctx, unsigned mask)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->sample_mask = mask;
   ctx->dirty |= SDOG_DIRTY_MULTISAMPLE;
}

/* The device has no empty viewport; nothing is drawn to one this narrow. */
#define MIN_VIEWPORT_WIDTH 0x1p-16f
/* No side of a viewport is farther from the origin than this. */
#define MAX_VIEWPORT_BOUND 32768.0f

/* Where [at, at + size) begins when it is moved to within the device's bounds; @size may be
 * negative. No framebuffer reaches farther than half of them and no viewport is larger than that,
 * so what is moved was outside of the framebuffer and still is. */
static float
bound_viewport(float at, float size)
{
   return CLAMP(at, -MAX_VIEWPORT_BOUND - MIN2(size, 0.0f),
                MAX_VIEWPORT_BOUND - MAX2(size, 0.0f));
}

void
sdog_viewport_emit(struct sdog_context *ctx)
{
   const struct pipe_viewport_state *vp = &ctx->viewport;
   struct sundog_cmd_set_viewports cmd = {.count = 1};
   /* A height below zero flips y, as it does in Vulkan. */
   struct sundog_viewport viewport = {
      .x = bound_viewport(vp->translate[0] - vp->scale[0], vp->scale[0] * 2.0f),
      .y = bound_viewport(vp->translate[1] - vp->scale[1], vp->scale[1] * 2.0f),
      .width = MAX2(vp->scale[0] * 2.0f, MIN_VIEWPORT_WIDTH),
      .height = vp->scale[1] * 2.0f,
      .min_depth = CLAMP(vp->translate[2] - vp->scale[2], 0.0f, 1.0f),
      .max_depth = CLAMP(vp->translate[2] + vp->scale[2], 0.0f, 1.0f),
   };

   sundog_emit_set_viewports(ctx->batch.stream, &cmd, &viewport);
}

void
sdog_scissor_emit(struct sdog_context *ctx)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   struct sundog_cmd_set_scissors cmd = {.count = 1};
   struct sundog_rect rect = {0, 0, fb->width, fb->height};

   if (ctx->rasterizer->base.scissor) {
      unsigned maxx = MIN2(ctx->scissor.maxx, fb->width);
      unsigned maxy = MIN2(ctx->scissor.maxy, fb->height);

      rect.x = MIN2(ctx->scissor.minx, maxx);
      rect.y = MIN2(ctx->scissor.miny, maxy);
      rect.width = maxx - rect.x;
      rect.height = maxy - rect.y;
   }
   sundog_emit_set_scissors(ctx->batch.stream, &cmd, &rect);
}

void
sdog_multisample_emit(struct sdog_context *ctx)
{
   const struct pipe_blend_state *blend = &ctx->blend->base;
   struct sundog_cmd_set_multisample cmd = {
      .flags = (blend->alpha_to_coverage ? SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_COVERAGE : 0) |
               (blend->alpha_to_one ? SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_ONE : 0),
      .samples = util_framebuffer_get_num_samples(&ctx->framebuffer),
      .mask = ctx->sample_mask,
   };

   sundog_emit_set_multisample(ctx->batch.stream, &cmd);
}

/* Standard locations, as Vulkan has them. */
static void
sdog_get_sample_position(struct pipe_context *pctx, unsigned count, unsigned index, float *out)
{
   static const float four[4][2] = {
      {0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f},
   };

   out[0] = count == 4 ? four[index][0] : 0.5f;
   out[1] = count == 4 ? four[index][1] : 0.5f;
}

/* The vertex shader clips: caps.clip_planes is 0. */
static void
sdog_set_clip_state(struct pipe_context *pctx, const struct pipe_clip_state *state)
{
}

void
sdog_init_state_functions(struct pipe_context *pctx)
{
   pctx->set_viewport_states = sdog_set_viewport_states;
   pctx->set_scissor_states = sdog_set_scissor_states;
   pctx->set_sample_mask = sdog_set_sample_mask;
   pctx->set_clip_state = sdog_set_clip_state;
   pctx->get_sample_position = sdog_get_sample_position;
}
