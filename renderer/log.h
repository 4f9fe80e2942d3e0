/* SPDX-License-Identifier: MIT */
/*
 * Log lines with levels, to stderr: "sundog-renderd[pid] level: text".
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

extern enum log_level log_level;

/* Parse "error", "warn", "info" or "debug" into log_level; false if it is none of them. */
bool log_parse_level(const char *name);

/*
 * What a process may say: LOG_BURST lines in LOG_PERIOD_MS. A guest that does wrong does it often, and
 * the log may be a file. Starts as zeroes.
 */
#define LOG_BURST 20
#define LOG_PERIOD_MS 10000

struct log_limit {
	int64_t end_ms;			/* of the current period */
	unsigned int lines, suppressed;	/* in it */
};

/* May a line be written at @now_ms? *@suppressed: lines that may not since the last one that might. */
bool log_limit_take(struct log_limit *limit, int64_t now_ms, unsigned int *suppressed);

/* Write a line, if its level is LOG_DEBUG or the process has not said too much. Any thread may. */
void log_write(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

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
