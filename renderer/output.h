/* SPDX-License-Identifier: MIT */
/*
 * What a worker writes to its stderr: a pipe that the broker reads, so that a worker has no descriptor of
 * the log. Lines of ours, of libraries and of somebody who took the worker over are one here: each gets a
 * prefix, is escaped, and counts.
 *
 * A worker that said too much is not read until its period ends. Its pipe is full soon, and what it writes
 * then is lost: it never waits, and nobody for it. With --log debug all is read, and it waits.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "log.h"
#include "source.h"

#define OUTPUT_BURST 100		/* lines of a worker in LOG_PERIOD_MS: a sanitizer's report has as many */
#define OUTPUT_BURST_ALL 200		/* of all together */
#define OUTPUT_LINE 1024		/* bytes; a longer one is several */

struct output {
	struct source source;		/* the pipe; fd -1: it ended */
	int64_t resume_ms;		/* when it is read again; 0: it is read */
	struct log_limit limit;
	size_t used;
	char line[OUTPUT_LINE];		/* the beginning of one */
};

/* Returns the worker's end, -1 with errno set. */
int output_begin(struct output *o, void *owner);

/* There is something to read. Its lines begin with @prefix. */
void output_read(struct output *o, const char *prefix);

/* Returns when it is read again, 0 if it is. Call when that time has come. */
int64_t output_resume(struct output *o, int64_t now_ms);

/* Read what is left, and close it. */
void output_end(struct output *o, const char *prefix);

#endif
