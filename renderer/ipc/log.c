// SPDX-License-Identifier: MIT
/*
 * Log lines, see log.h. One write() per line, so that lines of several processes do not mix.
 */
#include "ipc/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ipc/file.h"

#define MAX_TEXT 1024

static const char *const level_names[] = { "error", "warn", "info", "debug" };

enum log_level log_level = LOG_WARN;

static bool is_worker, is_socket;

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

const char *log_level_name(void)
{
	return level_names[log_level];
}

/*
 * O_NONBLOCK applies to the file description, which other processes share, so stderr is opened
 * again for a description of its own. A socket cannot be opened again; it gets MSG_DONTWAIT with
 * each line. Writing to a regular file does not block.
 */
void log_init_broker(void)
{
	struct stat st;
	int own;

	if (fstat(STDERR_FILENO, &st) || S_ISREG(st.st_mode))
		return;
	is_socket = S_ISSOCK(st.st_mode);
	own = file_reopen(STDERR_FILENO, O_WRONLY | O_NONBLOCK);
	if (own >= 0) {
		dup2(own, STDERR_FILENO);
		close(own);
	}
}

void log_init_worker(void)
{
	is_worker = true;
}

bool log_limit_take(struct log_limit *limit, unsigned int burst, int64_t now_ms,
		    unsigned int *suppressed)
{
	*suppressed = 0;
	if (now_ms >= limit->end_ms) {
		*suppressed = limit->suppressed;
		*limit = (struct log_limit){ .end_ms = now_ms + LOG_PERIOD_MS };
	}
	if (limit->lines >= burst) {
		limit->suppressed++;
		return false;
	}
	limit->lines++;
	return true;
}

/* Applies the rate limit of this process. Thread-safe. */
static bool may_write(unsigned int *suppressed)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct log_limit limit;
	struct timespec now;
	bool may;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&lock);
	may = log_limit_take(&limit, LOG_BURST, now.tv_sec * 1000ll + now.tv_nsec / 1000000,
			     suppressed);
	pthread_mutex_unlock(&lock);
	return may;
}

void log_line(const char *prefix, const char *text, size_t size)
{
	char line[MAX_TEXT + 64];
	size_t used = snprintf(line, sizeof(line) / 2, "%s", prefix);
	ssize_t written;

	for (size_t i = 0; i < size && used + sizeof("\\xff") < sizeof(line); i++) {
		const unsigned char c = text[i];

		if (c >= ' ' && c <= '~')
			line[used++] = c;
		else
			used += snprintf(line + used, sizeof(line) - used, "\\x%02x", c);
	}
	line[used++] = '\n';
	if (is_socket)
		written = send(STDERR_FILENO, line, used, MSG_DONTWAIT | MSG_NOSIGNAL);
	else
		written = write(STDERR_FILENO, line, used);
	(void)written;	/* no other place to report the error */
}

void log_write(enum log_level level, const char *fmt, ...)
{
	char prefix[64] = "", text[MAX_TEXT];
	unsigned int suppressed = 0;
	size_t used = 0;
	va_list args;

	if (level != LOG_DEBUG && !may_write(&suppressed))
		return;
	if (!is_worker)
		used = snprintf(prefix, sizeof(prefix), "sundog-renderd[%d] ", (int)getpid());
	if (suppressed) {
		snprintf(text, sizeof(text), "warn: suppressed %u messages", suppressed);
		log_line(prefix, text, strlen(text));
	}
	snprintf(prefix + used, sizeof(prefix) - used, "%s: ", level_names[level]);
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	log_line(prefix, text, strlen(text));
}
