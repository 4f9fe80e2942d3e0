/* SPDX-License-Identifier: MIT */
/* Contexts that the device does not work for any more, and what the program is told of that. */
#ifndef SUNDOG_LOSS_H
#define SUNDOG_LOSS_H

#include <stdbool.h>

#include "pipe/p_defines.h"
#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_loss {
   /* PIPE_NO_RESET until it is noticed. */
   enum pipe_reset_status status;
   /* The program asked, and knows. */
   bool told;
   struct pipe_device_reset_callback callback;
};

/* Look whether the context is lost, and say so once. @error: of a submission, 0 or -errno; one
 * that could not be queued had objects in it that are missing from now on, so it costs the
 * context, too. */
void
sdog_loss_check(struct sdog_context *ctx, int error);

void
sdog_init_loss_functions(struct pipe_context *pctx);

#endif
