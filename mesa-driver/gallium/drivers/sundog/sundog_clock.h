/* SPDX-License-Identifier: MIT */
/*
 * The device's clock: the host's, from which the guest's differs. The time that the screen tells
 * is on the device's time line, so that programs can compare the two.
 */
#ifndef SUNDOG_CLOCK_H
#define SUNDOG_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct pipe_screen;
struct sdog_screen;

bool
sdog_clock_exists(const struct sdog_screen *screen);

/* A time stamp of the device in nanoseconds. */
uint64_t
sdog_clock_ns(const struct sdog_screen *screen, uint64_t ticks);

void
sdog_init_clock_functions(struct pipe_screen *pscreen);

#endif
