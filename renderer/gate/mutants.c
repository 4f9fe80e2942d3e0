// SPDX-License-Identifier: MIT
/*
 * Faults of the gate's passes, see mutants.h. Runs in the process of test-mutants, where one gate
 * runs at a time.
 */
#include "gate/mutants.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/module.h"
#include "gate/table.h"

#define SHARED_MASK 0x100u		/* of the first array of a module */

struct gate_mutation gate_mutation;

static uint32_t *before;		/* the module before the pass */
static size_t words_before;
static uint32_t first_added;		/* the first id that a pass of the guards has added */

static bool has_role(const uint32_t *in, char role)
{
	struct spirv_operands operands;

	gate_operands_begin(&operands, in);
	for (char letter; (letter = spirv_operands_next(&operands));)
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

static const uint32_t *find(const struct gate *g, uint32_t id)
{
	for (size_t at = 5; at < g->words; at += g->owned[at] >> 16)
		if (spirv_has_type(g->owned[at] & 0xffff) && g->owned[at + 2] == id)
			return g->owned + at;
	return NULL;
}

/* Returns true if an id is the length of an array, converted or not. */
static bool is_length(const struct gate *g, uint32_t id)
{
	const uint32_t *in = find(g, id);

	if (in && (*in & 0xffff) == SpvOpUConvert)
		in = find(g, in[3]);
	return in && (*in & 0xffff) == SpvOpArrayLength;
}

static bool is_group_limit(const struct gate *g, uint32_t id)
{
	const uint32_t *in = find(g, id);

	return in && (*in & 0xffff) == SpvOpConstant && in[3] == SUNDOG_MAX_MESH_TOTAL_GROUPS;
}

static bool is_constant(const struct gate *g, uint32_t id)
{
	const uint32_t *in = find(g, id);

	return in && (spirv_op(in) == SpvOpConstant || spirv_op(in) == SpvOpConstantComposite);
}

/*
 * Returns the result of the extended instruction @op with @id as operand @word; 0: there is none.
 */
static uint32_t user(const struct gate *g, uint32_t op, uint32_t word, uint32_t id)
{
	for (size_t at = 5; at < g->words; at += g->owned[at] >> 16) {
		const uint32_t *in = g->owned + at;

		if ((*in & 0xffff) == SpvOpExtInst && in[4] == op && *in >> 16 > word &&
		    in[word] == id)
			return in[2];
	}
	return 0;
}

/* Returns true if a length bounds an index. restore_oob.c lets constant indices as they are. */
static bool is_bound(const struct gate *g, uint32_t id)
{
	const uint32_t first = user(g, GLSLstd450UMin, 5, id);
	const uint32_t min = first ? first : user(g, GLSLstd450UMin, 6, id);

	return min && user(g, GLSLstd450UClamp, 7, min);
}

/*
 * Returns true if an id is a mask of split_nonuniform.c, which makes indices of two arrays differ.
 */
static bool is_mask(const struct gate *g, uint32_t id)
{
	for (size_t at = 5; at < g->words; at += g->owned[at] >> 16) {
		const uint32_t *in = g->owned + at, *load;

		if ((*in & 0xffff) != SpvOpBitwiseAnd || in[2] < first_added || in[4] != id)
			continue;
		load = find(g, in[3]);
		return load && (*load & 0xffff) == SpvOpLoad;
	}
	return false;
}

/*
 * Replaces the second operand of each bound that a pass has computed by the first one, and the
 * masks of split_nonuniform.c, which has one for each array, by one mask.
 */
static void make_bounds_wrong(struct gate *g)
{
	for (size_t at = 5; at < g->words; at += g->owned[at] >> 16) {
		uint32_t *in = g->owned + at;
		const uint32_t op = *in & 0xffff;

		if (((op == SpvOpIAdd || op == SpvOpISub) && in[2] >= first_added &&
		     is_length(g, in[3]) && is_bound(g, in[2])) ||
		    (op == SpvOpUDiv && in[2] >= first_added && is_group_limit(g, in[3]))) {
			in[4] = in[3];
			gate_mutation.n_wrong++;
		}
		/* Of the passes, only clamp_cube_directions.c adds this comparison. */
		if (op == SpvOpFOrdLessThan && in[2] >= first_added) {
			in[4] = in[3];
			gate_mutation.n_wrong++;
		}
		/* The upper limit of a direction or a conversion becomes the value itself. */
		if (op == SpvOpExtInst && in[4] == GLSLstd450NClamp && in[2] >= first_added &&
		    !is_constant(g, in[5])) {
			in[7] = in[5];
			gate_mutation.n_wrong++;
		}
		if (op == SpvOpConstant && in[2] >= first_added && *in >> 16 == 4 &&
		    in[3] > SHARED_MASK && is_mask(g, in[2])) {
			in[3] = SHARED_MASK;
			gate_mutation.n_wrong++;
		}
	}
}

bool gate_mutants_begin(struct gate *g)
{
	before = malloc(g->words * sizeof(*before));
	if (!before)
		return gate_refuse(g, "out of memory");
	memcpy(before, g->code, g->words * sizeof(*before));
	words_before = g->words;
	/* Inlined instructions of the program have new ids before this pass. */
	if (!strcmp(g->pass, "mesh-outputs"))
		first_added = g->code[3];
	gate_mutation.running = g->pass;
	if (is_blind(g))
		hide(g);
	if (gate_mutation.wrong_bounds && !strcmp(g->pass, "verify-result") && g->owned)
		make_bounds_wrong(g);
	if (gate_mutation.damage && !strcmp(g->pass, "verify-result") && g->owned)
		gate_mutation.n_damaged = gate_damage(g, gate_mutation.damage - 1);
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
