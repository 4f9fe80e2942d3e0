/* SPDX-License-Identifier: MIT */
/* Test results as lines of TAP. The caller prints the plan. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

void tap(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int tap_failures(void);

/* Returns the number of repetitions: @few, or @many if SUNDOG_LONG is set. */
int tap_rounds(int few, int many);

#endif
