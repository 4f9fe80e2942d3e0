/* SPDX-License-Identifier: MIT */
/* Compute dispatches. They run outside renderings and have state of their own. */
#ifndef SUNDOG_COMPUTE_H
#define SUNDOG_COMPUTE_H

struct pipe_context;

void
sdog_init_compute_functions(struct pipe_context *pctx);

#endif
