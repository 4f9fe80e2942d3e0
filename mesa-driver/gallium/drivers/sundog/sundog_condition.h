/* SPDX-License-Identifier: MIT */
/*
 * Conditional rendering. Where the result of the query is there, the CPU looks at it and leaves out
 * what is not to be drawn. Else the device decides: it computes the value of the query, and what is
 * drawn stands between the begin and the end of a condition, inside a rendering. The CPU waits for
 * results that the device cannot compute, and for blits that are no draws.
 */
#ifndef SUNDOG_CONDITION_H
#define SUNDOG_CONDITION_H

#include <stdbool.h>

#include "pipe/p_defines.h"

struct pipe_context;
struct pipe_query;
struct sdog_context;

struct sdog_condition {
   /* NULL: draw. */
   struct pipe_query *query;
   /* Draw if the result is zero, and not if it is something else. */
   bool inverted;
   enum pipe_render_cond_flag mode;
   /* What came out, when the result was there. */
   bool known;
   bool passed;
   /* It was begun in the stream. */
   bool open;
};

/* Are conditional draws, clears and blits to be done, as far as one knows? */
bool
sdog_condition_passes(struct sdog_context *ctx);

/* Does the device decide? */
bool
sdog_condition_streams(const struct sdog_context *ctx);

/* The same as sdog_condition_passes(), and now one knows. This may submit what was emitted. */
bool
sdog_condition_wait(struct sdog_context *ctx);

/* Before the rendering or the dispatch that a condition is for: see sdog_query_value_make(). */
void
sdog_condition_prepare(struct sdog_context *ctx);

/* What is emitted from here on is done if the condition passes, or always. */
void
sdog_condition_begin(struct sdog_context *ctx);
void
sdog_condition_end(struct sdog_context *ctx);

/* @query goes away: if it is the condition, look at its result now. */
void
sdog_condition_settle(struct sdog_context *ctx, const struct pipe_query *query);

void
sdog_init_condition_functions(struct pipe_context *pctx);

#endif
