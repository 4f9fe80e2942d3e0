/* SPDX-License-Identifier: MIT */
/* Transfers: the CPU's access to resources, which are mapped directly where that needs no wait. */
#ifndef SUNDOG_TRANSFER_H
#define SUNDOG_TRANSFER_H

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;
struct sdog_resource;

/* Waits until the CPU can read the memory of @rsc, or with @write, write it. May flush the
 * submission. */
void
sdog_resource_wait(struct sdog_context *ctx, struct sdog_resource *rsc, bool write);

void
sdog_init_transfer_functions(struct pipe_context *pctx);

#endif
