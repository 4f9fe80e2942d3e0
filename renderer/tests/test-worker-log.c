// SPDX-License-Identifier: MIT
/*
 * Tests worker_log.h: what the output of a hostile worker becomes in the broker's log. Prints TAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker/worker_log.h"

static unsigned int count;
static int stderr_before;

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
}

/* Starts @o. Returns the worker's end of the pipe. *@log is a file in place of the broker's log. */
static int start(struct worker_log *o, FILE **log)
{
	const int end = worker_log_begin(o, NULL);

	*log = tmpfile();
	if (end < 0 || !*log || dup2(fileno(*log), STDERR_FILENO) < 0) {
		printf("Bail out! no pipe, or no file for the log\n");
		exit(1);
	}
	return end;
}

/* Ends @o. Returns the text of the log, which the caller frees. */
static char *stop(struct worker_log *o, int end, FILE *log)
{
	char *text = NULL;
	size_t size = 0;

	if (end >= 0)
		close(end);
	worker_log_end(o, "");
	dup2(stderr_before, STDERR_FILENO);
	rewind(log);
	if (getdelim(&text, &size, 0, log) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(log);
	return text;
}

/* A worker writes @written and exits. Returns true if the log has @expected. */
static bool becomes(const char *written, const char *expected)
{
	struct worker_log o;
	FILE *log;
	const int end = start(&o, &log);
	bool ok = write(end, written, strlen(written)) == (ssize_t)strlen(written);
	char *text;

	worker_log_read(&o, "worker: ");
	text = stop(&o, end, log);
	ok = ok && !strcmp(text, expected);
	if (!ok)
		printf("# '%s'\n", text);
	free(text);
	return ok;
}

static void test_text(void)
{
	report(becomes("one\ntwo\n", "worker: one\nworker: two\n"), "each line has a prefix");
	report(becomes("\33]0;title\a\33[2J\r\n", "worker: \\x1b]0;title\\x07\\x1b[2J\\x0d\n"),
	       "what a terminal would obey is escaped");
	report(becomes("caf\303\251 \302\2332J\n", "worker: caf\\xc3\\xa9 \\xc2\\x9b2J\n"),
	       "so is what is not ASCII, which has control characters, too");
	report(becomes("\n", "worker: \n"), "an empty line");
}

/* The worker writes as fast as it can. The broker reads only within its limit. */
static void test_flood(void)
{
	struct worker_log o;
	FILE *log;
	const int end = start(&o, &log);
	unsigned int lines = 0;
	char *text;

	for (int i = 0; i < 100000; i++) {
		/* EAGAIN: the worker must not block either. */
		if (write(end, "flood\n", 6) < 0 && errno != EAGAIN)
			break;
		if (!o.resume_ms)
			worker_log_read(&o, "");
	}
	report(o.resume_ms && output_resume(&o, o.resume_ms - 1),
	       "a worker that said too much is not read");
	report(!output_resume(&o, o.resume_ms), "until its period ends");
	text = stop(&o, end, log);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	report(lines >= WORKER_LOG_BURST && lines <= 2 * WORKER_LOG_BURST + 1, "what it says is limited");
	free(text);
}

static void test_long_line(void)
{
	struct worker_log o;
	FILE *log;
	const int end = start(&o, &log);
	char *text, *longest = malloc(3 * WORKER_LOG_LINE);
	bool ok;

	memset(longest, 'x', 3 * WORKER_LOG_LINE);
	ok = write(end, longest, 3 * WORKER_LOG_LINE) == 3 * WORKER_LOG_LINE;
	for (int i = 0; i < 3; i++)
		worker_log_read(&o, "");
	text = stop(&o, end, log);
	report(ok && strlen(text) == 3 * (WORKER_LOG_LINE + 1),
	       "a line without an end becomes several");
	free(text);
	free(longest);
}

static void test_end(void)
{
	struct worker_log o;
	FILE *log;
	const int end = start(&o, &log);
	char *text;

	close(end);
	worker_log_read(&o, "");
	report(o.source.fd < 0, "a worker may close its end");
	text = stop(&o, -1, log);
	report(!*text, "and nothing is logged for it");
	free(text);
}

int main(void)
{
	stderr_before = dup(STDERR_FILENO);
	if (stderr_before < 0 || !event_sources_init()) {
		printf("Bail out! no descriptors\n");
		return 1;
	}
	test_text();
	test_long_line();
	test_end();
	test_flood();
	printf("1..%u\n", count);
	return 0;
}
