/* SPDX-License-Identifier: MIT */
/*
 * Memory that comes from elsewhere or goes there: dma-bufs, GEM handles, modifiers, memory
 * objects.
 *
 * What the API may export is made SHARED from the start; what it exports all the same is moved to
 * SHARED memory, once.
 */
#ifndef SUNDOG_SHARE_H
#define SUNDOG_SHARE_H

#include <stdbool.h>

struct pipe_context;
struct pipe_resource;
struct pipe_screen;

/* Is there a way for memory to come and go? Not without a kernel driver. */
bool
sdog_can_share(struct pipe_screen *pscreen);

void
sdog_init_share_functions(struct pipe_screen *pscreen);
void
sdog_init_share_context_functions(struct pipe_context *pctx);

#endif
