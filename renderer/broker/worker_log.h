/* SPDX-License-Identifier: MIT */
/*
 * The log output of a worker: its stderr is a pipe that the broker's event thread reads, so that a
 * worker has no descriptor of the log. Lines of the worker's own code, of libraries and of a
 * hijacked worker are treated alike: each gets a prefix, is escaped, and counts against a limit.
 *
 * A worker that exceeds the limit is not read until its period ends. Its pipe fills up, and it
 * loses what it writes then: the pipe is non-blocking, so neither the worker nor the broker waits.
 * With --log debug the broker reads everything and the pipe blocks.
 */
#ifndef BROKER_WORKER_LOG_H
#define BROKER_WORKER_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "broker/event_source.h"
#include "ipc/log.h"

/* lines of a worker in LOG_PERIOD_MS; fits a sanitizer report */
#define WORKER_LOG_BURST 100
#define WORKER_LOG_BURST_ALL 200		/* lines of all workers in LOG_PERIOD_MS */
#define WORKER_LOG_LINE 1024		/* bytes; longer lines are split */

struct worker_log {
	struct event_source source;		/* read end of the pipe; fd -1: closed */
	int64_t resume_ms;		/* not read until then; 0: it is read */
	struct log_limit limit;
	size_t used;
	char line[WORKER_LOG_LINE];		/* an incomplete line */
};

/* Makes the pipe and watches it. Returns the worker's end, or -1 with errno set. */
int worker_log_begin(struct worker_log *o, void *owner);

/*
 * Reads once and writes the complete lines to the log, after @prefix. Calls worker_log_end() at the
 * end of the file.
 */
void worker_log_read(struct worker_log *o, const char *prefix);

/*
 * Resumes reading a paused pipe when its time has come. Returns when that will be, 0 if it is not
 * paused.
 */
int64_t output_resume(struct worker_log *o, int64_t now_ms);

/* Reads the rest and closes the pipe. */
void worker_log_end(struct worker_log *o, const char *prefix);

#endif
