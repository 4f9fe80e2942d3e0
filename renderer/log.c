// SPDX-License-Identifier: MIT
/*
 * Log lines, see log.h. One write() per line, so that lines of several processes do not mix.
 */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
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

void log_write(enum log_level level, const char *fmt, ...)
{
	char line[1024];
	int used, more;
	va_list args;

	used = snprintf(line, sizeof(line), "sundog-renderd[%d] %s: ", (int)getpid(), level_names[level]);
	va_start(args, fmt);
	more = vsnprintf(line + used, sizeof(line) - used - 1, fmt, args);
	va_end(args);
	used += more < (int)sizeof(line) - used - 1 ? more : (int)sizeof(line) - used - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return;	/* nowhere left to complain */
}
