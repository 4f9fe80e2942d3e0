// SPDX-License-Identifier: MIT
/*
 * The log output of workers, see worker_log.h: reads their pipes, splits lines and limits their
 * number.
 */
#define _GNU_SOURCE
#include "broker/worker_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The default size of a pipe; a sandboxed worker cannot make it larger. */
#define PIPE_SIZE 65536

int worker_log_begin(struct worker_log *o, void *owner)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	/* O_NONBLOCK is set per end, since each end is a file description of its own. */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	if (log_level < LOG_DEBUG)
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
	*o = (struct worker_log){ .source = { SOURCE_WORKER_LOG, ends[0], owner } };
	event_source_watch(&o->source);
	return ends[1];
}

/* Returns true if the worker may write another line. *@suppressed: see log_limit_take(). */
static bool may_say(struct worker_log *o, unsigned int *suppressed)
{
	static struct log_limit all;
	const int64_t now = now_ms();
	unsigned int others;

	*suppressed = 0;
	if (log_level == LOG_DEBUG)
		return true;
	if (!log_limit_take(&o->limit, WORKER_LOG_BURST, now, suppressed))
		return false;
	if (log_limit_take(&all, WORKER_LOG_BURST_ALL, now, &others))
		return true;
	o->limit.suppressed++;
	return false;
}

static void say(struct worker_log *o, const char *prefix, const char *text, size_t size)
{
	char left_out[64];
	unsigned int suppressed;

	if (!may_say(o, &suppressed)) {
		o->resume_ms = now_ms() + LOG_PERIOD_MS;
		return;
	}
	/* The worker drops lines, too, which nobody counts. */
	if (suppressed) {
		snprintf(left_out, sizeof(left_out), "warn: suppressed lines before this one");
		log_line(prefix, left_out, strlen(left_out));
	}
	log_line(prefix, text, size);
}

/* Writes the complete lines, and a line that fills the buffer. */
static void say_lines(struct worker_log *o, const char *prefix)
{
	char *line = o->line, *end = o->line + o->used, *newline;

	while ((newline = memchr(line, '\n', end - line))) {
		say(o, prefix, line, newline - line);
		line = newline + 1;
	}
	if (end - line == sizeof(o->line)) {
		say(o, prefix, line, end - line);
		line = end;
	}
	o->used = end - line;
	memmove(o->line, line, o->used);
}

/*
 * Returns the result of read(), but 0 for errors other than EAGAIN and EINTR: the pipe has to be
 * closed then.
 */
static ssize_t read_some(struct worker_log *o, const char *prefix)
{
	const ssize_t n = read(o->source.fd, o->line + o->used, sizeof(o->line) - o->used);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? n : 0;
	o->used += n;
	say_lines(o, prefix);
	return n;
}

void worker_log_read(struct worker_log *o, const char *prefix)
{
	if (!read_some(o, prefix))
		worker_log_end(o, prefix);
	else if (o->resume_ms)
		event_source_unwatch(&o->source);
}

int64_t output_resume(struct worker_log *o, int64_t now_ms)
{
	if (!o->resume_ms || now_ms < o->resume_ms)
		return o->resume_ms;
	o->resume_ms = 0;
	event_source_watch(&o->source);
	return 0;
}

void worker_log_end(struct worker_log *o, const char *prefix)
{
	ssize_t left = PIPE_SIZE, n;

	if (o->source.fd < 0)
		return;
	while (!o->resume_ms && left > 0 && (n = read_some(o, prefix)) > 0)
		left -= n;
	if (o->used && !o->resume_ms)
		say(o, prefix, o->line, o->used);
	event_source_close(&o->source);
	o->source.fd = -1;
	o->resume_ms = 0;
}
