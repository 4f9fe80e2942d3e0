// SPDX-License-Identifier: MIT
/*
 * Log lines, see log.h. One write() per line, so that lines of several processes do not mix.
 */
#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const level_names[] = { "error", "warn", "info", "debug" };

enum log_level log_level = LOG_WARN;

bool log_parse_level(const char *name)
{
	for (unsigned int i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++) {
		if (!strcmp(name, level_names[i])) {
			log_level = i;
			return true;
		}
	}
	return false;
}

bool log_limit_take(struct log_limit *limit, int64_t now_ms, unsigned int *suppressed)
{
	*suppressed = 0;
	if (now_ms >= limit->end_ms) {
		*suppressed = limit->suppressed;
		*limit = (struct log_limit){ .end_ms = now_ms + LOG_PERIOD_MS };
	}
	if (limit->lines == LOG_BURST) {
		limit->suppressed++;
		return false;
	}
	limit->lines++;
	return true;
}

/* What this process may say; a worker inherits what its broker has said. */
static bool may_write(unsigned int *suppressed)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct log_limit limit;
	struct timespec now;
	bool may;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&lock);
	may = log_limit_take(&limit, now.tv_sec * 1000ll + now.tv_nsec / 1000000, suppressed);
	pthread_mutex_unlock(&lock);
	return may;
}

void log_write(enum log_level level, const char *fmt, ...)
{
	unsigned int suppressed = 0;
	char line[1024];
	int used, more;
	va_list args;

	if (level != LOG_DEBUG && !may_write(&suppressed))
		return;
	if (suppressed)
		dprintf(STDERR_FILENO, "sundog-renderd[%d] warn: suppressed %u messages\n", (int)getpid(), suppressed);
	used = snprintf(line, sizeof(line), "sundog-renderd[%d] %s: ", (int)getpid(), level_names[level]);
	va_start(args, fmt);
	more = vsnprintf(line + used, sizeof(line) - used - 1, fmt, args);
	va_end(args);
	used += more < (int)sizeof(line) - used - 1 ? more : (int)sizeof(line) - used - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return;	/* nowhere left to complain */
}
