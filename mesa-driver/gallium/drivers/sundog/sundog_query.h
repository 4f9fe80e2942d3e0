/* SPDX-License-Identifier: MIT */
/*
 * Queries. The device adds up in memory what its submissions counted; it has one counter of each
 * kind, which all queries of that kind share: whenever one begins or ends, the counter goes on in
 * another place, and the result of a query is the sum of the places that it was active for.
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
   /* One for each vertex stream. */
   SDOG_COUNTER_PRIMITIVES,
   SDOG_COUNTER_FEEDBACK = SDOG_COUNTER_PRIMITIVES + SUNDOG_MAX_STREAMS,
   SDOG_COUNTER_STATISTICS = SDOG_COUNTER_FEEDBACK + SUNDOG_MAX_STREAMS,
   /* Statistics of fragments, while polygons are drawn again in the mode of their back faces. */
   SDOG_COUNTER_BACK_FRAGMENTS,
   SDOG_NUM_COUNTERS,
};

/* But those of back faces alone. */
#define SDOG_COUNTERS_ALL BITFIELD_MASK(SDOG_COUNTER_BACK_FRAGMENTS)
/* What counts dispatches, too. */
#define SDOG_COUNTERS_OF_DISPATCHES BITFIELD_BIT(SDOG_COUNTER_STATISTICS)
/* What counts primitives, and what counts their fragments only. */
#define SDOG_COUNTERS_OF_PRIMITIVES                                                                \
   BITFIELD_RANGE(SDOG_COUNTER_PRIMITIVES, 2 * SUNDOG_MAX_STREAMS + 1)
#define SDOG_COUNTERS_OF_BACK_FACES BITFIELD_BIT(SDOG_COUNTER_BACK_FRAGMENTS)
/* What counts while there is transform feedback. */
#define SDOG_COUNTERS_OF_FEEDBACK BITFIELD_RANGE(SDOG_COUNTER_FEEDBACK, SUNDOG_MAX_STREAMS)

/* Where the device adds or stores a result. */
struct sdog_query_place {
   struct pipe_resource *buffer;
   uint32_t offset;
};

/* In the list of a counter. */
struct sdog_query_link {
   struct list_head list;
   struct sdog_query *query;
};

struct sdog_query {
   /* As many as it has counters: what is asked of any stream has one for each. */
   struct sdog_query_link links[SUNDOG_MAX_STREAMS];
   unsigned type;
   /* Vertex stream, or which of the statistics. */
   unsigned index;
   /* struct sdog_query_place; of time stamps, one each. */
   struct util_dynarray places;
   /* Of PIPE_QUERY_GPU_FINISHED. */
   struct sundog_fence *fence;
   bool active;
   /* In submission @batch, see sundog_query_value.h. */
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
   /* struct sdog_query_link, of the queries that are active. */
   struct list_head queries;
   /* Of all of them since the last began or ended. */
   struct sdog_query_place place;
   /* Its number in the submission being built, while it counts. */
   uint32_t number;
   bool counting;
};

struct sdog_queries {
   struct sdog_counter counters[SDOG_NUM_COUNTERS];
   /* By set_active_query_state(). */
   bool paused;
   /* Memory for the places of submission @batch, which is busy as long as that is; @used bytes of
    * it are taken. */
   struct pipe_resource *buffer;
   uint64_t batch;
   uint32_t used;
};

void
sdog_queries_init(struct sdog_context *ctx);
void
sdog_queries_finish(struct sdog_context *ctx);

/* The device counts within one rendering or dispatch only: have counters (bits of
 * sdog_counter_kind) count in a new one, or stop before its end. */
void
sdog_queries_resume(struct sdog_context *ctx, uint32_t kinds);
void
sdog_queries_pause(struct sdog_context *ctx, uint32_t kinds);

/* Is there room in this submission for what the next draw or dispatch counts, and for a value that
 * it depends on? */
bool
sdog_queries_fit(const struct sdog_context *ctx);

/* Is the device done with it? */
bool
sdog_query_is_done(const struct sdog_context *ctx, const struct sdog_query *query);

/* One that counted none, and that nobody deletes. */
struct pipe_query *
sdog_query_of_nothing(void);

void
sdog_init_query_functions(struct pipe_context *pctx);

#endif
