/* SPDX-License-Identifier: MIT */
/*
 * Query results that the device uses itself. The device computes a value from the counters in
 * memory when the stream says so. The value can be written to a buffer (sundog_query.c) or decide
 * whether commands are executed (sundog_condition.c). A submission has a limited number of values,
 * so all uses of a query share one.
 */
#ifndef SUNDOG_QUERY_VALUE_H
#define SUNDOG_QUERY_VALUE_H

#include <stdbool.h>
#include <stdint.h>

struct sdog_context;
struct sdog_query;

/* Returns true if the device can compute the value. */
bool
sdog_query_value_exists(const struct sdog_context *ctx, const struct sdog_query *query);

/* Returns true if the value was computed in the submission being built. */
bool
sdog_query_value_is_there(const struct sdog_context *ctx, const struct sdog_query *query);

/* Emits the computation of the value, which must exist, unless the submission has done it already.
 * May end the rendering; flushes the submission if sdog_queries_fit() is false. */
void
sdog_query_value_make(struct sdog_context *ctx, struct sdog_query *query);

#endif
