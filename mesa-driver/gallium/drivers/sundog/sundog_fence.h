/* SPDX-License-Identifier: MIT */
/* Fences: when a submission is done. */
#ifndef SUNDOG_FENCE_H
#define SUNDOG_FENCE_H

#include "util/u_inlines.h"

struct pipe_context;
struct pipe_fence_handle;
struct pipe_screen;
struct sundog_fence;

/* Takes over @fence; NULL is a fence that has signalled. */
struct pipe_fence_handle *
sdog_fence_create(struct sundog_fence *fence);

void
sdog_init_fence_screen_functions(struct pipe_screen *pscreen);
void
sdog_init_fence_functions(struct pipe_context *pctx);

#endif
