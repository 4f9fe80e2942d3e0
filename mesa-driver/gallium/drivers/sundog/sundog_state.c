/* SPDX-License-Identifier: MIT */
#include "sundog_state.h"

#include "sundog_context.h"

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

/* The vertex shader clips: caps.clip_planes is 0. */
static void
sdog_set_clip_state(struct pipe_context *pctx, const struct pipe_clip_state *state)
{
}

void
sundog_init_state_functions(struct pipe_context *pctx)
{
   pctx->set_viewport_states = sdog_set_viewport_states;
   pctx->set_scissor_states = sdog_set_scissor_states;
   pctx->set_sample_mask = sdog_set_sample_mask;
   pctx->set_clip_state = sdog_set_clip_state;
}
