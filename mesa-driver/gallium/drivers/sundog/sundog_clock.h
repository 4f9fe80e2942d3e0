/* SPDX-License-Identifier: MIT */
/*
 * The device's clock, which is the host's and differs from the guest's.
 * pipe_screen::get_timestamp() returns times of the device's clock, so that programs can compare
 * them with timestamp queries.
 */
#ifndef SUNDOG_CLOCK_H
#define SUNDOG_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct pipe_screen;
struct sdog_screen;

bool
sdog_clock_exists(const struct sdog_screen *screen);

/* Converts a timestamp of the device to nanoseconds. */
uint64_t
sdog_clock_ns(const struct sdog_screen *screen, uint64_t ticks);

void
sdog_init_clock_functions(struct pipe_screen *pscreen);

#endif
