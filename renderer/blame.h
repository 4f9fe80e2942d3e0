/* SPDX-License-Identifier: MIT */
/*
 * Whose work it was: a worker that ends before its client does says whose submission it was at, if it can, so that
 * contexts which merely had work there are not held responsible. The channel enters FAULT; the broker tells all that
 * the worker ended, as ever.
 *
 * It is said by the watchdog, and by the thread that crashes, in its signal handler. Nobody says it when the kernel or
 * the broker kills the worker, nor when a thread has no stack left, or is one of the host's that blocks the signal
 * (Mesa's block all but SIGSEGV), nor if it is the work of a channel that is in FAULT already. A worker that was taken
 * over can name any channel of its client.
 */
#ifndef BLAME_H
#define BLAME_H

#include <stdatomic.h>
#include <stdint.h>

#include "sundog_messages.h"

struct worker;

/* A submission. Those that look at it are other threads, or the handler. */
struct work {
	_Atomic uint32_t channel;
	_Atomic uint64_t serial;	/* of the channel, among all that there were */
	_Atomic uint64_t seqno;		/* 0: it is none */
};

struct blame {
	/* Serials of the channels that may enter FAULT, as the broker sees it; 0: this one may not. */
	_Atomic uint64_t running[SUNDOG_MAX_CHANNELS];
	atomic_flag told;
};

static inline void work_set(struct work *work, const struct work *of)
{
	work->channel = of->channel;
	work->serial = of->serial;
	work->seqno = of->seqno;
}

/* The worker ends because of @work: tell the broker, once. Any thread. */
void blame_tell(struct worker *w, const struct work *work, enum sundog_fault_code fault, uint64_t arg);

/* Likewise when it crashes, from now on. */
void blame_crashes(struct worker *w);

#endif
