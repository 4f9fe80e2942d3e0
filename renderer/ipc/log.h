/* SPDX-License-Identifier: MIT */
/*
 * Log lines with levels, to stderr: "sundog-renderd[pid] level: text". Used by the broker and by
 * the workers, in any thread. The text may quote a peer and may go to a terminal, so everything but
 * printable ASCII is escaped.
 */
#ifndef IPC_LOG_H
#define IPC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

extern enum log_level log_level;

/* Sets log_level to "error", "warn", "info" or "debug". Returns false for any other name. */
bool log_parse_level(const char *name);

/* Returns the name of the current level. */
const char *log_level_name(void);

/*
 * Prepares the broker's log; call before the first line. Makes stderr non-blocking: a full pipe or
 * a stopped terminal must not block the broker.
 */
void log_init_broker(void);

/*
 * Prepares a worker's log: its lines get no "sundog-renderd[pid]", since the broker adds a prefix.
 */
void log_init_worker(void);

/*
 * Rate limit: a number of lines in LOG_PERIOD_MS. A misbehaving guest can cause many errors, and
 * the log may be a file. Zero-initialized.
 */
#define LOG_BURST 20			/* lines of one process of ours */
#define LOG_PERIOD_MS 10000

struct log_limit {
	int64_t end_ms;			/* end of the current period */
	unsigned int lines, suppressed;	/* lines in this period */
};

/*
 * Returns true if a line may be written at @now_ms, when @burst lines are allowed in a period. At
 * the first call of a period *@suppressed becomes the number of lines refused in the period before,
 * else 0.
 */
bool log_limit_take(struct log_limit *limit, unsigned int burst, int64_t now_ms,
		    unsigned int *suppressed);

/* Writes a line. Lines above LOG_DEBUG count against the rate limit of the process. Thread-safe. */
void log_write(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes @size bytes of @text as one line after @prefix, without a rate limit. */
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
