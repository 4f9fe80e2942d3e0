/* SPDX-License-Identifier: MIT */
/* Blits: as copies, by the device's packet, or drawn. */
#ifndef SUNDOG_BLIT_H
#define SUNDOG_BLIT_H

struct pipe_context;

void
sdog_init_blit_functions(struct pipe_context *pctx);

#endif
