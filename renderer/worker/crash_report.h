/* SPDX-License-Identifier: MIT */
/*
 * Crash report of a worker: a worker that ends before its client does reports which submission it
 * was executing, if it can, so that other contexts with work in the worker are not held
 * responsible. The channel of that submission enters FAULT; the broker reports the end of the
 * worker to all channels, as always.
 *
 * The watchdog sends the report, or the crashing thread in its signal handler. There is none if the
 * kernel or the broker kills the worker, if a thread has no stack left, if a thread of the host
 * driver blocks the signal (Mesa's threads block all but SIGSEGV), or if the channel is in FAULT
 * already. A hijacked worker can name any channel of its client.
 */
#ifndef WORKER_CRASH_REPORT_H
#define WORKER_CRASH_REPORT_H

#include <stdatomic.h>
#include <stdint.h>

#include "exec/watch.h"
#include "sundog_messages.h"

struct worker;

struct crash_report {
	/*
	 * Serial of each channel that may enter FAULT according to the broker; 0: the channel may
	 * not.
	 */
	_Atomic uint64_t running[SUNDOG_MAX_CHANNELS];
	atomic_flag told;
};

/*
 * Reports that the worker ends because of @work, unless there was a report before. Any thread, and
 * signal handlers.
 */
void crash_report_send(struct worker *w, const struct work *work, enum sundog_fault_code fault,
		       uint64_t arg);

/* Installs signal handlers that make this report when the worker crashes. */
void crash_report_on_signals(struct worker *w);

#endif
