/* SPDX-License-Identifier: MIT */
/*
 * Import and export of memory: dma-bufs, GEM handles, modifiers, memory objects.
 *
 * Resources that are created to be exported are SHARED from the start. Others are moved to SHARED
 * memory at their first export.
 */
#ifndef SUNDOG_SHARE_H
#define SUNDOG_SHARE_H

#include <stdbool.h>

struct pipe_context;
struct pipe_resource;
struct pipe_screen;

/* Returns true if memory can be imported and exported, which requires a kernel driver. */
bool
sdog_can_share(struct pipe_screen *pscreen);

void
sdog_init_share_functions(struct pipe_screen *pscreen);
void
sdog_init_share_context_functions(struct pipe_context *pctx);

#endif
