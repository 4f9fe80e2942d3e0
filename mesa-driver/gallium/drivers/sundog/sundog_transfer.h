/* SPDX-License-Identifier: MIT */
/* Transfers: the CPU's access to resources, in place wherever nobody has to wait for it. */
#ifndef SUNDOG_TRANSFER_H
#define SUNDOG_TRANSFER_H

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;
struct sdog_resource;

/* Wait until the CPU may read (or with @write, write) the memory of @rsc. */
void
sdog_resource_wait(struct sdog_context *ctx, struct sdog_resource *rsc, bool write);

void
sdog_init_transfer_functions(struct pipe_context *pctx);

#endif
