/* SPDX-License-Identifier: MIT */
/*
 * Results of queries that the device works with itself: it computes a value of them where the
 * stream asks for it, which goes to buffers (sundog_query.c) and decides whether it draws
 * (sundog_condition.c). A submission has just so many values, so a query has one for all uses.
 */
#ifndef SUNDOG_QUERY_VALUE_H
#define SUNDOG_QUERY_VALUE_H

#include <stdbool.h>
#include <stdint.h>

struct sdog_context;
struct sdog_query;

/* Can the device compute it? */
bool
sdog_query_value_exists(const struct sdog_context *ctx, const struct sdog_query *query);

/* Has it, in the submission being built? */
bool
sdog_query_value_is_there(const struct sdog_context *ctx, const struct sdog_query *query);

/* Have it compute the value, which exists, unless it is there. This may end the rendering, and
 * submit what was emitted unless sdog_queries_fit(). */
void
sdog_query_value_make(struct sdog_context *ctx, struct sdog_query *query);

#endif
