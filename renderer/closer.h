/* SPDX-License-Identifier: MIT */
/*
 * Closing what others made. It can take as long as they like (a socket that lingers, a file in FUSE), or as
 * Linux needs for gigabytes of memory: it is done in threads, and the broker goes on.
 */
#ifndef CLOSER_H
#define CLOSER_H

#include <stdbool.h>
#include <stddef.h>

/* Who has descriptors closed: counted, since closing goes on when it is gone. */
struct closing;

/* NULL: out of memory. */
struct closing *closing_new(void);
void closing_put(struct closing *who);
/* Is so much of its closed that nothing more should come from there? */
bool closing_is_slow(const struct closing *who);

/* Close @n descriptors, in a while. Those that are -1 do not count. @who may be NULL. */
void close_later_for(struct closing *who, const int *fds, int n);

static inline void close_later(const int *fds, int n)
{
	close_later_for(NULL, fds, n);
}

/* Are so many at it that nobody new should come? Who comes and goes makes that of them, too, for a moment. */
bool closers_are_busy(void);
/* Were they for a second, without half of them being done? Then somebody has them wait. */
bool closers_are_stuck(void);

#endif
