/* SPDX-License-Identifier: MIT */
/* Implements pipe_screen::get_timestamp by measuring the offset between the clocks of CPU and
 * device. Called from any thread; sdog_screen::clock_lock protects the result. */
#include "sundog_clock.h"

#include <time.h>

#include "pipe/p_context.h"
#include "sundog_screen.h"
#include "util/macros.h"
#include "util/os_time.h"

/* Number of measurements. The first one includes one-time initialization. On a loaded machine many
 * are too imprecise, so more are made, up to MAX_MEASUREMENTS, until the uncertainty is below
 * CLOSE_ENOUGH. */
#define MEASUREMENTS 4
#define MAX_MEASUREMENTS 32

#define NS_PER_S 1000000000ll
#define CLOSE_ENOUGH (NS_PER_S / 4000)
/* A smaller change of the suspend time is within the error of slept(). In nanoseconds. */
#define MAX_SLEPT (NS_PER_S / 100)

bool
sdog_clock_exists(const struct sdog_screen *screen)
{
   return screen->caps->timestamp_period > 0.0f;
}

uint64_t
sdog_clock_ns(const struct sdog_screen *screen, uint64_t ticks)
{
   /* A double cannot represent all bits of a clock that has run for months. */
   if (screen->caps->timestamp_period == 1.0f)
      return ticks;
   return ticks * (double)screen->caps->timestamp_period;
}

/* Narrows the interval [@low, @high] that contains the offset of the device's clock from the CPU's:
 * the device writes the timestamp between the two reads of the CPU's clock. */
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

/* Returns true if measurements succeeded, but their uncertainty is too large. */
static bool
is_wide(int64_t low, int64_t high)
{
   return low != INT64_MIN && high - low > CLOSE_ENOUGH;
}

/* Measures the offset of the device's clock from the CPU's in nanoseconds. Returns false if no
 * context could be created or it was lost. */
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
   /* Offset 0 is possible, so assume that the host and the guest read the same clock. */
   *lead = low <= 0 && high >= 0 ? 0 : low + (high - low) / 2;
   return true;
}

/* Returns how long this machine was suspended since boot, in nanoseconds; the device's clock
 * continues meanwhile. The error is the time between the two clock reads. */
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
