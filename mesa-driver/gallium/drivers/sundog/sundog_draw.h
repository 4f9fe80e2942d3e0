/* SPDX-License-Identifier: MIT */
/* Draws: emit what changed since the last one, then the draw. */
#ifndef SUNDOG_DRAW_H
#define SUNDOG_DRAW_H

struct pipe_context;

void
sdog_init_draw_functions(struct pipe_context *pctx);

#endif
