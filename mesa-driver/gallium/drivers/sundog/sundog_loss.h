/* SPDX-License-Identifier: MIT */
/*
 * Contexts that the device does not work for any more. Where it is the renderer's worker that
 * ended, a context goes on with another client of the device: it has the same memory, and objects
 * are made again when they are next needed (sundog_object.h). What was queued is lost. A program
 * that asked to be told of resets is told, and begins anew itself.
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
   /* The program wants to know, and nothing else. */
   bool notifies;
   /* PIPE_NO_RESET until it is noticed that it is lost for good. */
   enum pipe_reset_status status;
   /* The program asked, and knows. */
   bool told;
   struct pipe_device_reset_callback callback;
   /* Whatever happens now does not matter; and had its client ended then? */
   bool over;
   bool client_gone;
   /* Clients that were lost one soon after the other, hangs counted several times. */
   unsigned strikes;
   /* Submissions of the current client; and the fences of those after which it was no longer soon,
    * if the client ended or hung. */
   unsigned queued;
   struct sundog_fence *milestones[2];
};

/* The context is about to end. */
void
sdog_loss_finish(struct sdog_context *ctx);

/* Look whether the context is lost, and have it go on with another client or say so, once. @error:
 * of a submission, 0 or -errno; one that could not be queued had objects in it that are missing
 * from now on, so it costs the context, too. The submission being built has no packets. */
void
sdog_loss_check(struct sdog_context *ctx, int error);

/* Is it lost for good, as far as was noticed? */
bool
sdog_loss_is_final(const struct sdog_context *ctx);

/* Did its client end, and all objects with it? Not so where a command was refused. */
bool
sdog_loss_client_is_gone(const struct sdog_context *ctx);

/* A submission was queued, with @fence; or could not be, NULL. */
void
sdog_loss_queued(struct sdog_context *ctx, struct sundog_fence *fence);

void
sdog_init_loss_functions(struct pipe_context *pctx);

#endif
