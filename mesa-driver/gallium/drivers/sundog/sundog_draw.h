/* SPDX-License-Identifier: MIT */
/*
 * Draws: emit the state that changed since the last draw, then the draw. struct sdog_draw is what
 * sundog_draw.c passes to the files that turn a draw into others (sundog_loops.h, sundog_edges.h,
 * sundog_indirect.h). All of it runs on the context's thread.
 */
#ifndef SUNDOG_DRAW_H
#define SUNDOG_DRAW_H

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

/**
 * The arguments of a call of pipe_context::draw_vbo(), or of a part of its draws.
 *
 * Owner: the stack of sdog_draw_vbo(), and that of draw_all() for a part. Lifetime: until that call
 * returns; nothing keeps a pointer to the structure, nor to a structure that it points to.
 */
struct sdog_draw {
   /** The context that draws. Functions with a const struct sdog_draw change the context. */
   struct sdog_context *ctx;
   const struct pipe_draw_info *info;
   /** The buffers that have the arguments, or NULL if @draws has them. */
   const struct pipe_draw_indirect_info *indirect;
   /** @num_draws ranges of vertices or indices: 1 for an indirect draw, which does not read it. */
   const struct pipe_draw_start_count_bias *draws;
   unsigned num_draws;
   /** gl_DrawID of the first draw. */
   unsigned first_id;
};

/** Returns gl_DrawID of draw @i of @draw. */
static inline unsigned
sdog_draw_id(const struct sdog_draw *draw, unsigned i)
{
   return draw->first_id + (draw->info->increment_draw_id ? i : 0);
}

void
sdog_init_draw_functions(struct pipe_context *pctx);

#endif
