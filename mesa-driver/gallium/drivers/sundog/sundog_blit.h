/* SPDX-License-Identifier: MIT */
/* Blits: copies, packets of the device, or draws. */
#ifndef SUNDOG_BLIT_H
#define SUNDOG_BLIT_H

struct pipe_context;

void
sdog_init_blit_functions(struct pipe_context *pctx);

#endif
