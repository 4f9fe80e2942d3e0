/* SPDX-License-Identifier: MIT */
/*
 * Work with a time limit: decoding of a packet, compilation of a shader. The thread that does the
 * work marks its begin, its progress and its end here, and the watchdog thread (worker/watchdog.h)
 * reads the marks.
 */
#ifndef EXEC_WATCH_H
#define EXEC_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define COMPILER_THREADS 2

/*
 * A submission. Other threads and the signal handler of crash reports read it, therefore the fields
 * are atomic.
 */
struct work {
	_Atomic uint32_t channel;
	_Atomic uint64_t serial;	/* serial of the channel in this worker */
	_Atomic uint64_t seqno;		/* 0: no submission */
};

static inline void work_set(struct work *work, const struct work *of)
{
	work->channel = of->channel;
	work->serial = of->serial;
	work->seqno = of->seqno;
}

/* Work to watch, as it was when the watchdog first saw it or when its progress last changed. */
struct watched {
	uint64_t since;			/* start of the work, CLOCK_MONOTONIC, ns; 0: none */
	uint64_t progress;		/* progress counter of the work */
	uint64_t wall;			/* watchdog.now at that moment, ns */
	uint64_t cpu, all;		/* CPU time of the work and of the process, then, ns */
};

/* The work of a thread between watch_begin() and watch_end(). */
struct watch {
	_Atomic uint64_t since;		/* start, CLOCK_MONOTONIC, ns; 0: no work */
	_Atomic uint64_t progress;	/* counts finished parts of the work */
	struct work work;		/* the submission that it is done for */
	pthread_t thread;
	clockid_t clock;		/* CPU clock of the thread */
	atomic_bool is_ready;		/* the thread runs: `clock` may be read */
	struct watched seen;		/* watchdog thread only */
};

struct watches {
	uint32_t decode_ms;		/* limit of decoding and of compilations; 0: none */
	struct watch decode;		/* work of the main thread */
	struct watch compile[COMPILER_THREADS];
	pthread_mutex_t lock;
	pthread_cond_t work;
	atomic_bool asleep;		/* the watchdog sleeps until there is work */
};

/*
 * Prepares @watches; the calling thread is the one that decodes. A limit of 0 ms is none. Returns
 * false if the CPU clock of the thread is not available.
 */
bool watches_init(struct watches *watches, uint32_t decode_ms);

/*
 * Makes @watch that of the calling thread. Returns false if the thread's CPU clock is not
 * available.
 */
bool watch_init(struct watch *watch);

/*
 * Returns the watch of the calling thread if it does watched work, else NULL. Can be called in
 * signal handlers.
 */
const struct watch *watches_own(const struct watches *watches);

/* Begin and end watched work. Called by the thread of @watch. */
void watch_begin(struct watches *watches, struct watch *watch);
void watch_end(struct watch *watch);

/* Counts a finished part of the work. Called by the thread of @watch. */
static inline void watch_progress(struct watch *watch)
{
	atomic_store_explicit(&watch->progress, watch->progress + 1, memory_order_relaxed);
}

/* Wakes the watchdog if it sleeps: there is work that it may not have seen. */
void watches_wake(struct watches *watches);

#endif
