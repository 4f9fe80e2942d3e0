/* SPDX-License-Identifier: MIT */
/*
 * Watchdog: ends a worker that makes no progress, because the shader of a batch does not terminate,
 * a shader takes too long to compile, or a packet takes too long to decode.
 *
 * A limit applies to time without progress, not to the whole task: a first frame that compiles
 * twenty large shaders, or a submission of many dispatches, may take as long as it needs. Progress
 * of a batch is anything that the host finishes of it: a command, a run of vertices, a command of a
 * tile, a work group, a compilation (get_progress() of our lavapipe). Progress of decoding is a
 * packet. Other hosts get events between dispatches and renderings (batch_mark()), and a batch gets
 * extra time for the shaders that it is the first to draw with, by their size (batch_note_code()).
 *
 * The CPU time of our lavapipe's compilations is no execution time of a batch. Each compilation has
 * a limit of its own, in CPU time of the thread that compiles. So a batch may compile any number of
 * shaders, on any number of threads, as long as each of them is within its limit.
 *
 * A limit is exceeded when both the wall clock and the CPU time of the threads that do the work
 * have exceeded it, so a worker that gets less CPU time has longer. The CPU time of a batch is that
 * of all threads except the two that check shaders, which may do so for other contexts. A worker
 * that uses almost no CPU time is ended after PATIENCE times the limit of the wall clock. The wall
 * clock does not advance while the whole worker is stopped.
 *
 * The total is not limited here: clients share the CPUs (spawn.c gives each worker a scheduler
 * group where the kernel has them), and the guest's kernel has a limit of its own for a job. The
 * watchdog reports progress to that kernel in the `progress` field of the channels' status pages.
 *
 * The watchdog is a separate thread, since any other thread may be the one that hangs. It checks a
 * few times a second while there is work, and sleeps otherwise. All channels of the client become
 * DEAD with TIMEOUT; a crash report names the channel of the work (crash_report.h).
 *
 * A hijacked worker can disable its watchdog and burn its own CPU time with or without batches. The
 * broker enforces its own deadlines only for the messages that a worker must answer.
 */
#ifndef WORKER_WATCHDOG_H
#define WORKER_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "exec/watch.h"

struct worker;

struct watchdog {
	uint32_t batch_ms;		/* limit of batches; 0: none */
	pthread_t thread;
	struct watched batch;		/* watchdog thread only */
	/* ns that the watchdog ran, without those in which it was stopped */
	uint64_t now;
	uint64_t told;			/* sum of all progress counters at the last report */
};

/*
 * Starts the watchdog for batches, which may take @batch_ms (0: any time) without progress, and for
 * the watches of w->exec, which are initialized. Returns false on errors.
 */
bool watchdog_init(struct worker *w, uint32_t batch_ms);

#endif
