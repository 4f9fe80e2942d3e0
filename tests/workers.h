/* SPDX-License-Identifier: MIT */
/* The renderer's workers, for tests that end them. */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdbool.h>
#include <stdint.h>

/* Kill the workers that have a client of the renderer of this test (SUNDOG_RENDERD), and wait until they are
 * gone; their number. */
int workers_kill(void);

/* Likewise the one of the client that came last; in a guest, too, where the host is asked to. */
bool workers_kill_youngest(void);

/* Have that one crash when it has been at what it was told for a while. */
bool workers_crash_youngest(void);

/* Nanoseconds of CPU time that they took so far. */
int64_t workers_cpu_ns(void);

/* KiB of memory that the renderer of this test has for itself, broker and workers. */
long renderer_memory_kib(void);

/* Stop that one, so that it has to do what it is told next when it is killed. */
bool workers_stop_youngest(void);

#endif
