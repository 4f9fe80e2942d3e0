/* SPDX-License-Identifier: MIT */
/*
 * Counts, stops and ends worker processes of the renderer SUNDOG_RENDERD, for tests of their loss.
 */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Kills all workers that have a client and waits until the renderer has reaped them. Returns their
 * number.
 */
int workers_kill(void);

/*
 * Kills the worker of the newest client and waits as workers_kill() does. In a guest, asks the host
 * (tools/guest/ask) to kill it. Returns false if there is none.
 */
bool workers_kill_youngest(void);

/* Sends SIGSEGV to the worker of the newest client after it has worked for a while. */
bool workers_crash_youngest(void);

/* Returns the CPU time that the workers have used, in ns. */
int64_t workers_cpu_ns(void);

/* Returns the anonymous memory (RssAnon) of the broker and its workers, in KiB. */
long renderer_memory_kib(void);

/*
 * Stops the worker of the newest client with SIGSTOP, so that it has unfinished work when it is
 * killed.
 */
bool workers_stop_youngest(void);

#endif
