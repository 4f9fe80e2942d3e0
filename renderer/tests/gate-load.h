/* SPDX-License-Identifier: MIT */
/* Loads assembled SPIR-V modules for tests of the gate. */
#ifndef GATE_LOAD_H
#define GATE_LOAD_H

#include <stdint.h>
#include <stdio.h>

#define MAX_ASSEMBLED 4096	/* words */

/* Reads module @file into @code. Returns its number of words, or 0 if it cannot be read. */
static inline uint32_t gate_load(const char *folder, const char *file, uint32_t code[MAX_ASSEMBLED])
{
	uint32_t words = 0;
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.spv", folder, file);
	f = fopen(path, "r");
	if (f) {
		words = fread(code, 4, MAX_ASSEMBLED, f);
		fclose(f);
	}
	return words;
}

#endif
