/* SPDX-License-Identifier: MIT */
/* State that is small enough to need no object: viewport, scissor, sample mask and the like. */
#ifndef SUNDOG_STATE_H
#define SUNDOG_STATE_H

struct pipe_context;

void
sundog_init_state_functions(struct pipe_context *pctx);

#endif
