// SPDX-License-Identifier: MIT
/*
 * Numbers of samples and invocations that instructions name, held within what there is, see gate.h.
 *
 * llvmpipe reads positions of samples at the number that interpolateAtSample() has, and takes a value out of a
 * vector at the one that readInvocationARB() has. Nothing changes for numbers that there are.
 */
#include "gate_writer.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#define LAST_SAMPLE 3u			/* a picture with fewer samples has no use for the position */
#define MAX_TYPES 2			/* of 32-bit integers: with a sign, and without */

enum { SAMPLE, INVOCATION, N_LIMITS };

struct index {
	struct gate *g;
	struct gate_writer writer;
	uint32_t types[MAX_TYPES], constants[MAX_TYPES][N_LIMITS];
};

/* The word of an instruction that has a number to be held; 0: it has none. */
static uint32_t number_at(const uint32_t *in, int *limit)
{
	*limit = SAMPLE;
	if ((*in & 0xffff) == SpvOpExtInst && in[4] == GLSLstd450InterpolateAtSample)
		return 6;
	*limit = INVOCATION;
	return (*in & 0xffff) == SpvOpSubgroupReadInvocationKHR ? 4 : 0;
}

/* The place of a type; MAX_TYPES: there is none left, or it is no 32-bit integer. */
static int place_of(struct index *x, uint32_t type)
{
	const struct gate_id *id = gate_id(x->g, type);
	int i = 0;

	if (id->op != SpvOpTypeInt || id->a != 32)
		return MAX_TYPES;
	while (i < MAX_TYPES && x->types[i] && x->types[i] != type)
		i++;
	if (i < MAX_TYPES)
		x->types[i] = type;
	return i;
}

/* Are there any, and can all of them be held? */
static bool look(struct index *x, bool *any)
{
	struct gate *g = x->g;

	*any = false;
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		int limit;
		const uint32_t word = number_at(in, &limit);

		if (!word)
			continue;
		*any = true;
		if (place_of(x, gate_id(g, in[word])->type) == MAX_TYPES)
			return gate_refuse(g, "an index of another type");
	}
	return true;
}

/* Constants, after all others. */
static void emit_globals(struct index *x)
{
	const uint32_t size = x->g->caps->subgroup_size;
	const uint32_t limits[N_LIMITS] = { LAST_SAMPLE, size ? size - 1 : 0 };

	for (int i = 0; i < MAX_TYPES && x->types[i]; i++) {
		for (int k = 0; k < N_LIMITS; k++) {
			x->constants[i][k] = gate_new_id(&x->writer);
			GATE_WRITE(&x->writer, SpvOpConstant, x->types[i], x->constants[i][k], limits[k]);
		}
	}
}

/* @in, with another number in @word. All limits are one less than a power of two. */
static void emit_held(struct index *x, const uint32_t *in, uint32_t word, int limit)
{
	const uint32_t type = gate_id(x->g, in[word])->type, held = gate_new_id(&x->writer);

	GATE_WRITE(&x->writer, SpvOpBitwiseAnd, type, held, in[word], x->constants[place_of(x, type)][limit]);
	gate_write(&x->writer, in, word);
	gate_write(&x->writer, &held, 1);
	gate_write(&x->writer, in + word + 1, (*in >> 16) - word - 1);
}

static void rewrite(struct index *x)
{
	struct gate *g = x->g;
	bool globals = false;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		int limit;
		const uint32_t word = number_at(in, &limit);

		if ((*in & 0xffff) == SpvOpFunction && !globals) {
			emit_globals(x);
			globals = true;
		}
		if (word)
			emit_held(x, in, word, limit);
		else
			gate_write(&x->writer, in, *in >> 16);
	}
}

bool gate_hold_indices(struct gate *g)
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
