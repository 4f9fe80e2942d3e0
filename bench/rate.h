/* SPDX-License-Identifier: MIT */
/*
 * Measures a rate: a program does slices of work until the time is over. The results are printed as
 * JSON, which bench.py reads.
 */
#ifndef BENCH_RATE_H
#define BENCH_RATE_H

#include <stdbool.h>
#include <stddef.h>

struct rate {
	double seconds, start, now, done;
};

/* Returns the time in seconds since some point in the past. */
double rate_now(void);
struct rate rate_begin(double seconds);
/* Adds the work of a slice. Returns false if the time is over. */
bool rate_add(struct rate *rate, double done);
void rate_print(const struct rate *rate, const char *group, const char *name);

/*
 * Copies @size bytes @times times by the CPU, to compare transfers with. Returns the MB that it
 * copied.
 */
double rate_memcpy(void *to, const void *from, size_t size, unsigned int times);

#endif
