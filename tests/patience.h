/* SPDX-License-Identifier: MIT */
/*
 * How long tests wait for what should come: a bound and no measure, for a machine that stands still at times.
 */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define PATIENCE_MS 120000

/* When to give up, from now on: ns of CLOCK_MONOTONIC, as sundog_fence_wait() takes them. */
static inline int64_t patience_end(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec + PATIENCE_MS * 1000000ll;
}

/* A moment's pause between two looks; false when it is time to give up. */
static inline bool patience_pause(int64_t end)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return patience_end() - end < PATIENCE_MS * 1000000ll;
}

#endif
