// SPDX-License-Identifier: MIT
/*
 * Pass "sample-indices" of the gate, see gate.h: clamps the numbers of samples and invocations that
 * instructions name.
 *
 * llvmpipe reads sample positions at the number in interpolateAtSample(), and extracts an element
 * of a vector at the number in readInvocationARB(). Numbers in range do not change.
 */
#include "gate/pass/clamp_sample_indices.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/spirv_info.h"
#include "gate/table.h"
#include "gate/writer.h"

#define LAST_SAMPLE 3u			/* images with fewer samples do not use the position */

enum { SAMPLE, INVOCATION, N_LIMITS };

struct index {
	struct gate *g;
	struct spirv_out writer;
	struct gate_numbers numbers;
};

/*
 * Returns the word of an instruction with such a number, and its kind in @limit; 0: none. A quad
 * has as many invocations as there are samples.
 */
static uint32_t number_at(const uint32_t *in, int *limit)
{
	struct spirv_operands o;

	gate_operands_begin(&o, in);
	for (char letter; !gate_has_distance(*in & 0xffff) && (letter = spirv_operands_next(&o));) {
		const struct gate_role *role = gate_role(letter);

		*limit = role && role->sample ? SAMPLE : INVOCATION;
		if (role && (role->sample || role->invocation))
			return o.word;
	}
	return 0;
}

/* Finds out if there are any, and registers their types. */
static bool look(struct index *x, bool *any)
{
	struct gate *g = x->g;

	*any = false;
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at);
		int limit;
		const uint32_t word = number_at(in, &limit);

		if (!word)
			continue;
		*any = true;
		if (!gate_need_numbers(g, &x->numbers, gate_id(g, in[word])->type))
			return gate_refuse(
				g, "the number of a sample or invocation is not a 32-bit integer");
	}
	return true;
}

static uint32_t limit_of(const struct index *x, int limit)
{
	const uint32_t size = x->g->caps->subgroup_size;

	return limit == SAMPLE ? LAST_SAMPLE : size ? size - 1 : 0;
}

/* Writes constants after all others. */
static void emit_globals(struct index *x)
{
	const uint32_t limits[N_LIMITS] = { limit_of(x, SAMPLE), limit_of(x, INVOCATION) };

	gate_write_numbers(&x->writer, &x->numbers, limits, N_LIMITS);
}

/* Writes @in with the number in @word clamped. All limits are one less than a power of two. */
static void emit_clamped(struct index *x, const uint32_t *in, uint32_t word, int limit)
{
	const struct gate_id *number = gate_id(x->g, in[word]);
	const uint32_t most = gate_numbers_of(&x->numbers, number->type)[limit];
	uint32_t clamped = in[word];

	/* An operand that must be a constant stays one. */
	if (number->op == SpvOpConstant || number->op == SpvOpConstantNull) {
		clamped = number->a > limit_of(x, limit) ? most : clamped;
	} else {
		clamped = spirv_new_id(&x->writer);
		SPIRV_EMIT(&x->writer, SpvOpBitwiseAnd, number->type, clamped, in[word], most);
	}
	spirv_put(&x->writer, in, word);
	spirv_put_word(&x->writer, clamped);
	spirv_put(&x->writer, in + word + 1, (*in >> 16) - word - 1);
}

static void rewrite(struct index *x)
{
	struct gate *g = x->g;
	bool globals = false;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at);
		int limit;
		const uint32_t word = number_at(in, &limit);

		if ((*in & 0xffff) == SpvOpFunction && !globals) {
			emit_globals(x);
			globals = true;
		}
		if (word)
			emit_clamped(x, in, word, limit);
		else
			spirv_copy(&x->writer, in);
	}
}

bool gate_clamp_sample_indices(struct gate *g)
{
	struct index x = { .g = g };
	bool any;

	if (!look(&x, &any))
		return false;
	if (!any)
		return true;
	gate_write_begin(&x.writer, g);
	rewrite(&x);
	return gate_write_end(&x.writer, g);
}
