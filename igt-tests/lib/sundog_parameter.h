/* SPDX-License-Identifier: MIT */
/*
 * Parameters of the module that a test changes for a while.
 */
#ifndef SUNDOG_PARAMETER_H
#define SUNDOG_PARAMETER_H

#include <stdbool.h>

struct sd_parameter {
	const char *path;
	char was[64];			/* before the test changed it */
	bool changed;
};

#define SD_PARAMETER(name) { .path = "/sys/module/sundog/parameters/" name }

/* Skips the test where the module has no such parameter. */
void sd_parameter_set(struct sd_parameter *p, const char *value);
/* Is a value refused, which leaves the parameter as it was? */
bool sd_parameter_refused(const struct sd_parameter *p, const char *value);
/* Does nothing if it was not changed, so that it can be called after a failure, too. */
void sd_parameter_restore(struct sd_parameter *p);

#endif
