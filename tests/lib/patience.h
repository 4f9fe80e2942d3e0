/* SPDX-License-Identifier: MIT */
/*
 * Timeout of tests for events that have to come. It is no performance limit: it is long, because
 * the machine may stall for some time.
 */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define PATIENCE_MS 120000

/*
 * Returns the deadline of a wait that starts now: ns of CLOCK_MONOTONIC, as sdrm_fence_wait()
 * takes it.
 */
static inline int64_t patience_end(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec + PATIENCE_MS * 1000000ll;
}

/* Sleeps for 1 ms between two polls. Returns false after deadline @end. */
static inline bool patience_pause(int64_t end)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return patience_end() - end < PATIENCE_MS * 1000000ll;
}

#endif
