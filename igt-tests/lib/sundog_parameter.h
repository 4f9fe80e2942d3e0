/* SPDX-License-Identifier: MIT */
/*
 * Parameters of module sundog in sysfs that a test changes and restores afterwards.
 */
#ifndef SUNDOG_PARAMETER_H
#define SUNDOG_PARAMETER_H

#include <stdbool.h>

struct sd_parameter {
	const char *path;
	char was[64];			/* the value before the test changed it */
	bool changed;
};

#define SD_PARAMETER(name) { .path = "/sys/module/sundog/parameters/" name }

/*
 * Sets the parameter; the first call saves its old value. Skips if the module has no such
 * parameter.
 */
void sd_parameter_set(struct sd_parameter *p, const char *value);
/* Returns true if the module rejects @value and leaves the parameter unchanged. */
bool sd_parameter_refused(const struct sd_parameter *p, const char *value);
/*
 * Restores the saved value. Does nothing if the parameter is unchanged, so a cleanup after a
 * failure can call it, too.
 */
void sd_parameter_restore(struct sd_parameter *p);

#endif
