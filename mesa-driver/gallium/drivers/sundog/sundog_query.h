/* SPDX-License-Identifier: MIT */
/*
 * Queries. The device accumulates counts of its submissions in memory. It has one counter of each
 * kind, which all active queries of that kind share. Whenever a query begins or ends, the counter
 * continues at another place in memory. The result of a query is the sum of the places that were in
 * use while it was active.
 */
#ifndef SUNDOG_QUERY_H
#define SUNDOG_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

#include "util/list.h"
#include "util/macros.h"
#include "util/u_dynarray.h"

struct pipe_context;
struct pipe_query;
struct pipe_resource;
struct sdog_context;

enum sdog_counter_kind {
   SDOG_COUNTER_SAMPLES,
   /* One per vertex stream. */
   SDOG_COUNTER_PRIMITIVES,
   SDOG_COUNTER_FEEDBACK = SDOG_COUNTER_PRIMITIVES + SUNDOG_MAX_STREAMS,
   SDOG_COUNTER_STATISTICS = SDOG_COUNTER_FEEDBACK + SUNDOG_MAX_STREAMS,
   /* Fragment statistics of the second pass of draws, see sundog_rasterizer.h. */
   SDOG_COUNTER_BACK_FRAGMENTS,
   SDOG_NUM_COUNTERS,
};

/* All counters except that of the second pass. */
#define SDOG_COUNTERS_ALL BITFIELD_MASK(SDOG_COUNTER_BACK_FRAGMENTS)
/* Counters that run during dispatches. */
#define SDOG_COUNTERS_OF_DISPATCHES BITFIELD_BIT(SDOG_COUNTER_STATISTICS)
/* Counters that are paused in the second pass of a draw, and the one that replaces them. */
#define SDOG_COUNTERS_OF_PRIMITIVES                                                                \
   BITFIELD_RANGE(SDOG_COUNTER_PRIMITIVES, 2 * SUNDOG_MAX_STREAMS + 1)
#define SDOG_COUNTERS_OF_BACK_FACES BITFIELD_BIT(SDOG_COUNTER_BACK_FRAGMENTS)
/* Counters that run only during transform feedback. */
#define SDOG_COUNTERS_OF_FEEDBACK BITFIELD_RANGE(SDOG_COUNTER_FEEDBACK, SUNDOG_MAX_STREAMS)

/* Where the device accumulates or stores a result. */
struct sdog_query_place {
   struct pipe_resource *buffer;
   uint32_t offset;
};

/* Membership of a query in the list of a counter. */
struct sdog_query_link {
   struct list_head list;
   struct sdog_query *query;
};

struct sdog_query {
   /* One per counter of the query; a query of all streams has one counter per stream. */
   struct sdog_query_link links[SUNDOG_MAX_STREAMS];
   unsigned type;
   /* Vertex stream, or index of the statistic. */
   unsigned index;
   /* struct sdog_query_place. A timestamp has one place; elapsed time has two. */
   struct util_dynarray places;
   /* For PIPE_QUERY_GPU_FINISHED. */
   struct sdrm_fence *fence;
   bool active;
   /* Index of the query's value in submission @batch, see sundog_query_value.h. */
   struct {
      uint64_t batch;
      uint32_t number;
   } value;
};

static inline struct sdog_query *
sdog_query(struct pipe_query *pquery)
{
   return (struct sdog_query *)pquery;
}

struct sdog_counter {
   /* struct sdog_query_link of the active queries. */
   struct list_head queries;
   /* The current place, used since the set of active queries last changed. */
   struct sdog_query_place place;
   /* Query index in the submission being built, valid while @counting. */
   uint32_t number;
   bool counting;
};

struct sdog_queries {
   struct sdog_counter counters[SDOG_NUM_COUNTERS];
   /* Set by set_active_query_state(). */
   bool paused;
   /* Buffer for the places of submission @batch, which is busy as long as that submission; @used is
    * in bytes. */
   struct pipe_resource *buffer;
   uint64_t batch;
   uint32_t used;
};

void
sdog_queries_init(struct sdog_context *ctx);
void
sdog_queries_finish(struct sdog_context *ctx);

/* Starts and stops counters, as a mask of sdog_counter_kind bits. The device counts within a single
 * rendering or dispatch, so counters must be stopped before its end and started in the next. */
void
sdog_queries_resume(struct sdog_context *ctx, uint32_t kinds);
void
sdog_queries_pause(struct sdog_context *ctx, uint32_t kinds);

/* Returns true if the submission has room for the counters of the next draw or dispatch, and for a
 * query value that it depends on. */
bool
sdog_queries_fit(const struct sdog_context *ctx);

/* Returns true if the result is available without flushing or waiting. */
bool
sdog_query_is_done(const struct sdog_context *ctx, const struct sdog_query *query);

/* Returns a static query with the result zero, which must not be destroyed. */
struct pipe_query *
sdog_query_of_nothing(void);

void
sdog_init_query_functions(struct pipe_context *pctx);

#endif
