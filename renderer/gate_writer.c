// SPDX-License-Identifier: MIT
/*
 * A module that is written anew, see gate_writer.h.
 */
#include "gate_writer.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_WORDS 5
#define HEADER_BOUND 3			/* the word that no id reaches */

void gate_write_begin(struct gate_writer *w, const struct gate *g)
{
	*w = (struct gate_writer){ .room = 2 * g->words, .next_id = g->code[HEADER_BOUND] };
	w->out = malloc(w->room * sizeof(*w->out));
	w->failed = !w->out;
	gate_write(w, g->code, HEADER_WORDS);
}

void gate_write(struct gate_writer *w, const uint32_t *in, size_t words)
{
	while (!w->failed && w->words + words > w->room) {
		uint32_t *more = realloc(w->out, 2 * w->room * sizeof(*more));

		w->failed = !more;
		if (more) {
			w->out = more;
			w->room *= 2;
		}
	}
	if (w->failed)
		return;
	memcpy(w->out + w->words, in, words * sizeof(*in));
	w->words += words;
}

void gate_write_instruction(struct gate_writer *w, uint32_t op, const uint32_t *in, size_t words)
{
	const uint32_t first = (uint32_t)words << 16 | op;

	gate_write(w, &first, 1);
	gate_write(w, in + 1, words - 1);
}

bool gate_write_end(struct gate_writer *w, struct gate *g)
{
	if (w->failed) {
		free(w->out);
		return gate_refuse(g, "out of memory");
	}
	w->out[HEADER_BOUND] = w->next_id;
	free(g->owned);
	g->code = g->owned = w->out;
	g->words = w->words;
	return true;
}
