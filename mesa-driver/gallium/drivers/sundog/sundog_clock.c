/* SPDX-License-Identifier: MIT */
#include "sundog_clock.h"

#include <time.h>

#include "pipe/p_context.h"
#include "sundog_screen.h"
#include "util/macros.h"
#include "util/os_time.h"

/* The first of them starts what others find running. On a busy machine many take too long to say
 * much: more of them are taken there, until some was close enough. */
#define MEASUREMENTS 4
#define MAX_MEASUREMENTS 32

#define NS_PER_S 1000000000ll
#define CLOSE_ENOUGH (NS_PER_S / 4000)
/* What is taken for sleep is more than that. */
#define MAX_SLEPT (NS_PER_S / 100)

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

/* Some were taken, and left much open. */
static bool
is_wide(int64_t low, int64_t high)
{
   return low != INT64_MIN && high - low > CLOSE_ENOUGH;
}

/* False: it has no context for that, or lost it. */
static bool
measure_lead(struct pipe_screen *pscreen, int64_t *lead)
{
   struct pipe_context *pctx = pscreen->context_create(pscreen, NULL, 0);
   struct pipe_query *query = pctx ? pctx->create_query(pctx, PIPE_QUERY_TIMESTAMP, 0) : NULL;
   int64_t low = INT64_MIN, high = INT64_MAX;

   for (unsigned i = 0; query && i < MAX_MEASUREMENTS; i++) {
      if (i >= MEASUREMENTS && !is_wide(low, high))
         break;
      measure(pctx, query, &low, &high);
   }
   if (query)
      pctx->destroy_query(pctx, query);
   if (pctx)
      pctx->destroy(pctx);
   if (low == INT64_MIN)
      return false;
   /* It may be the same clock. */
   *lead = low <= 0 && high >= 0 ? 0 : low + (high - low) / 2;
   return true;
}

/* How long this machine slept so far, while the device's clock went on: in ns, but for some that pass
 * between two looks. */
static int64_t
slept(void)
{
   struct timespec all, awake;

   clock_gettime(CLOCK_MONOTONIC, &awake);
   clock_gettime(CLOCK_BOOTTIME, &all);
   return (all.tv_sec - awake.tv_sec) * NS_PER_S + all.tv_nsec - awake.tv_nsec;
}

static uint64_t
sdog_get_timestamp(struct pipe_screen *pscreen)
{
   struct sdog_screen *screen = sdog_screen(pscreen);
   int64_t lead, asleep = slept();

   simple_mtx_lock(&screen->clock_lock);
   if (!screen->clock_known || asleep - screen->clock_slept > MAX_SLEPT) {
      screen->clock_known = measure_lead(pscreen, &screen->clock_lead);
      screen->clock_slept = asleep;
   }
   lead = screen->clock_lead;
   simple_mtx_unlock(&screen->clock_lock);
   return os_time_get_nano() + lead;
}

void
sdog_init_clock_functions(struct pipe_screen *pscreen)
{
   pscreen->get_timestamp = sdog_get_timestamp;
}
