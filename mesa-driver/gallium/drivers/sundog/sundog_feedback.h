/* SPDX-License-Identifier: MIT */
/*
 * Transform feedback. The first draw that captures begins it on the device, and it ends with the
 * rendering at the latest. A counter on the device holds the number of bytes captured by each
 * target; the next capture resumes there, and draws can take their vertex count from it.
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
   /* Room of the target when it was last used, and the size of a vertex, both in bytes. */
   uint64_t size;
   uint32_t stride;
   /* Capturing resumes at the counter. If false, it restarts at the begin of the target. */
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

/* Passes the uses of the targets that the next draw writes, and of @count (or NULL), from which it
 * takes its vertex count, to sdog_use_for_draw(). */
void
sdog_feedback_order(struct sdog_context *ctx, struct pipe_stream_output_target *count);

/* Begins transform feedback if the draw captures anything. The state of the draw must have been
 * emitted. */
void
sdog_feedback_begin(struct sdog_context *ctx);
void
sdog_feedback_end(struct sdog_context *ctx);

/* Draws as many vertices as were captured in @count. */
void
sdog_feedback_draw(struct sdog_context *ctx, struct pipe_stream_output_target *count,
                   unsigned num_instances, unsigned first_instance);

/* Returns the number of vertices captured in @count. The CPU waits for the result. */
uint32_t
sdog_feedback_count(struct sdog_context *ctx, struct pipe_stream_output_target *count);

/* Must be called when the memory of @rsc changed. */
void
sdog_feedback_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc);

void
sdog_init_feedback_functions(struct pipe_context *pctx);

#endif
