/* SPDX-License-Identifier: MIT */
/*
 * Ends a worker whose host does not get on: a batch that heads the queue for too long, because a shader of
 * it does not end, or a shader that is hard to compile, or a stream that takes too long to be decoded.
 *
 * Too long is a time that has passed, and in which the worker, or the thread that decodes or compiles, had as much of
 * the CPUs: where others leave it less, it takes longer. A worker that waits for something and has none ends in the
 * end, too. Where the host makes code of shaders when a batch draws with them, and tells what that takes, it is not the
 * batch's time: that takes as long as compiling may, and then the rest begins to count.
 *
 * It is a thread of its own, as all others may be what does not end. It looks a few times a second while
 * there is work, and sleeps when there is none. All channels of the client become DEAD with TIMEOUT; the one whose
 * work it was is named (blame.h).
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

/* Something that may take too long. */
struct watched {
	uint64_t since;			/* as it was when it was first seen */
	uint64_t cpu;			/* time of @clock at that moment, ns */
};

/* What a thread does between watchdog_begin() and watchdog_end(). */
struct watch {
	_Atomic uint64_t since;		/* CLOCK_MONOTONIC, ns; 0: nothing */
	struct work work;		/* that it is done for */
	pthread_t thread;
	clockid_t clock;		/* CPU time that it takes */
	struct watched seen;		/* the watchdog's own */
};

struct watchdog {
	uint32_t batch_ms, decode_ms;	/* limits; 0: none */
	pthread_t thread;
	struct watched batch;		/* the thread's own */
	uint64_t compiled;		/* what the host had compiled when it saw that batch first, ns */
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

/* There is work, which it may not have seen. */
void watchdog_wake(struct watchdog *dog);

#endif
