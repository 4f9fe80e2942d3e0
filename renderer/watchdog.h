/* SPDX-License-Identifier: MIT */
/*
 * Ends a worker that makes no progress: a batch whose shader does not end, a shader that takes too long to compile, or a
 * packet that takes too long to decode.
 *
 * A limit is a time without progress, not a time for the whole: a first frame that compiles twenty large shaders, or a
 * submission of many dispatches, takes as long as it takes. Progress of a batch is what the host finishes of it: a
 * command, a run of vertices, a command of a tile, a work group, a compilation (vkGetProgressLVP() of our lavapipe). A
 * compilation that is under way gets up to the compile limit on top of the batch's. Progress of decoding is a packet.
 * Other hosts get events between dispatches and renderings (batch_mark()), and a batch gets time on top for the shaders
 * that it is the first to draw with, by their size (batch_note_code()).
 *
 * A limit has passed when the wall clock and the CPU time of whoever does the work have both passed it: where others
 * leave the worker less of the CPUs, it takes longer. A batch's CPU time is that of all threads but the two that check
 * shaders, which may do so for other contexts. A worker that does next to nothing is ended after PATIENCE times the limit
 * of the wall clock. The wall clock stands still while all of the worker is stopped.
 *
 * The sum is not bounded here: clients share the CPUs (spawn.c gives each worker a scheduler group where the kernel has
 * them), and the guest's kernel has a bound of its own for a job. The watchdog tells that kernel of progress by the
 * `progress` field of the channels' status pages.
 *
 * The watchdog is a thread of its own, as any other thread may be the one that does not end. It looks a few times a
 * second while there is work, and sleeps when there is none. All channels of the client become DEAD with TIMEOUT; the
 * channel whose work it was is named (blame.h).
 *
 * What it watches belongs to the worker: one that was taken over can do without it, and burn its own CPU time
 * with or without batches. It is the messages that a worker owes the broker that have deadlines there.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "blame.h"

struct worker;

#define WORKER_TIMEOUT 3		/* exit status of a worker that was ended here */

#define COMPILER_THREADS 2

/* Work that may make no progress, as it was when it was seen first or when its progress changed last. */
struct watched {
	uint64_t since;			/* when the work began, CLOCK_MONOTONIC, ns; 0: there was none */
	uint64_t progress;		/* the counter of what is finished of it */
	uint64_t wall;			/* the watchdog's `now` at that moment, ns */
	uint64_t cpu, all;		/* CPU time at that moment of whoever does the work, and of the process, ns */
};

/* What a thread does between watchdog_begin() and watchdog_end(). */
struct watch {
	_Atomic uint64_t since;		/* CLOCK_MONOTONIC, ns; 0: nothing */
	_Atomic uint64_t progress;	/* counts up when a part of it is finished */
	struct work work;		/* that it is done for */
	pthread_t thread;
	clockid_t clock;		/* CPU time that it takes */
	atomic_bool is_ready;		/* the thread has begun: `clock` may be read */
	struct watched seen;		/* the watchdog's own */
};

struct watchdog {
	uint32_t batch_ms, decode_ms;	/* limits; 0: none */
	pthread_t thread;
	struct watched batch;		/* the thread's own */
	uint64_t now;			/* ns that it was there to watch, without those in which it was stopped */
	uint64_t compiled;		/* CPU time that the host had compiled for when `batch` was filled in, ns */
	uint64_t told;			/* sum of all counters of progress when the channels were told last */
	struct watch decode;		/* the main thread's */
	struct watch compile[COMPILER_THREADS];
	pthread_mutex_t lock;
	pthread_cond_t work;
	atomic_bool asleep;
};

/* Watch batches, decoding by this thread and compiling from now on; 0 ms is no limit. */
bool watchdog_init(struct worker *w, uint32_t batch_ms, uint32_t decode_ms);

/* @watch is of this thread from now on. */
bool watch_init(struct watch *watch);

/* The watch of this thread, if it does something that is watched; or NULL. Signal handlers, too. */
const struct watch *watchdog_own(const struct watchdog *dog);

/* The thread whose @watch it is. */
void watchdog_begin(struct watchdog *dog, struct watch *watch);
void watchdog_end(struct watch *watch);

/* A part of what @watch is about is finished; its own thread calls. */
static inline void watch_progress(struct watch *watch)
{
	atomic_store_explicit(&watch->progress, watch->progress + 1, memory_order_relaxed);
}

/* There is work, which it may not have seen. */
void watchdog_wake(struct watchdog *dog);

#endif
