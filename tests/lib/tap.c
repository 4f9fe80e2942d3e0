// SPDX-License-Identifier: MIT
/* Prints lines of TAP and counts failures, see tap.h. */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

void tap(bool ok, const char *fmt, ...)
{
	va_list args;

	printf("%sok - ", ok ? "" : "not ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	failures += !ok;
}

int tap_failures(void)
{
	return failures;
}

int tap_rounds(int few, int many)
{
	return getenv("SUNDOG_LONG") ? many : few;
}
