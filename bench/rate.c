// SPDX-License-Identifier: MIT
/* Rates of bench programs, see rate.h. */
#include "rate.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

double rate_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

struct rate rate_begin(double seconds)
{
	const double now = rate_now();

	return (struct rate){ .seconds = seconds, .start = now, .now = now };
}

bool rate_add(struct rate *rate, double done)
{
	rate->done += done;
	rate->now = rate_now();
	return rate->now - rate->start < rate->seconds;
}

void rate_print(const struct rate *rate, const char *group, const char *name)
{
	printf("{\"group\": \"%s\", \"name\": \"%s\", \"value\": %.1f}\n", group, name,
	       rate->done / (rate->now - rate->start));
	fflush(stdout);
}

double rate_memcpy(void *to, const void *from, size_t size, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		memcpy(to, from, size);
		__asm__ volatile("" : : "r"(to) : "memory");
	}
	return times * (double)size / 1e6;
}
