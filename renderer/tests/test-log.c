// SPDX-License-Identifier: MIT
/* Tests the rate limit of log messages of a process (log.h). Prints TAP. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ipc/log.h"

static unsigned int count;

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
}

/* Returns how many of @n lines at @now_ms pass the limit. */
static unsigned int take(struct log_limit *limit, int64_t now_ms, unsigned int n,
			 unsigned int *suppressed)
{
	unsigned int taken = 0, more;

	*suppressed = 0;
	while (n--) {
		taken += log_limit_take(limit, LOG_BURST, now_ms, &more);
		*suppressed += more;
	}
	return taken;
}

static void test_limit(void)
{
	const int64_t start = 123456;
	struct log_limit limit = { 0 };
	unsigned int suppressed;

	report(take(&limit, start, 100, &suppressed) == LOG_BURST && !suppressed,
	       "a burst is written, no more");
	report(!take(&limit, start + LOG_PERIOD_MS - 1, 5, &suppressed) && !suppressed,
	       "nothing more until its period ends");
	report(take(&limit, start + LOG_PERIOD_MS, 1, &suppressed) == 1 &&
	       suppressed == 105 - LOG_BURST,
	       "then it is said how much was missed");
	report(take(&limit, start + LOG_PERIOD_MS, 100, &suppressed) == LOG_BURST - 1 &&
	       !suppressed,
	       "that line counts in the next period, and what was missed is said once");
	report(take(&limit, start + 10 * LOG_PERIOD_MS, 1, &suppressed) == 1 &&
	       suppressed == 101 - LOG_BURST &&
	       take(&limit, start + 20 * LOG_PERIOD_MS, 1, &suppressed) == 1 && !suppressed,
	       "a period in which nothing was missed");
}

static unsigned int lines_of(FILE *log)
{
	unsigned int lines = 0;
	int c;

	rewind(log);
	while ((c = getc(log)) != EOF)
		lines += c == '\n';
	return lines;
}

/* Writes errors to stderr, as the renderer does. */
static void test_write(void)
{
	FILE *log = tmpfile();
	const int old = dup(STDERR_FILENO);

	if (!log || old < 0 || dup2(fileno(log), STDERR_FILENO) < 0) {
		printf("Bail out! no file for the log\n");
		return;
	}
	for (int i = 0; i < 10 * LOG_BURST; i++)
		log_error("line %d", i);
	dup2(old, STDERR_FILENO);
	/* Two periods if one ends meanwhile, and a line with the number of suppressed ones. */
	report(lines_of(log) >= LOG_BURST && lines_of(log) <= 2 * LOG_BURST + 1,
	       "errors are limited");

	dup2(fileno(log), STDERR_FILENO);
	log_level = LOG_DEBUG;
	for (int i = 0; i < 10 * LOG_BURST; i++)
		log_debug("line %d", i);
	dup2(old, STDERR_FILENO);
	report(lines_of(log) > 10 * LOG_BURST, "what debugging asked for is not");
}

int main(void)
{
	test_limit();
	test_write();
	printf("1..%u\n", count);
	return 0;
}
