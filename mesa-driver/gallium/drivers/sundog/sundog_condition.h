/* SPDX-License-Identifier: MIT */
/*
 * Conditional rendering. If the query's result is available, the CPU reads it and skips the
 * conditional commands. Otherwise the device decides: it computes the value of the query, and the
 * commands are emitted between the begin and the end of a condition, inside a rendering. The CPU
 * waits for results that the device cannot compute, and before blits that are not draws.
 */
#ifndef SUNDOG_CONDITION_H
#define SUNDOG_CONDITION_H

#include <stdbool.h>

#include "pipe/p_defines.h"

struct pipe_context;
struct pipe_query;
struct sdog_context;

struct sdog_condition {
   /* NULL: unconditional. */
   struct pipe_query *query;
   /* Draw if the result is zero, instead of if it is not zero. */
   bool inverted;
   enum pipe_render_cond_flag mode;
   /* @known: the CPU has read the result; @passed is then the outcome. */
   bool known;
   bool passed;
   /* A begin_condition packet was emitted in the stream, and its end was not. */
   bool open;
};

/* Returns false if conditional draws, clears and blits must be skipped. Returns true if they must
 * be done, or if the result is not available without waiting or flushing. */
bool
sdog_condition_passes(struct sdog_context *ctx);

/* Returns true if the device decides the condition. */
bool
sdog_condition_streams(const struct sdog_context *ctx);

/* As sdog_condition_passes(), but first waits for the result if the condition's mode says so. May
 * flush the submission. */
bool
sdog_condition_wait(struct sdog_context *ctx);

/* Called before the rendering or the dispatch that the condition applies to: see
 * sdog_query_value_make(). */
void
sdog_condition_prepare(struct sdog_context *ctx);

/* Between these calls, emitted commands are executed only if the condition passes. Without a
 * condition that the device decides, they do nothing. */
void
sdog_condition_begin(struct sdog_context *ctx);
void
sdog_condition_end(struct sdog_context *ctx);

/* Called before @query is deleted: if it is the condition, reads its result now. */
void
sdog_condition_settle(struct sdog_context *ctx, const struct pipe_query *query);

void
sdog_init_condition_functions(struct pipe_context *pctx);

#endif
