// SPDX-License-Identifier: MIT
/*
 * Module parameters that tests change, see sundog_parameter.h.
 */
#include "sundog_parameter.h"

#include <stdio.h>
#include <string.h>

#include "sundog_test.h"

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	igt_assert(file);
	igt_assert(fputs(text, file) >= 0);
	igt_assert_eq(fclose(file), 0);
}

static void read_text(const struct sd_parameter *p, char *text, int size)
{
	FILE *file = fopen(p->path, "r");

	igt_require(file);
	igt_assert(fgets(text, size, file));
	fclose(file);
}

void sd_parameter_set(struct sd_parameter *p, const char *value)
{
	if (!p->changed)
		read_text(p, p->was, sizeof(p->was));
	p->changed = true;
	write_text(p->path, value);
}

bool sd_parameter_refused(const struct sd_parameter *p, const char *value)
{
	char before[64], after[64];
	bool refused;
	FILE *file;

	read_text(p, before, sizeof(before));
	file = fopen(p->path, "w");
	igt_assert(file && fputs(value, file) >= 0);
	refused = fclose(file);
	read_text(p, after, sizeof(after));
	return refused && !strcmp(before, after);
}

void sd_parameter_restore(struct sd_parameter *p)
{
	if (p->changed)
		write_text(p->path, p->was);
	p->changed = false;
}
