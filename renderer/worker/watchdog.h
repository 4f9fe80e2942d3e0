/* SPDX-License-Identifier: MIT */
/*
 * Watchdog: ends a worker that makes no progress, because the shader of a batch does not terminate,
 * a shader takes too long to compile, or a packet takes too long to decode.
 *
 * A limit applies to time without progress, not to the whole task: a first frame that compiles
 * twenty large shaders, or a submission of many dispatches, may take as long as it needs. Progress
 * of a batch is anything that the host finishes of it: a command, a run of vertices, a command of a
 * tile, a work group, a compilation (vkGetProgressLVP() of our lavapipe). A compilation in progress
 * extends the batch's limit by up to the compile limit. Progress of decoding is a packet. Other
 * hosts get events between dispatches and renderings (batch_mark()), and a batch gets extra time
 * for the shaders that it is the first to draw with, by their size (batch_note_code()).
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

#include "worker/crash_report.h"

struct worker;

#define WORKER_TIMEOUT 3		/* exit status of a worker that its watchdog ended */

#define COMPILER_THREADS 2

/* Work to watch, as it was when the watchdog first saw it or when its progress last changed. */
struct watched {
	uint64_t since;			/* start of the work, CLOCK_MONOTONIC, ns; 0: none */
	uint64_t progress;		/* progress counter of the work */
	uint64_t wall;			/* watchdog.now at that moment, ns */
	uint64_t cpu, all;		/* CPU time of the work and of the process, then, ns */
};

/* The work of a thread between watchdog_begin() and watchdog_end(). */
struct watch {
	_Atomic uint64_t since;		/* start, CLOCK_MONOTONIC, ns; 0: no work */
	_Atomic uint64_t progress;	/* counts finished parts of the work */
	struct work work;		/* the submission that it is done for */
	pthread_t thread;
	clockid_t clock;		/* CPU clock of the thread */
	atomic_bool is_ready;		/* the thread runs: `clock` may be read */
	struct watched seen;		/* watchdog thread only */
};

struct watchdog {
	uint32_t batch_ms, decode_ms;	/* limits; 0: none */
	pthread_t thread;
	struct watched batch;		/* watchdog thread only */
	/* ns that the watchdog ran, without those in which it was stopped */
	uint64_t now;
	/* CPU time of the host's compilations when `batch` was set, ns */
	uint64_t compiled;
	uint64_t told;			/* sum of all progress counters at the last report */
	struct watch decode;		/* work of the main thread */
	struct watch compile[COMPILER_THREADS];
	pthread_mutex_t lock;
	pthread_cond_t work;
	atomic_bool asleep;
};

/*
 * Starts the watchdog for batches and compilations and for decoding by the calling thread. A limit
 * of 0 ms is none. Returns false on errors.
 */
bool watchdog_init(struct worker *w, uint32_t batch_ms, uint32_t decode_ms);

/*
 * Makes @watch that of the calling thread. Returns false if the thread's CPU clock is not
 * available.
 */
bool watch_init(struct watch *watch);

/*
 * Returns the watch of the calling thread if it does watched work, else NULL. Can be called in
 * signal handlers.
 */
const struct watch *watchdog_own(const struct watchdog *dog);

/* Begin and end watched work. Called by the thread of @watch. */
void watchdog_begin(struct watchdog *dog, struct watch *watch);
void watchdog_end(struct watch *watch);

/* Counts a finished part of the work. Called by the thread of @watch. */
static inline void watch_progress(struct watch *watch)
{
	atomic_store_explicit(&watch->progress, watch->progress + 1, memory_order_relaxed);
}

/* Wakes the watchdog if it sleeps: there is work that it may not have seen. */
void watchdog_wake(struct watchdog *dog);

#endif
