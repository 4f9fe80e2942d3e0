/* SPDX-License-Identifier: MIT */
/* Draws: emit the state that changed since the last draw, then the draw. */
#ifndef SUNDOG_DRAW_H
#define SUNDOG_DRAW_H

struct pipe_context;

void
sdog_init_draw_functions(struct pipe_context *pctx);

#endif
