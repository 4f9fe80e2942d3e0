/* SPDX-License-Identifier: MIT */
/*
 * Contexts that the device has stopped executing.
 *
 * A client is a context of the device (struct sdrm_context), which one worker of the renderer
 * executes. If the worker ended, the Gallium context continues with a new client: it has the same
 * memory, and creates its objects again when they are next needed (sundog_object.h). The queued
 * submissions are lost, except for uploads (sundog_upload.h). A program that asked for reset
 * notification gets it, and has to create a new context itself (OpenGL 4.6, 2.3.2 Graphics Reset
 * Recovery).
 */
#ifndef SUNDOG_LOSS_H
#define SUNDOG_LOSS_H

#include <stdbool.h>

#include <sundog.h>

#include "pipe/p_defines.h"
#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_loss {
   /* The program asked for reset notification, so the context is never renewed. */
   bool notifies;
   /* PIPE_NO_RESET until the context is found to be lost for good. */
   enum pipe_reset_status status;
   /* The status was returned to the program. */
   bool told;
   struct pipe_device_reset_callback callback;
   /* @over: the context is being destroyed, and losses are ignored. @client_gone: its client had
    * ended when that began. */
   bool over;
   bool client_gone;
   /* Weighted number of clients lost in close succession. */
   unsigned strikes;
   /* @queued counts the submissions of the current client. @milestones are the fences of those
    * whose completion resets the strikes: for an ended worker, and for a hang. */
   unsigned queued;
   struct sdrm_fence *milestones[2];
};

/* Called at the start of the context's destruction. Losses after it are ignored. */
void
sdog_loss_finish(struct sdog_context *ctx);

/* Checks whether the context was lost. If so, renews it or records and reports the loss, once.
 * @error is the result of the last submission, 0 or -errno: a failed submission loses the context,
 * too, because the objects that it would have created are missing. Must be called while the
 * submission being built has no packets. */
void
sdog_loss_check(struct sdog_context *ctx, int error);

/* Returns true if the context is known to be lost for good. */
bool
sdog_loss_is_final(const struct sdog_context *ctx);

/* Returns true if the client ended, and all its objects with it. A context that faulted because of
 * a refused command keeps its client. */
bool
sdog_loss_client_is_gone(const struct sdog_context *ctx);

/* Called after a submission was queued with @fence, or could not be queued (NULL). */
void
sdog_loss_queued(struct sdog_context *ctx, struct sdrm_fence *fence);

void
sdog_init_loss_functions(struct pipe_context *pctx);

#endif
