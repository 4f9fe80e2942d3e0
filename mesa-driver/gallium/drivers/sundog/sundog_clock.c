/* SPDX-License-Identifier: MIT */
#include "sundog_clock.h"

#include "pipe/p_context.h"
#include "sundog_screen.h"
#include "util/macros.h"
#include "util/os_time.h"

/* The first of them starts what others find running. */
#define MEASUREMENTS 4

bool
sdog_clock_exists(const struct sdog_screen *screen)
{
   return screen->caps->timestamp_period > 0.0f;
}

uint64_t
sdog_clock_ns(const struct sdog_screen *screen, uint64_t ticks)
{
   /* A double does not have all bits of a clock that runs for months. */
   if (screen->caps->timestamp_period == 1.0f)
      return ticks;
   return ticks * (double)screen->caps->timestamp_period;
}

/* Narrow down by how much the device's clock is ahead of the CPU's: a time stamp is between the
 * times before and after it. */
static void
measure(struct pipe_context *pctx, struct pipe_query *query, int64_t *low, int64_t *high)
{
   union pipe_query_result stamp = {0};
   int64_t before = os_time_get_nano(), after;

   pctx->end_query(pctx, query);
   if (!pctx->get_query_result(pctx, query, true, &stamp) || !stamp.u64)
      return;
   after = os_time_get_nano();
   *low = MAX2(*low, (int64_t)stamp.u64 - after);
   *high = MIN2(*high, (int64_t)stamp.u64 - before);
}

static int64_t
measure_lead(struct pipe_screen *pscreen)
{
   struct pipe_context *pctx = pscreen->context_create(pscreen, NULL, 0);
   struct pipe_query *query = pctx ? pctx->create_query(pctx, PIPE_QUERY_TIMESTAMP, 0) : NULL;
   int64_t low = INT64_MIN, high = INT64_MAX;

   for (unsigned i = 0; query && i < MEASUREMENTS; i++)
      measure(pctx, query, &low, &high);
   if (query)
      pctx->destroy_query(pctx, query);
   if (pctx)
      pctx->destroy(pctx);
   /* It may be the same clock. */
   if (low <= 0 && high >= 0)
      return 0;
   return low + (high - low) / 2;
}

static uint64_t
sdog_get_timestamp(struct pipe_screen *pscreen)
{
   struct sdog_screen *screen = sdog_screen(pscreen);

   simple_mtx_lock(&screen->clock_lock);
   if (!screen->clock_known)
      screen->clock_lead = measure_lead(pscreen);
   screen->clock_known = true;
   simple_mtx_unlock(&screen->clock_lock);
   return os_time_get_nano() + screen->clock_lead;
}

void
sdog_init_clock_functions(struct pipe_screen *pscreen)
{
   pscreen->get_timestamp = sdog_get_timestamp;
}
