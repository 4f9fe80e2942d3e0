/* SPDX-License-Identifier: MIT */
/* Conditional rendering: the CPU looks at the result of the query. */
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
};

/* Are conditional draws, clears and blits to be done? This may submit what was emitted. */
bool
sdog_condition_passes(struct sdog_context *ctx);

/* @query goes away: if it is the condition, look at its result now. */
void
sdog_condition_settle(struct sdog_context *ctx, const struct pipe_query *query);

void
sdog_init_condition_functions(struct pipe_context *pctx);

#endif
