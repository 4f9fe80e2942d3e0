/* SPDX-License-Identifier: MIT */
/* Small state: viewports, scissors, multisampling and patches. The state tracker calls the pipe
 * functions, draws the emit functions. Runs on the context's thread. */
#include "sundog_state.h"

#include "sundog_blend.h"
#include "sundog_context.h"
#include "sundog_rasterizer.h"
#include "sundog_screen.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"

static void
sdog_set_viewport_states(struct pipe_context *pctx, unsigned start, unsigned count,
                         const struct pipe_viewport_state *states)
{
   struct sdog_context *ctx = sdog_context(pctx);

   memcpy(&ctx->viewports[start], states, count * sizeof(*states));
   ctx->dirty |= SDOG_DIRTY_VIEWPORT;
}

static void
sdog_set_scissor_states(struct pipe_context *pctx, unsigned start, unsigned count,
                        const struct pipe_scissor_state *states)
{
   struct sdog_context *ctx = sdog_context(pctx);

   memcpy(&ctx->scissors[start], states, count * sizeof(*states));
   ctx->dirty |= SDOG_DIRTY_SCISSOR;
}

static void
sdog_set_sample_mask(struct pipe_context *pctx, unsigned mask)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->sample_mask = mask;
   ctx->dirty |= SDOG_DIRTY_MULTISAMPLE;
}

/* The device does not accept empty viewports; a viewport of this width draws nothing. */
#define MIN_VIEWPORT_WIDTH 0x1p-16f
/* Limit on the distance of a viewport's edges from the origin. */
#define MAX_VIEWPORT_BOUND 32768.0f

/* Returns the start of [at, at + size), moved to be inside the device's bounds; @size may be
 * negative. Neither a framebuffer nor a viewport is larger than half of the bounds. A viewport that
 * is moved was therefore outside of the framebuffer, and remains there. */
static float
bound_viewport(float at, float size)
{
   return CLAMP(at, -MAX_VIEWPORT_BOUND - MIN2(size, 0.0f),
                MAX_VIEWPORT_BOUND - MAX2(size, 0.0f));
}

static struct sundog_viewport
viewport_packet(const struct pipe_viewport_state *vp, bool halfz)
{
   /* Clip space depth begins at -1 or at 0. */
   const float near_z = halfz ? 0.0f : -1.0f;

   /* A negative height flips y, as in Vulkan. */
   return (struct sundog_viewport){
      .x = bound_viewport(vp->translate[0] - vp->scale[0], vp->scale[0] * 2.0f),
      .y = bound_viewport(vp->translate[1] - vp->scale[1], vp->scale[1] * 2.0f),
      .width = MAX2(vp->scale[0] * 2.0f, MIN_VIEWPORT_WIDTH),
      .height = vp->scale[1] * 2.0f,
      .min_depth = CLAMP(vp->translate[2] + vp->scale[2] * near_z, 0.0f, 1.0f),
      .max_depth = CLAMP(vp->translate[2] + vp->scale[2], 0.0f, 1.0f),
   };
}

void
sdog_viewports_emit(struct sdog_context *ctx)
{
   struct sundog_cmd_set_viewports cmd = {.count = ctx->num_viewports};
   struct sundog_viewport viewports[SUNDOG_MAX_VIEWPORTS];

   for (unsigned i = 0; i < cmd.count; i++)
      viewports[i] = viewport_packet(&ctx->viewports[i], ctx->clip_halfz);
   sundog_emit_set_viewports(ctx->batch.stream, &cmd, viewports);
}

static struct sundog_rect
scissor_rect(const struct pipe_framebuffer_state *fb, const struct pipe_scissor_state *scissor)
{
   unsigned maxx = MIN2(scissor->maxx, fb->width), maxy = MIN2(scissor->maxy, fb->height);
   unsigned x = MIN2(scissor->minx, maxx), y = MIN2(scissor->miny, maxy);

   return (struct sundog_rect){x, y, maxx - x, maxy - y};
}

void
sdog_scissors_emit(struct sdog_context *ctx)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   struct sundog_cmd_set_scissors cmd = {.count = ctx->num_viewports};
   struct sundog_rect rects[SUNDOG_MAX_VIEWPORTS];

   for (unsigned i = 0; i < cmd.count; i++)
      rects[i] = ctx->rasterizer->base.scissor ? scissor_rect(fb, &ctx->scissors[i])
                                               : (struct sundog_rect){0, 0, fb->width, fb->height};
   sundog_emit_set_scissors(ctx->batch.stream, &cmd, rects);
}

