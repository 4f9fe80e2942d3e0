/* SPDX-License-Identifier: MIT */
/*
 * How much of something is done in a second: slices of it, until the time is over. Prints JSON, which bench.py reads.
 */
#ifndef BENCH_RATE_H
#define BENCH_RATE_H

#include <stdbool.h>
#include <stddef.h>

struct rate {
	double seconds, start, now, done;
};

struct rate rate_begin(double seconds);
/* So much more was done; false: the time is over. */
bool rate_add(struct rate *rate, double done);
void rate_print(const struct rate *rate, const char *group, const char *name);

/* What the CPU does alone, to compare transfers with: MB that it has copied. */
double rate_memcpy(void *to, const void *from, size_t size, unsigned int times);

#endif
