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
#define OUTPUT_BURST 100
#define OUTPUT_BURST_ALL 200		/* lines of all workers in LOG_PERIOD_MS */
#define OUTPUT_LINE 1024		/* bytes; longer lines are split */

struct output {
	struct source source;		/* read end of the pipe; fd -1: closed */
	int64_t resume_ms;		/* not read until then; 0: it is read */
	struct log_limit limit;
	size_t used;
	char line[OUTPUT_LINE];		/* an incomplete line */
};

/* Makes the pipe and watches it. Returns the worker's end, or -1 with errno set. */
int output_begin(struct output *o, void *owner);

/*
 * Reads once and writes the complete lines to the log, after @prefix. Calls output_end() at the end
 * of the file.
 */
void output_read(struct output *o, const char *prefix);

/*
 * Resumes reading a paused pipe when its time has come. Returns when that will be, 0 if it is not
 * paused.
 */
int64_t output_resume(struct output *o, int64_t now_ms);

/* Reads the rest and closes the pipe. */
void output_end(struct output *o, const char *prefix);

#endif
