// SPDX-License-Identifier: MIT
/* See sundog_parameter.h. */
#include "sundog_parameter.h"

#include <stdio.h>

#include "sundog_test.h"

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	igt_assert(file);
	igt_assert(fputs(text, file) >= 0);
	igt_assert_eq(fclose(file), 0);
}

void sd_parameter_set(struct sd_parameter *p, const char *value)
{
	FILE *file = fopen(p->path, "r");

	igt_require(file);
	if (!p->changed)
		igt_assert(fgets(p->was, sizeof(p->was), file));
	fclose(file);
	p->changed = true;
	write_text(p->path, value);
}

void sd_parameter_restore(struct sd_parameter *p)
{
	if (p->changed)
		write_text(p->path, p->was);
	p->changed = false;
}