bool
sdog_draws_whole_pixels(const struct sdog_context *ctx)
{
   return !ctx->rasterizer->base.multisample &&
          (sdog_screen(ctx->base.screen)->caps->features & SUNDOG_FEATURE_WHOLE_PIXELS) &&
          util_framebuffer_get_num_samples(&ctx->framebuffer) > 1;
}

void
sdog_multisample_emit(struct sdog_context *ctx)
{
   const struct pipe_blend_state *blend = &ctx->blend->base;
   bool whole = sdog_draws_whole_pixels(ctx);
   struct sundog_cmd_set_multisample cmd = {
      .flags = (blend->alpha_to_coverage ? SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_COVERAGE : 0) |
               (blend->alpha_to_one && !whole ? SUNDOG_MULTISAMPLE_FLAG_ALPHA_TO_ONE : 0) |
               (whole ? SUNDOG_MULTISAMPLE_FLAG_WHOLE_PIXELS : 0),
      .samples = util_framebuffer_get_num_samples(&ctx->framebuffer),
      .mask = ctx->sample_mask,
   };

   sundog_emit_set_multisample(ctx->batch.stream, &cmd);
}

static void
sdog_set_min_samples(struct pipe_context *pctx, unsigned min_samples)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->min_samples = min_samples;
   ctx->dirty |= SDOG_DIRTY_SHADER_KEY;
}

static void
sdog_set_patch_vertices(struct pipe_context *pctx, uint8_t patch_vertices)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->patch_vertices = patch_vertices;
   ctx->dirty |= SDOG_DIRTY_PATCH | SDOG_DIRTY_SHADER_KEY;
}

static void
sdog_set_tess_state(struct pipe_context *pctx, const float outer[4], const float inner[2])
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_constants *levels = &ctx->tess_levels;

   pipe_resource_reference(&levels->buffer, NULL);
   memcpy(levels->data, outer, 4 * sizeof(float));
   memcpy(levels->data + 4, inner, 2 * sizeof(float));
   levels->size = 8 * sizeof(float);
   ctx->dirty |= SDOG_DIRTY_CONSTANTS << SUNDOG_STAGE_TESS_CTRL;
}

void
sdog_patch_emit(struct sdog_context *ctx)
{
   /* The origin of GL's tessellation domain is at the lower left. */
   struct sundog_cmd_set_patch cmd = {
      .vertices = MAX2(ctx->patch_vertices, 1),
      .origin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT,
   };

   if (ctx->variants[SUNDOG_STAGE_TESS_EVAL])
      sundog_emit_set_patch(ctx->batch.stream, &cmd);
}

void
sdog_sample_position(unsigned count, unsigned index, float *out)
{
   /* The standard sample locations of Vulkan (26.4 Multisampling), in sixteenths. */
   static const uint8_t places[][2] = {
      {8, 8},
      {12, 12}, {4, 4},
      {6, 2}, {14, 6}, {2, 10}, {10, 14},
      {9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1},
      {9, 9}, {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
      {6, 14}, {8, 1}, {4, 2}, {2, 12}, {0, 8}, {15, 4}, {14, 15}, {1, 0},
   };
   /* The locations of a power of two samples begin behind those of fewer samples. */
   const uint8_t *place = places[count < 2 ? 0 : count > 16 ? 15 + index % 16 : count - 1 + index];

   out[0] = place[0] / 16.0f;
   out[1] = place[1] / 16.0f;
}

static void
sdog_get_sample_position(struct pipe_context *pctx, unsigned count, unsigned index, float *out)
{
   sdog_sample_position(count, index, out);
}

/* Nothing to do: vertex shaders clip, because caps.clip_planes is 0. */
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
   pctx->set_min_samples = sdog_set_min_samples;
   pctx->set_patch_vertices = sdog_set_patch_vertices;
   pctx->set_tess_state = sdog_set_tess_state;
   pctx->set_clip_state = sdog_set_clip_state;
   pctx->get_sample_position = sdog_get_sample_position;
}
