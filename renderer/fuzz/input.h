/* SPDX-License-Identifier: MIT */
/*
 * The input of a fuzz target, read byte by byte, and assertions on the code under test.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct input {
	const uint8_t *at;
	size_t left;
};

/* Returns the next byte, 0 at the end of the input. */
static inline uint8_t input_take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

#define MUST(condition, words)						\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s: ERROR: %s\n", __func__, words);	\
			abort();					\
		}							\
	} while (0)

#endif
