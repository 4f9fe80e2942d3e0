// SPDX-License-Identifier: MIT
/*
 * Pass "unrolling" of the gate, see gate.h: sets DontUnroll on loops whose copies would cost the
 * host more than the gate has counted.
 *
 * Mesa unrolls a loop of up to 32 turns if the sum of its instructions over all turns is at most
 * 832. Phis and constants count nothing in that sum, so a loop may have many, and each loop around
 * it multiplies them by 32 once more. Of a module with copies, at most 2^20 words remain:
 *
 * - A loop that contains another one is not unrolled.
 * - In a module of more than 2^15 words, no loop is.
 * - Where invocations wait at barriers, no loop is if 32 times the values would exceed the limit of
 *   group.c for the state that they save.
 *
 * The blocks of a loop must be between its header and its merge block; SPIR-V requires no such
 * order, but compilers keep it. A loop with a branch elsewhere is not unrolled, nor are loops after
 * the first 64.
 */
#include "gate/pass/limit_unrolling.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "gate/check/group.h"
#include "gate/table.h"

#define TURNS 32u
#define MAX_WORDS (1u << 15)		/* of a module with copies */
#define MAX_LOOPS 64u

/* Returns true if loops of the module may be unrolled at all. */
static bool is_small(const struct gate *g)
{
	return g->words <= MAX_WORDS && gate_group_saves(g, TURNS);
}

/*
 * Returns true if all targets of a branch are @merge or in [@first, @end). A literal that is the
 * number of a label by chance counts as a target, too.
 */
static bool stays_inside(const uint32_t *in, const size_t *labels, uint32_t n_ids, uint32_t merge,
			 size_t first, size_t end)
{
	for (uint32_t i = 1; i < spirv_words(in); i++) {
		const uint32_t id = in[i];

		if (id < n_ids && labels[id] && id != merge &&
		    (labels[id] < first || labels[id] >= end))
			return false;
	}
	return true;
}

/*
 * Returns true if the loop whose header begins at word @header and has the OpLoopMerge at @at
 * contains no other loop.
 */
static bool is_innermost(const struct gate *g, const size_t *labels, size_t header, size_t at)
{
	const uint32_t merge = g->code[at + 1];
	const size_t end = merge < g->n_ids ? labels[merge] : 0;

	for (size_t word = header; word < end; word += spirv_words(g->code + word)) {
		const uint32_t *in = g->code + word;

		if (spirv_op(in) == SpvOpLoopMerge && word != at)
			return false;
		if (gate_ends_block(spirv_op(in)) &&
		    !stays_inside(in, labels, g->n_ids, merge, header, end))
			return false;
	}
	return end > at;
}

static void limit(struct gate *g, const size_t *labels)
{
	const bool small = is_small(g);
	size_t header = 0;
	uint32_t n = 0;

	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->owned + at)) {
		uint32_t *in = g->owned + at;

		if (spirv_op(in) == SpvOpLabel)
			header = at;
		if (spirv_op(in) != SpvOpLoopMerge)
			continue;
		if (!small || ++n > MAX_LOOPS || !is_innermost(g, labels, header, at))
			in[3] |= SpvLoopControlDontUnrollMask;
	}
}

bool gate_limit_unrolling(struct gate *g)
{
	size_t *labels = calloc(g->n_ids + 1, sizeof(*labels));

	if (!labels)
		return gate_refuse(g, "out of memory");
	for (size_t at = SPIRV_HEADER_WORDS; at < g->words; at += spirv_words(g->code + at))
		if (spirv_op(g->code + at) == SpvOpLabel && g->code[at + 1] < g->n_ids)
			labels[g->code[at + 1]] = at;
	limit(g, labels);
	free(labels);
	return true;
}
