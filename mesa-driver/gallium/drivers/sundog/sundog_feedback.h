/* SPDX-License-Identifier: MIT */
/*
 * Transform feedback. The device is told of it by the first draw that writes some, and ends it
 * with the rendering, at the latest; a counter of the device for each target says how far it is
 * filled, for what is written or drawn next.
 */
#ifndef SUNDOG_FEEDBACK_H
#define SUNDOG_FEEDBACK_H

#include <stdbool.h>

#include <sundog.h>

#include "pipe/p_state.h"
#include "sundog_object.h"

struct pipe_context;
struct sdog_context;
struct sdog_resource;

struct sdog_feedback_target {
   struct pipe_stream_output_target base;
   struct sdog_object counter;
   /* How much room it had when it was used last, and bytes of a vertex there. */
   uint64_t size;
   uint32_t stride;
   /* It says how far the target is filled; if not, the next vertex is the first. */
   bool resumes;
};

struct sdog_feedback {
   struct pipe_stream_output_target *targets[SUNDOG_MAX_FEEDBACK_BUFFERS];
   unsigned num_targets;
   /* Between begin_feedback and end_feedback. */
   bool on;
};

static inline struct sdog_feedback_target *
sdog_feedback_target(struct pipe_stream_output_target *ptarget)
{
   return (struct sdog_feedback_target *)ptarget;
}

/* Order what the next draw writes, or takes its count from (@count, or NULL), after its other
 * uses, ending the rendering if it takes a barrier. */
void
sdog_feedback_order(struct sdog_context *ctx, struct pipe_stream_output_target *count);

/* Begin it for a draw whose state was emitted, if there is something to write. */
void
sdog_feedback_begin(struct sdog_context *ctx);
void
sdog_feedback_end(struct sdog_context *ctx);

/* As many vertices as were written to @count. */
void
sdog_feedback_draw(struct sdog_context *ctx, struct pipe_stream_output_target *count,
                   unsigned num_instances, unsigned first_instance);

/* How many those are. The CPU waits for it. */
uint32_t
sdog_feedback_count(struct sdog_context *ctx, struct pipe_stream_output_target *count);

/* The memory of @rsc changed. */
void
sdog_feedback_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc);

void
sdog_init_feedback_functions(struct pipe_context *pctx);

#endif
