// SPDX-License-Identifier: MIT
/*
 * Faults of the gate's passes, see gate_mutants.h. Part of the test's process; one gate runs at a
 * time.
 */
#include "gate_mutants.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate_module.h"
#include "gate_table.h"

struct gate_mutation gate_mutation;

static uint32_t *before;		/* the module before the pass */
static size_t words_before;

static bool has_role(const uint32_t *in, char role)
{
	struct gate_operands operands;

	gate_operands_begin(&operands, in);
	for (char letter; (letter = gate_operands_next(&operands));)
		if (letter == role)
			return true;
	return false;
}

/*
 * Hides the instructions: a pass copies an instruction that it does not know, and does nothing else
 * with it.
 */
static void hide(struct gate *g)
{
	for (size_t at = 5; at < g->words; at += g->owned[at] >> 16)
		if (has_role(g->owned + at, gate_mutation.role))
			g->owned[at] |= GATE_UNSEEN;
}

static void show(struct gate *g)
{
	for (size_t at = 5; at < g->words; at += g->owned[at] >> 16)
		g->owned[at] &= ~GATE_UNSEEN;
}

static bool is_blind(const struct gate *g)
{
	return gate_mutation.blind && !strcmp(g->pass, gate_mutation.blind) && g->owned;
}

bool gate_mutants_begin(struct gate *g)
{
	before = malloc(g->words * sizeof(*before));
	if (!before)
		return gate_refuse(g, "out of memory");
	memcpy(before, g->code, g->words * sizeof(*before));
	words_before = g->words;
	gate_mutation.running = g->pass;
	if (is_blind(g))
		hide(g);
	return true;
}

void gate_mutants_end(struct gate *g)
{
	size_t n = 0;

	if (is_blind(g))
		show(g);
	while (gate_mutation.changes[n])
		n++;
	if (n < GATE_MAX_PASSES &&
	    (g->words != words_before || memcmp(g->code, before, words_before * sizeof(*before)))) {
		gate_mutation.changes[n] = g->pass;
		gate_mutation.changes[n + 1] = NULL;
	}
	free(before);
	before = NULL;
}
