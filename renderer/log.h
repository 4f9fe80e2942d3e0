/* SPDX-License-Identifier: MIT */
/*
 * Log lines with levels, to stderr: "sundog-renderd[pid] level: text". What a peer chose may be in them,
 * and they may go to a terminal: whatever is not printable ASCII is escaped.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

extern enum log_level log_level;

/* Parse "error", "warn", "info" or "debug" into log_level; false if it is none of them. */
bool log_parse_level(const char *name);

/* What log_parse_level() makes the level of now. */
const char *log_level_name(void);

/* Before the first line: stderr may be full, as a pipe or a stopped terminal is, and nobody waits for that. */
void log_init_broker(void);

/* The same for a worker: its broker reads its lines, and says whose they are. */
void log_init_worker(void);

/*
 * What may be said: a number of lines in LOG_PERIOD_MS. A guest that does wrong does it often, and
 * the log may be a file. Starts as zeroes.
 */
#define LOG_BURST 20			/* by one process of ours */
#define LOG_PERIOD_MS 10000

struct log_limit {
	int64_t end_ms;			/* of the current period */
	unsigned int lines, suppressed;	/* in it */
};

/*
 * May a line be written at @now_ms, if @burst of them may in a period?
 * *@suppressed: lines that may not since the last one that might.
 */
bool log_limit_take(struct log_limit *limit, unsigned int burst, int64_t now_ms, unsigned int *suppressed);

/* Write a line, if its level is LOG_DEBUG or the process has not said too much. Any thread may. */
void log_write(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Write @size bytes of @text as a line that begins with @prefix, whoever said it how often. */
void log_line(const char *prefix, const char *text, size_t size);

#define log_at(level, ...)				\
	do {						\
		if ((level) <= log_level)		\
			log_write(level, __VA_ARGS__);	\
	} while (0)
#define log_error(...) log_at(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_at(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_at(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_at(LOG_DEBUG, __VA_ARGS__)

#endif
