/* SPDX-License-Identifier: MIT */
/*
 * Results of tests, a line each in the format of TAP.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

void tap(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int tap_failures(void);

/* How often to do something: @few in a quick run, @many in one with SUNDOG_LONG set. */
int tap_rounds(int few, int many);

#endif
