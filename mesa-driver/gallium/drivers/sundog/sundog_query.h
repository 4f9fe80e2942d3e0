/* SPDX-License-Identifier: MIT */
/* Occlusion queries: the device adds up in memory what its submissions counted. */
#ifndef SUNDOG_QUERY_H
#define SUNDOG_QUERY_H

#include <stdbool.h>

struct pipe_context;
struct sdog_context;

/* The device counts within one rendering only: begin to count in a new one, or stop before its
 * end. */
void
sdog_queries_resume(struct sdog_context *ctx);
void
sdog_queries_pause(struct sdog_context *ctx);

/* Is there room for the active queries in this submission? */
bool
sdog_queries_fit(const struct sdog_context *ctx);

void
sdog_queries_finish(struct sdog_context *ctx);

void
sdog_init_query_functions(struct pipe_context *pctx);

#endif
