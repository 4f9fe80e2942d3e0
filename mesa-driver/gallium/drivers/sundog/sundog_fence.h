/* SPDX-License-Identifier: MIT */
/* Fences: the completion of submissions. */
#ifndef SUNDOG_FENCE_H
#define SUNDOG_FENCE_H

#include "util/u_inlines.h"

struct pipe_context;
struct pipe_screen;

void
sdog_init_fence_screen_functions(struct pipe_screen *pscreen);
void
sdog_init_fence_functions(struct pipe_context *pctx);

#endif
